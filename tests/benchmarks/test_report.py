"""The benchmark itself: it measures every kind of request and says what it measured."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent


def test_the_benchmark_measures_each_kind_of_request_on_a_database_of_its_own():
    done = subprocess.run(
        [
            *[sys.executable, "-m", "tests.benchmarks.report"],
            *["--sizes", "3", "--rounds", "1", "--ingest", "1"],
        ],
        cwd=ROOT,
        env={**os.environ, "OHB_TEST_POSTGRESQL_URL": ""},
        capture_output=True,
        text=True,
        timeout=280,
        check=False,
    )

    assert done.returncode == 0, done.stderr[-2000:]
    rows = re.findall(
        r"(?m)^\| 3 \| ([^|]+) \| [\d.]+ \| [\d.]+ \| (\d+) \|", done.stdout
    )
    queries = {what: int(count) for what, count in rows}
    assert set(queries) == {
        "constant view",
        "page, kept",
        "page, made from the database",
        "page, 304",
        "API, kept",
        "API, made from the database",
    }
    assert queries["page, kept"] == queries["page, 304"] == queries["API, kept"] == 1
    assert "every total compared with its rows" in done.stdout
