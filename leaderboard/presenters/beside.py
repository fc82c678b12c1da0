"""What stands beside the ranked rows of a leaderboard page: rows apart, and figures."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import NamedTuple

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from leaderboard.charts import CostScatter, SourceDots, cost_scatter
from leaderboard.charts.cost import CostPoint
from leaderboard.models import Evaluation
from leaderboard.models.results import Strike
from leaderboard.presenters.conditions import condition_labels
from leaderboard.presenters.figures import cost_points, dots
from leaderboard.presenters.rows import Row, present_rows
from leaderboard.presenters.selection import Selection
from leaderboard.ranking.asked import Found
from leaderboard.standings import StandingsRow

_NOTHING = Found((), 0)


class Apart(NamedTuple):
    """A row outside the ranking and why it stands there."""

    row: Row
    reason: str | Promise
    fields: str


class Beside:
    """Read when a part of the page asks for it; a later page has none of it."""

    def __init__(self, selection: Selection, *, unit: int) -> None:
        self._selection, self._unit = selection, unit

    @cached_property
    def unverified(self) -> list[Apart]:
        return self._apart(unverified=True)

    @cached_property
    def apart(self) -> list[Apart]:
        return self._apart(unverified=False)

    @property
    def strikes(self) -> Sequence[tuple[Evaluation, Strike]]:
        return self._found.strikes if self.has_others else ()

    @property
    def struck_out_since(self) -> list[Evaluation]:
        """Rows apart of an earlier day that do not stand there any more."""
        rows = self._found.apart if self.has_others else ()
        return [row.evaluation for row in rows if row.evaluation.struck_out_at]

    @cached_property
    def scatter(self) -> CostScatter | None:
        return cost_scatter(self._points, small=False)

    @cached_property
    def scatter_small(self) -> CostScatter | None:
        return cost_scatter(self._points, small=True)

    @cached_property
    def dots(self) -> SourceDots | None:
        return dots(self._found.in_figures)

    @property
    def figures_are_partial(self) -> bool:
        ranked = self._selection.summary.ranked_count
        return len(self._found.in_figures) < ranked

    @cached_property
    def _points(self) -> list[CostPoint]:
        axis = self._selection.cost_axis
        return cost_points(self._found.in_figures, axis, unit=self._unit)

    @cached_property
    def _found(self) -> Found:
        selection = self._selection
        if selection.page > 1:
            return _NOTHING
        return selection.table.beside(selection.asked)

    @property
    def has_others(self) -> bool:
        """Whether the table has anything but ranked rows."""
        summary = self._selection.summary
        return bool(summary.apart_count or summary.struck_out_count)

    def _apart(self, *, unverified: bool) -> list[Apart]:
        found = self._found.apart if self.has_others else ()
        rows = [row for row in found if row.evaluation.unverified == unverified]
        return [
            _one_apart(row, shown)
            for row, shown in zip(rows, present_rows(rows, self._unit), strict=True)
        ]


def _one_apart(row: StandingsRow, shown: Row) -> Apart:
    evaluation = row.evaluation
    fields = condition_labels(evaluation.differing_fields)
    return Apart(row=shown, reason=_reason(evaluation), fields=fields)


def _reason(evaluation: Evaluation) -> str | Promise:
    if evaluation.provenance == "baseline":
        return _("Baseline: marks the floor or the ceiling of the snapshot.")
    if evaluation.provenance == "self-reported":
        return _("Self-reported: nobody here has evaluated it.")
    if evaluation.scripted:
        return _("A script stood in the place of the model.")
    if evaluation.unverified:
        return _("Unverified: completed task runs lack their trajectory.")
    return _("Measured under other conditions than the snapshot's.")
