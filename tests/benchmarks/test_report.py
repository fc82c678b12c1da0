"""The benchmark itself: it measures every kind of request and says what it measured."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.benchmarks import ingest, packages
from tests.benchmarks.goals import (
    API_FROM_STORED,
    CLOSED,
    FROM_SHELF,
    FROM_STORED,
    IMPORTED,
    NOT_MODIFIED,
    RECOUNTED,
    WARM,
    of_reading,
    of_writing,
    table,
)
from tests.benchmarks.ingest import Cost
from tests.benchmarks.measure import HOST
from tests.benchmarks.pages import Timing

ROOT = Path(__file__).resolve().parent.parent.parent


def test_the_benchmark_measures_each_kind_of_request_on_a_database_of_its_own():
    done = subprocess.run(
        [
            *[sys.executable, "-m", "tests.benchmarks.report"],
            *["--only", "pages", "--sizes", "101", "--rounds", "1"],
        ],
        cwd=ROOT,
        env={**os.environ, "OHB_TEST_POSTGRESQL_URL": ""},
        capture_output=True,
        text=True,
        timeout=850,
        check=False,
    )

    assert done.returncode == 0, done.stderr[-2000:]
    rows = re.findall(
        r"(?m)^\| 101 \| ([^|]+) \| [\d.]+ \| [\d.]+ \| [\d,]* \| (\d+) \|",
        done.stdout,
    )
    queries = {what: int(count) for what, count in rows}
    assert set(queries) == {
        "constant view",
        "worker: standings stored",
        "worker: pages made beforehand",
        "page, kept in memory",
        "page, 304",
        "page, new process",
        "API, kept in memory",
        "API, new process",
        "page, made from stored standings",
        "page, later rows",
        "page, in another order",
        "page, filtered",
        "page, with other columns",
        "page, in another order, of one source",
        "page, first of a process",
        "API, made from stored standings",
        "API, later rows",
        "page, made from the totals",
    }
    for what in ("page, kept in memory", "page, 304", "API, kept in memory"):
        assert queries[what] == 1
    for what in ("page, new process", "API, new process"):
        assert queries[what] == 2
    for what in queries:
        assert queries[what] <= 4 or what.startswith("worker")
    assert "| Page or list at most 4 queries | 4, met |" in done.stdout


def test_each_goal_is_stated_with_what_was_measured_and_whether_that_meets_it():
    def measured(ratio: float, *, kilobytes: float = 10) -> list[Timing]:
        kinds = (WARM, NOT_MODIFIED, FROM_SHELF, FROM_STORED, API_FROM_STORED)
        return [Timing(kind, ratio, ratio, 100, 2, kilobytes) for kind in kinds]

    reading = of_reading({8: measured(1), 100: measured(4), 10_000: measured(6)})
    costs = [Cost(CLOSED, 25, 153), Cost(IMPORTED, 1000, 90_000)]
    costs += [Cost(RECOUNTED, 500, 459_000)]
    on_sqlite = [*reading, *of_writing(costs, vendor="sqlite")]
    on_postgresql = list(of_writing(costs, vendor="postgresql"))

    lines = table({"SQLite": on_sqlite, "PostgreSQL": on_postgresql}).splitlines()

    assert [line.split(" | ")[1:] for line in lines[2:]] == [
        ["10.0 kB, met", "not measured |"],
        ["4.0 x, **not met**", "not measured |"],
        ["4.0 x, met", "not measured |"],
        ["4.0 x, met", "not measured |"],
        ["4.0 x, met", "not measured |"],
        ["4.0 x, met", "not measured |"],
        ["2, met", "not measured |"],
        ["1.50 times, **not met**", "not measured |"],
        ["25.0 ms, **not met**", "25.0 ms, met |"],
        ["90,000/s, **not met**", "90,000/s, met |"],
        ["0.50 s, met", "0.50 s, met |"],
    ]


@pytest.mark.django_db
def test_the_benchmark_measures_each_kind_of_writing_and_checks_what_it_wrote():
    found = {cost.what: cost.count for cost in ingest.costs(evaluation_count=1)}

    assert found == {
        "results and totals of a run, closed": 153,
        "of which the results": 153,
        "results imported by `bulk_create`": 459,
        "results imported in bulk": 459,
        "every total compared with its rows": (3 * ingest.SAMPLE + 3) * 153,
    }


def test_the_benchmark_measures_a_package_and_its_pages(
    committed_db, tmp_path, settings
):
    settings.ALLOWED_HOSTS = [HOST]

    found = list(packages.costs(tmp_path, megabytes=0, rounds=1, every=30))

    assert [cost.what for cost in found if cost.kilobytes is None][1:] == [
        "import of the same again",
        "export",
    ]
    assert {cost.what for cost in found if cost.kilobytes} == {
        "list of tasks",
        "filtered list",
        "benchmark page",
        "page of a task",
    }
