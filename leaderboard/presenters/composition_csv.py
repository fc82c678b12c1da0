"""The bars of the benchmark page as numbers that can be worked with."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from io import StringIO

from leaderboard.formats import MISSING
from leaderboard.models import ScopeName
from leaderboard.presenters.benchmark import BenchmarkPage
from leaderboard.tables import safe_cell

HEAD = ("figure", "source", "item", "value", "unit")
_PERCENT = "percent of tasks"
_TASKS = "tasks"
_OVERALL = ScopeName.OVERALL.value
Row = tuple[str, str, str, object, str]


def composition_csv(page: BenchmarkPage) -> str:
    """One line a bar, rounded as the page shows it; an empty cell is unknown."""
    buffer = StringIO(newline="")
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow(HEAD)
    for row in (*_by_source(page), *_overall(page)):
        writer.writerow(["" if cell == MISSING else safe_cell(cell) for cell in row])
    return buffer.getvalue()


def _by_source(page: BenchmarkPage) -> Iterator[Row]:
    for scope in page.difficulty:
        for level, _, count, *_ in scope.shares:
            yield "difficulty", scope.scope, level, count, _TASKS
    for source in page.concentration:
        for item, value in (("1", source.largest), ("3", source.largest_three)):
            yield "largest_repositories", source.source, item, value, _PERCENT


def _overall(page: BenchmarkPage) -> Iterator[Row]:
    for each in page.repositories:
        yield "repositories", _OVERALL, each.label, each.value, _TASKS
    for each in page.f_point_counts:
        yield "f_points_per_task", _OVERALL, each.label, each.value, _TASKS
    for each in page.kits:
        yield "kits", _OVERALL, each.label, each.value, _PERCENT
    for each in page.coverage.buckets if page.coverage else ():
        yield "kit_coverage", _OVERALL, each.label, each.value, "Kits"
