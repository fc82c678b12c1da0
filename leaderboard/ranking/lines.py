"""The rows of a leaderboard page with every cell made ready, in no language.

Written once, when the place of an evaluation is stored; a page puts the cells into rows
that a template has drawn (:mod:`leaderboard.presenters.lines`).
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from html import escape
from typing import Any, NamedTuple

from django.utils import timezone

from leaderboard.charts import RunAxis, run_axis, run_ticks
from leaderboard.formats import grouped, in_unit, percent, token_unit
from leaderboard.presenters.printed import exact_differences
from leaderboard.ranking.summary import Summary
from leaderboard.standings import StandingsRow

# The cells that every row has; three for each source follow.
CELLS = (
    *("evaluation", "configuration", "model", "provider", "agent", "published"),
    *("rank_label", "span", "completed", "task_runs", "mean", "low", "high"),
    *("first_build", "final_build", "tokens", "seconds"),
    *("bar", "marks", "dot", "run_values", "run_counts", "mean_value"),
    *("printed_mean", "printed_first_build", "printed_final_build"),
)
PLACE = {name: place for place, name in enumerate(CELLS)}
SOURCE_CELLS = ("heat", "value", "count")
# Cells are HTML without tags. One text is split sooner than a list of texts is read.
_BETWEEN_CELLS = "<"
# Figures in which a report may print another digit in the row itself.
_PRINTED = {
    "printed_mean": "task_completion_mean",
    "printed_first_build": "first_build",
    "printed_final_build": "final_build",
}


class Shape(NamedTuple):
    """All that rows differ by besides their texts.

    ``sources`` are those whose cells the row has, ``printed`` the figures that a report
    prints otherwise.
    """

    provenance: str
    leading: bool
    in_order: bool
    by_start_order: bool
    declared: bool
    struck_out_since: bool
    sources: str
    printed: str


class Decision(NamedTuple):
    """By what a row is ranked though its conditions differ."""

    key: int
    fields: Sequence[str]
    reason: str
    day: str


class StruckOut(NamedTuple):
    day: str
    reason: str


class Line(NamedTuple):
    """One ranked row. ``cells`` are HTML, in the order of CELLS.

    ``differences`` are figures with the exact value and the printed one. ``decision``
    lets it be ranked; ``struck_out`` says what happened to a row of an earlier day
    since.
    """

    shape: Shape
    cells: Sequence[str]
    rank: int | None
    tied_count: int
    completed_count: int
    task_runs: int
    decision: Decision | None = None
    differences: Sequence[tuple[str, str, str]] = ()
    struck_out: StruckOut | None = None

    def cell(self, name: str) -> str:
        return self.cells[PLACE[name]]


@dataclass(frozen=True, slots=True)
class LineStyle:
    """What the cells of a table have in common: axis, unit of tokens, heat."""

    axis: RunAxis
    unit: int
    summary: Summary

    @classmethod
    def of(cls, summary: Summary) -> LineStyle:
        return cls(run_axis([summary.runs]), token_unit(summary.most_tokens), summary)

    def line(self, row: StandingsRow) -> Line:
        """Format every cell of ``row`` once."""
        evaluation, found = row.evaluation, row.in_scope
        differences = exact_differences(found)
        printed = {name: text for name, _exact, text in differences}
        sources = [each for each in self.summary.means if each in row.figures]
        texts = self._texts(row, printed)
        cells = [texts[name] for name in CELLS]
        for source in sources:
            cells += self._source(row, source)
        return Line(
            shape=Shape(
                provenance=evaluation.provenance,
                leading=row.leading_group,
                in_order=evaluation.runs_in_order,
                by_start_order=evaluation.runs_by_start_order,
                declared=row.decision is not None,
                struck_out_since=evaluation.struck_out_at is not None,
                sources=" ".join(sources),
                printed=" ".join(
                    name for name, figure in _PRINTED.items() if printed.get(figure)
                ),
            ),
            cells=[escape(cell) for cell in cells],
            rank=row.rank,
            tied_count=row.tied_count,
            completed_count=found.completed_count,
            task_runs=found.task_runs,
            decision=_decision(row),
            differences=differences,
            struck_out=None
            if evaluation.struck_out_at is None
            else StruckOut(_day(evaluation.struck_out_at), evaluation.withdrawn_reason),
        )

    def _texts(self, row: StandingsRow, printed: dict[str, str]) -> dict[str, str]:
        evaluation, found = row.evaluation, row.in_scope
        configuration = evaluation.configuration
        runs = run_ticks(found.completed_by_run, found.task_count, axis=self.axis)
        span = row.rank_span
        return {
            "evaluation": str(evaluation.pk),
            "configuration": str(configuration.pk),
            "model": configuration.model,
            "provider": configuration.provider,
            "agent": f"{configuration.agent_name} {configuration.agent_version}",
            "published": _day(evaluation.published_at),
            "rank_label": row.rank_label,
            "span": "" if span is None else f"{span[0]}–{span[1]}",
            "completed": grouped(found.completed_count),
            "task_runs": grouped(found.task_runs),
            "mean": percent(found.task_completion.mean),
            "low": percent(found.task_completion.low),
            "high": percent(found.task_completion.high),
            "first_build": percent(found.first_build),
            "final_build": percent(found.final_build),
            "tokens": in_unit(found.tokens_per_task, self.unit),
            "seconds": grouped(found.seconds_per_task, 1),
            "bar": runs.bar,
            "marks": runs.marks,
            "dot": runs.dot,
            "run_values": "; ".join(runs.values),
            "run_counts": " · ".join(runs.values),
            "mean_value": runs.mean_value,
            **{name: printed.get(figure, "") for name, figure in _PRINTED.items()},
        }

    def _source(self, row: StandingsRow, source: Any) -> list[str]:
        found = row.figures[source]
        mean, (low, high) = found.task_completion.mean, self.summary.means[source]
        share = (mean - low) / (high - low) if high > low else Fraction(0)
        count = f"{found.completed_count}/{found.task_runs}"
        return [str(round(share * 10)), percent(mean), count]


def source_place(shape: Shape, source: str) -> int:
    """Where the cells of ``source`` begin."""
    return len(CELLS) + len(SOURCE_CELLS) * shape.sources.split().index(source)


def as_text(line: Line) -> str:
    """``line`` as JSON; rows struck out since are never stored."""
    stored = [
        list(line.shape),
        _BETWEEN_CELLS.join(line.cells),
        *(line.rank, line.tied_count, line.completed_count, line.task_runs),
        *(line.decision, line.differences),
    ]
    return json.dumps(stored, ensure_ascii=False, separators=(",", ":"))


def from_texts(texts: Iterable[str]) -> list[Line]:
    """What :func:`as_text` wrote of several lines, read at once."""
    return [_line(*parts) for parts in json.loads(f"[{','.join(texts)}]")]


def _line(shape: Any, cells: str, *rest: Any) -> Line:
    rank, tied_count, completed_count, task_runs, decision, differences = rest
    return Line(
        Shape._make(shape),
        cells.split(_BETWEEN_CELLS),
        *(rank, tied_count, completed_count, task_runs),
        None if decision is None else Decision._make(decision),
        differences,
    )


def _decision(row: StandingsRow) -> Decision | None:
    found = row.decision
    if found is None:
        return None
    day = found.at.date().isoformat()
    return Decision(found.pk, found.differing_fields, found.reason, day)


def _day(moment: Any) -> str:
    return "" if moment is None else f"{timezone.localtime(moment):%Y-%m-%d}"
