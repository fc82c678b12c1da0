"""Figures of evaluations as text, and rows of small tables."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

from leaderboard.formats import grouped, in_unit, percent
from leaderboard.models import Configuration, Evaluation
from leaderboard.standings import ScopeFigures, StandingsRow


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
class Row:
    """One evaluation in a table beside the leaderboard's own."""

    evaluation: Evaluation
    configuration: Configuration
    rank_label: str
    figures: Figures


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


def present_rows(rows: Iterable[StandingsRow], unit: int) -> list[Row]:
    """Format ``rows``, in their order, with tokens in ``unit``."""
    return [
        Row(
            evaluation=row.evaluation,
            configuration=row.evaluation.configuration,
            rank_label=row.rank_label,
            figures=figures_text(row.in_scope, unit),
        )
        for row in rows
    ]
