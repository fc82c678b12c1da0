"""The bars of the evaluation page and of the benchmark page, as files of their own.

Each figure is described once, with the words of its page and its numbers; the drawing
and the CSV are two ways to write it down.
"""

from __future__ import annotations

import csv
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from io import StringIO

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from leaderboard.charts import Bar
from leaderboard.charts.bars import Part as Piece
from leaderboard.formats import MISSING
from leaderboard.models import Difficulty
from leaderboard.presenters.benchmark import BenchmarkPage
from leaderboard.presenters.coverage import Part
from leaderboard.presenters.evaluation import EvaluationPage, build_steps
from leaderboard.standings import StandingsRow
from leaderboard.tables import safe_cell

KINDS = ("svg", "csv")
FULL, SECOND = "fill", "second"
_STEPS = {
    "first_build": _("First build"),
    "final_build": _("Final build"),
    "completed": _("Completed"),
}


@dataclass(frozen=True, slots=True)
class BarFigure:
    """``unit`` says what the numbers are; ``legend`` names the kinds of pieces.

    ``head`` and ``table`` are the numbers of the CSV, one row a bar.
    """

    title: str | Promise
    unit: str | Promise
    bars: Sequence[Bar]
    head: Sequence[str]
    table: Sequence[Sequence[object]]
    legend: Sequence[tuple[str, str | Promise]] = ()

    def csv(self) -> str:
        buffer = StringIO(newline="")
        writer = csv.writer(buffer, lineterminator="\n")
        writer.writerow(self.head)
        for row in self.table:
            writer.writerow(
                ["" if cell == MISSING else safe_cell(cell) for cell in row]
            )
        return buffer.getvalue()


def evaluation_figures(page: EvaluationPage) -> dict[str, BarFigure]:
    """The figures that the page of an evaluation shows, by the names of their files."""
    found: dict[str, BarFigure] = {}
    if page.steps:
        found["builds"] = _steps(page)
    if page.stability:
        runs = page.evaluation.run_count
        found["stability"] = BarFigure(
            _("Stability"),
            _("Tasks by the number of runs that completed them"),
            [
                Bar(f"{each.runs}/{runs}", _full(each.width), str(each.task_count))
                for each in page.stability.buckets
            ],
            ("completed_runs", "runs", "tasks"),
            [(each.runs, runs, each.task_count) for each in page.stability.buckets],
        )
    if page.outcomes:
        found["outcomes"] = _outcomes(page)
    if page.how_far and page.how_far.bars:
        found["progress"] = BarFigure(
            _("How far did it get?"),
            _("Task runs by the share of their F-points that passed."),
            [
                Bar(str(each.label), _full(each.width), str(each.task_runs))
                for each in page.how_far.bars
            ],
            ("f_points_passed", "task_runs"),
            [(each.name, each.task_runs) for each in page.how_far.bars],
        )
    if page.repairs:
        found["repairs"] = _repairs(page)
    if page.kits:
        found["kits"] = _kit_shares(page)
    return found


def benchmark_figures(page: BenchmarkPage) -> dict[str, BarFigure]:
    """The figures that the page of a benchmark shows, by the names of their files."""
    found: dict[str, BarFigure] = {}
    if page.difficulty:
        found["difficulty"] = _difficulty(page)
    if page.concentration:
        found["concentration"] = _concentration(page)
    if page.repositories:
        title = _("Repositories with the most tasks")
        found["repositories"] = _plain(title, _("Tasks"), page.repositories)
    if page.f_point_counts:
        title = _("F-points per task")
        found["f_points"] = _plain(title, _("Tasks"), page.f_point_counts)
    if page.kits:
        title = _("Most frequent Kits")
        found["kits"] = _plain(title, _("% of tasks"), page.kits, item="kit")
    if page.coverage:
        title = _("Kits by how many tasks touch them")
        found["coverage"] = _plain(title, _("Kits"), page.coverage.buckets)
    return found


def build_bars(rows: Sequence[StandingsRow]) -> BarFigure:
    """From first build to completion, three bars a configuration; its CSV is apart."""
    kinds = {"first_build": SECOND, "final_build": "difficulty-medium"}
    return BarFigure(
        _("From build to behavior"),
        _("% of task runs"),
        [
            Bar(
                row.evaluation.configuration.model if place == 0 else "",
                [Piece(kinds.get(step.name, FULL), step.width)],
                step.value,
            )
            for row in rows
            for place, step in enumerate(build_steps(row.in_scope))
        ],
        (),
        (),
        legend=[(kinds.get(name, FULL), words) for name, words in _STEPS.items()],
    )


def _full(width: float) -> list[Piece]:
    return [Piece(FULL, width)]


def _plain(
    title: str | Promise,
    unit: str | Promise,
    parts: Iterable[Part],
    *,
    item: str = "item",
) -> BarFigure:
    bars = list(parts)
    return BarFigure(
        title,
        unit,
        [Bar(str(each.words), _full(each.width), each.value) for each in bars],
        (item, "value"),
        [(each.label, each.value) for each in bars],
    )


def _steps(page: EvaluationPage) -> BarFigure:
    return BarFigure(
        _("From build to behavior"),
        _("% of task runs"),
        [
            Bar(str(_STEPS[each.name]), _full(each.width), each.value)
            for each in page.steps
        ],
        ("step", "percent_of_task_runs"),
        [(each.name, each.value) for each in page.steps],
    )


def _outcomes(page: EvaluationPage) -> BarFigure:
    return BarFigure(
        _("Outcomes of all task runs"),
        _("% of task runs"),
        [
            Bar(
                str(each.label.label),
                [Piece(each.label.mark, each.width)],
                f"{each.percent} ({each.count})",
            )
            for each in page.outcomes
        ],
        ("outcome", "task_runs", "percent_of_task_runs"),
        [(each.label.name, each.count, each.percent) for each in page.outcomes],
    )


def _repairs(page: EvaluationPage) -> BarFigure:
    buckets = page.repairs.buckets if page.repairs else ()
    return BarFigure(
        _("Compile repair"),
        _("Task runs by repair rounds"),
        [
            Bar(
                str(each.rounds),
                [Piece(FULL, each.built_width), Piece("cross", each.other_width)],
                f"{each.built}/{each.task_runs}",
            )
            for each in buckets
        ],
        ("repair_rounds", "built", "task_runs"),
        [(each.rounds, each.built, each.task_runs) for each in buckets],
        legend=((FULL, _("Built")), ("cross", _("Not built"))),
    )


def _kit_shares(page: EvaluationPage) -> BarFigure:
    # From the best to the worst, also where the page begins with both ends.
    groups = page.kits.groups if page.kits else []
    best, *rest = groups or [[]]
    kits = [*best, *(kit for group in rest for kit in reversed(group))]
    return BarFigure(
        _("By Kit"),
        _("% of task runs"),
        [
            Bar(
                each.name,
                _full(each.width),
                f"{each.percent} ({each.completed}/{each.task_runs})",
            )
            for each in kits
        ],
        ("kit", "tasks", "completed", "task_runs", "percent_of_task_runs"),
        [
            (each.name, each.task_count, each.completed, each.task_runs, each.percent)
            for each in kits
        ],
    )


def _difficulty(page: BenchmarkPage) -> BarFigure:
    legend = [(f"difficulty-{level.value}", level.label) for level in Difficulty]
    return BarFigure(
        _("Difficulty"),
        _("Tasks by difficulty and source"),
        [
            Bar(
                str(row.label),
                [Piece(f"difficulty-{share[0]}", share[5]) for share in row.shares],
                " / ".join(str(share[2]) for share in row.shares),
            )
            for row in page.difficulty
        ],
        ("source", *Difficulty.values),
        [(row.scope, *(share[2] for share in row.shares)) for row in page.difficulty],
        legend=legend,
    )


def _concentration(page: BenchmarkPage) -> BarFigure:
    return BarFigure(
        _("Concentration"),
        _("% of tasks"),
        [
            Bar(
                row.label,
                [
                    Piece(FULL, row.width),
                    Piece(SECOND, round(row.width_three - row.width, 2)),
                ],
                f"{row.largest} / {row.largest_three}",
            )
            for row in page.concentration
        ],
        ("source", "largest_percent", "largest_three_percent"),
        [(row.source, row.largest, row.largest_three) for row in page.concentration],
        legend=((FULL, _("Largest")), (SECOND, _("Largest three"))),
    )


def file_links(
    figures: Iterable[str], address: str, *, query: str = ""
) -> dict[str, dict[str, str]]:
    """Addresses by name and kind; ``address`` is that of the page above them."""
    return {
        name: {kind: f"{address}figures/{name}.{kind}{query}" for kind in KINDS}
        for name in figures
    }
