"""What writing costs: closing a run, importing results, counting them all again."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from statistics import mean, median
from typing import NamedTuple

from django.db import connection, transaction

from leaderboard import bulk
from leaderboard.models import Run, ScopeTotals, Task, TaskResult
from leaderboard.recount import differences
from leaderboard.totals import write_run_totals, write_summary
from tests.benchmarks import data
from tests.benchmarks.goals import CLOSED, IMPORTED, RECOUNTED
from tests.benchmarks.measure import wall_milliseconds

# Evaluations whose runs are closed one by one.
SAMPLE = 20


class Cost(NamedTuple):
    what: str
    milliseconds: float
    count: int

    @property
    def per_second(self) -> float:
        return self.count / self.milliseconds * 1000


def costs(*, evaluation_count: int) -> Iterator[Cost]:
    """The cost of each kind of writing, at ``evaluation_count`` evaluations."""
    chance = Random(1)
    snapshot = data.snapshot("written")
    tasks = list(snapshot.tasks.all())
    sample = data.measured(snapshot, SAMPLE)
    yield from _closings(sample, tasks, chance)
    runs = data.measured(snapshot, max(evaluation_count - SAMPLE, 1))
    rows = [row for run in runs for row in data.results(run.pk, tasks, chance)]
    yield _import_of_objects(rows[: 153 * len(sample)])
    took = wall_milliseconds(lambda: bulk.insert(TaskResult, data.RESULT_COLUMNS, rows))
    yield Cost(IMPORTED, took, len(rows))
    bulk.insert(ScopeTotals, data.TOTALS_COLUMNS, data.totals(runs, tasks, rows))
    # What only the data maker needed is no part of a recount's memory.
    rows.clear()
    yield _recount(len(sample) + len(runs))


def _closings(runs: list[Run], tasks: list[Task], chance: Random) -> Iterator[Cost]:
    """Close one run after another, as they would be closed one by one."""
    closings, imports = [], []
    for run in runs:
        rows = list(data.results(run.pk, tasks, chance))
        closing, importing = _close(run, rows)
        closings.append(closing)
        imports.append(importing)
        if run.number == data.RUNS:
            write_summary(run.evaluation)
    count = len(tasks)
    yield Cost(CLOSED, mean(closings), count)
    yield Cost("of which the results", mean(imports), count)


def _close(run: Run, rows: list[tuple[object, ...]]) -> tuple[float, float]:
    importing = 0.0

    def close() -> None:
        nonlocal importing
        with transaction.atomic():
            importing = wall_milliseconds(
                lambda: bulk.insert(TaskResult, data.RESULT_COLUMNS, rows)
            )
            write_run_totals(run)

    return wall_milliseconds(close), importing


def _import_of_objects(rows: list[tuple[object, ...]]) -> Cost:
    """The usual way to write many rows, to compare with; nothing of it stays."""

    def write() -> None:
        TaskResult.objects.bulk_create(
            TaskResult(**dict(zip(data.RESULT_COLUMNS, row, strict=True)))
            for row in rows
        )

    with transaction.atomic():
        took = wall_milliseconds(write)
        transaction.set_rollback(True)
    return Cost("results imported by `bulk_create`", took, len(rows))


def _recount(run_count: int) -> Cost:
    """Check every stored total; most of them were counted by the data maker."""
    if connection.vendor == "postgresql":
        # As the server would have done by itself a minute later.
        with connection.cursor() as cursor:
            cursor.execute("ANALYZE")
    wrong: list[object] = []
    # It reads only, so that it can be done more than once.
    took = median(
        wall_milliseconds(lambda: wrong.extend(differences())) for _ in range(5)
    )
    if wrong:
        raise RuntimeError(f"Stored totals differ from their rows: {wrong[:3]}")
    return Cost(RECOUNTED, took, 153 * run_count)
