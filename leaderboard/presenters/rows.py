"""One row of a standings table with every cell formatted once."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import NamedTuple

from leaderboard.charts import RunAxis, RunTicks, run_ticks
from leaderboard.formats import MILLION, THOUSAND, grouped, in_unit, percent
from leaderboard.metrics import Scope
from leaderboard.models import Configuration, Evaluation
from leaderboard.presenters.printed import printed_differences
from leaderboard.standings import ScopeFigures, StandingsRow

SOURCES = (Scope.NEW_FEATURE, Scope.SPEC_DRIVEN, Scope.BUG_FIX)


class Figures(NamedTuple):
    """One scope as text: percent points, tokens in the table's unit, seconds."""

    completed: str
    task_runs: str
    mean: str
    low: str
    high: str
    first_build: str
    final_build: str
    tokens: str
    seconds: str


@dataclass(frozen=True, slots=True)
class SourceCell:
    """Task Completion of one source; ``heat`` runs from 0 (lowest) to 10 (highest)."""

    source: Scope
    value: str
    count: str
    heat: int


@dataclass(frozen=True, slots=True)
class Row:
    evaluation: Evaluation
    configuration: Configuration
    rank_label: str
    span: str
    leading_group: bool
    ends_leading_group: bool
    figures: Figures
    runs: RunTicks
    runs_in_order: bool
    sources: tuple[SourceCell, ...]
    printed: Mapping[str, str]
    struck_out_since: bool


def token_unit(rows: Sequence[StandingsRow]) -> int:
    """Millions, or thousands where no row of the table reaches 0.1 million a task."""
    values = [row.in_scope.tokens_per_task or Fraction(0) for row in rows]
    return THOUSAND if values and max(values) < MILLION // 10 else MILLION


def figures_text(found: ScopeFigures, unit: int) -> Figures:
    """Format every figure of one scope once."""
    return Figures(
        completed=grouped(found.completed_count),
        task_runs=grouped(found.task_runs),
        mean=percent(found.task_completion.mean),
        low=percent(found.task_completion.low),
        high=percent(found.task_completion.high),
        first_build=percent(found.first_build),
        final_build=percent(found.final_build),
        tokens=in_unit(found.tokens_per_task, unit),
        seconds=grouped(found.seconds_per_task, 1),
    )


def present_rows(
    rows: Sequence[StandingsRow],
    *,
    axis: RunAxis,
    unit: int,
    sources: Collection[str] = (),
) -> list[Row]:
    """Format ``rows``, in their order, with cells for the named ``sources``.

    Heat compares the rows of this table only.
    """
    bounds = {
        source: _bounds(rows, source) for source in SOURCES if source.value in sources
    }
    last_leading = [row.evaluation.pk for row in rows if row.leading_group][-1:]
    return [
        Row(
            evaluation=row.evaluation,
            configuration=row.evaluation.configuration,
            rank_label=row.rank_label,
            span=_span(row.rank_span),
            leading_group=row.leading_group,
            ends_leading_group=[row.evaluation.pk] == last_leading,
            figures=figures_text(row.in_scope, unit),
            runs=run_ticks(
                row.in_scope.completed_by_run, row.in_scope.task_count, axis=axis
            ),
            runs_in_order=row.evaluation.runs_in_order,
            sources=_source_cells(row, bounds),
            printed=printed_differences(row.in_scope),
            struck_out_since=row.evaluation.struck_out_at is not None,
        )
        for row in rows
    ]


def _span(span: tuple[int, int] | None) -> str:
    return "" if span is None else f"{span[0]}–{span[1]}"


def _bounds(rows: Sequence[StandingsRow], source: Scope) -> tuple[Fraction, Fraction]:
    means = [
        row.figures[source].task_completion.mean
        for row in rows
        if source in row.figures
    ]
    return (min(means), max(means)) if means else (Fraction(0), Fraction(0))


def _source_cells(
    row: StandingsRow, bounds: Mapping[Scope, tuple[Fraction, Fraction]]
) -> tuple[SourceCell, ...]:
    cells = []
    for source, (low, high) in bounds.items():
        if source not in row.figures:
            continue
        found = row.figures[source]
        mean = found.task_completion.mean
        share = (mean - low) / (high - low) if high > low else Fraction(0)
        cells.append(
            SourceCell(
                source=source,
                value=percent(mean),
                count=f"{found.completed_count}/{found.task_runs}",
                heat=round(share * 10),
            )
        )
    return tuple(cells)
