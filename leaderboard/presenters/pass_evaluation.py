"""The page of one evaluation that is ranked by pass rate."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _

from leaderboard.history import HistoryEntry, public_history
from leaderboard.models import Evaluation, Overruling, PassTotals, Run
from leaderboard.passing.figures import PassFigures, pass_figures
from leaderboard.presenters.failures import SplitTable, split_table
from leaderboard.presenters.passing import PassCells, pass_cells
from leaderboard.presenters.progress import HowFar, how_far


@dataclass(frozen=True, slots=True)
class PassEvaluationPage:
    """``scopes`` are all tasks, then each stream of which there are figures."""

    evaluation: Evaluation
    figures: PassFigures | None
    scopes: Sequence[tuple[str, PassCells]]
    runs: Sequence[Run]
    failures: SplitTable | None
    how_far: HowFar | None
    source: Mapping[str, Any]
    history: Sequence[HistoryEntry]
    overrulings: Sequence[Overruling]

    @property
    def overall(self) -> PassCells | None:
        return pass_cells(self.figures) if self.figures else None

    @property
    def level(self) -> int | None:
        found = self.figures.interval if self.figures else None
        return found.level if found else None

    @property
    def has_counts(self) -> bool:
        return self.figures is not None and self.figures.counts is not None

    @property
    def passed_count(self) -> int:
        counts = self.figures.counts if self.figures else None
        return counts.perfect if counts else 0

    @property
    def passed_as_measured(self) -> int:
        """Passed task runs without what maintainers have overruled."""
        return self.passed_count + len(self.overrulings)


def pass_scopes(evaluation: Evaluation) -> list[tuple[str, PassCells]]:
    """All tasks, then each stream, by name; one query, and empty before the end."""
    return _scopes(_totals(evaluation))


def _totals(evaluation: Evaluation) -> list[PassTotals]:
    found = PassTotals.objects.filter(evaluation=evaluation).select_related("stream")
    rows = found.order_by("stream__position")
    return sorted(rows, key=lambda each: each.stream is not None)


def _scopes(totals: Sequence[PassTotals]) -> list[tuple[str, PassCells]]:
    return [
        (
            each.stream.name if each.stream else _("Overall"),
            pass_cells(pass_figures(each)),
        )
        for each in totals
    ]


def pass_evaluation_page(evaluation: Evaluation) -> PassEvaluationPage:
    """Everything the page shows, in a fixed number of queries."""
    totals = _totals(evaluation)
    overall = next((each for each in totals if each.stream is None), None)
    runs = list(evaluation.runs.all())
    return PassEvaluationPage(
        evaluation=evaluation,
        figures=pass_figures(overall) if overall else None,
        scopes=_scopes(totals),
        runs=runs,
        # A report has neither runs nor outcomes of single tasks.
        failures=split_table(evaluation) if runs else None,
        how_far=how_far(evaluation) if runs else None,
        source=evaluation.snapshot.composition.get("source", {}),
        history=public_history(evaluation),
        overrulings=list(
            Overruling.objects.filter(
                result__run__evaluation=evaluation
            ).select_related("result__run", "result__task")
        ),
    )
