"""The leaderboard page of one snapshot and scope: table, notes and figures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from fractions import Fraction
from typing import Any, NamedTuple

from django.http import QueryDict
from django.urls import reverse
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from leaderboard.as_of import AsOf, today
from leaderboard.charts import (
    CostPoint,
    CostScatter,
    RunAxis,
    SourceDots,
    cost_scatter,
    run_axis,
)
from leaderboard.formats import MILLION, percent
from leaderboard.forms import StandingsForm
from leaderboard.metrics import Scope
from leaderboard.models import Evaluation, EvaluationSnapshot
from leaderboard.models.results import Strike
from leaderboard.presenters.columns import LABELS, Columns
from leaderboard.presenters.figures import cost_points, dots
from leaderboard.presenters.files import file_links
from leaderboard.presenters.ordering import (
    DEFAULT_SORT,
    Heading,
    headings,
    href,
    sort_choices,
)
from leaderboard.presenters.printed import Difference, describe_differences
from leaderboard.presenters.rows import SOURCES, Row, present_rows, token_unit
from leaderboard.presenters.selection import Selection
from leaderboard.presenters.share import embed_snippet
from leaderboard.standings import StandingsRow


class Tab(NamedTuple):
    scope: Scope
    task_count: int
    href: str
    current: bool


class SourceColumn(NamedTuple):
    key: str
    label: str | Promise
    heading: Heading


@dataclass(frozen=True, slots=True)
class Tie:
    names: str
    count: int
    task_runs: int
    rank: int


class Printed(NamedTuple):
    name: str
    differences: Sequence[Difference]


class Apart(NamedTuple):
    """A row outside the ranking and why it stands there."""

    row: Row
    reason: str | Promise
    fields: str


@dataclass(frozen=True, slots=True)
class StandingsPage:
    selection: Selection
    snapshot: EvaluationSnapshot
    scope: Scope
    tabs: Sequence[Tab]
    form: StandingsForm
    sort: str
    ignored: Sequence[tuple[str, str]]
    sort_choices: Sequence[tuple[str, str | Promise]]
    headings: Mapping[str, Heading]
    axis: RunAxis
    unit: int
    rows: Sequence[Row]
    ranked_count: int
    unverified: Sequence[Apart]
    apart: Sequence[Apart]
    strikes: Sequence[tuple[Evaluation, Strike]]
    struck_out_since: Sequence[Evaluation]
    ties: Sequence[Tie]
    leading: Sequence[str]
    printed: Sequence[Printed]
    resolution: str
    reaching_count: int
    task_count: int
    f_point_count: int
    repository_count: int | None
    by_default_order: bool
    cost_axis: str
    cost_links: Mapping[str, str]
    scatter: CostScatter | None
    scatter_small: CostScatter | None
    cost_points: Sequence[CostPoint]
    dots: SourceDots | None
    clear_href: str
    file_links: Mapping[str, str]
    here: str
    frozen_href: str
    explore_href: str
    embed: str
    now_href: str
    today: date

    @property
    def as_of(self) -> AsOf | None:
        return self.selection.as_of

    @property
    def columns(self) -> Columns:
        return self.selection.columns

    @property
    def kept(self) -> list[tuple[str, str]]:
        """What the form must hold where the menus with its fields are not shown."""
        names = ("columns", "as_of")
        query = self.selection.query
        return [(name, str(query[name])) for name in names if name in query]

    @property
    def shows(self) -> dict[str, bool]:
        """Whether each optional column is shown, by its key."""
        return {key: key in self.columns.shown for key in LABELS}

    @property
    def diagnostic(self) -> bool:
        return self.scope != Scope.OVERALL

    @property
    def unit_is_million(self) -> bool:
        return self.unit == MILLION

    @property
    def source_columns(self) -> list[SourceColumn]:
        """The sources that the snapshot has, in their order."""
        known = {tab.scope for tab in self.tabs}
        return [
            SourceColumn(
                each.value,
                LABELS[each.value],
                self.headings[each.value],
            )
            for each in SOURCES
            if each in known
        ]

    @property
    def shown_sources(self) -> list[SourceColumn]:
        """Those that are columns of the table, in the order of the cells of a row."""
        return [each for each in self.source_columns if each.key in self.columns.shown]

    @property
    def task_runs(self) -> str:
        """The denominator of the completed counts, where all rows share it."""
        return self.rows[0].figures.task_runs if self.rows else ""

    @property
    def tasks_in_scope(self) -> int:
        return next((tab.task_count for tab in self.tabs if tab.current), 0)

    @property
    def unordered(self) -> bool:
        """Whether the order of the runs of some shown row was not published."""
        return any(not row.runs_in_order for row in self.rows)


def standings_page(selection: Selection) -> StandingsPage:
    """Words, figures and links around the rows of ``selection``."""
    snapshot, table, query = selection.snapshot, selection.table, selection.query
    everything = [*table.rows, *table.unranked]
    unverified = [row for row in selection.apart if row.evaluation.unverified]
    apart = [row for row in selection.apart if not row.evaluation.unverified]
    axis = run_axis(row.in_scope.task_completion for row in everything)
    unit = token_unit(everything)
    points = cost_points(table.rows, selection.cost_axis, unit=unit)
    total = selection.denominators.get(Scope.OVERALL.value)
    return StandingsPage(
        selection=selection,
        snapshot=snapshot,
        scope=selection.scope,
        tabs=_tabs(selection.denominators, selection.scope, query=query),
        form=selection.form,
        sort=selection.sort,
        ignored=selection.ignored,
        sort_choices=sort_choices(selection.sort),
        headings=headings(query, selection.sort),
        axis=axis,
        unit=unit,
        rows=present_rows(
            selection.rows, axis=axis, unit=unit, sources=selection.columns.shown
        ),
        ranked_count=len(table.rows),
        unverified=_apart(unverified, axis=axis, unit=unit),
        apart=_apart(apart, axis=axis, unit=unit),
        strikes=table.strikes,
        struck_out_since=[
            row.evaluation for row in everything if row.evaluation.struck_out_at
        ],
        ties=_ties(table.rows),
        leading=[_name(row) for row in table.rows if row.leading_group],
        printed=_printed(table.rows),
        resolution=_resolution(table.rows),
        reaching_count=sum(row.leading_group for row in table.rows),
        task_count=total.task_count if total else 0,
        f_point_count=total.f_point_count if total else 0,
        repository_count=snapshot.composition.get("overall", {}).get("repositories"),
        by_default_order=selection.sort == DEFAULT_SORT,
        cost_axis=selection.cost_axis,
        cost_links={name: href(query, cost=name) for name in ("tokens", "time")},
        scatter=cost_scatter(points, small=False),
        scatter_small=cost_scatter(points, small=True),
        cost_points=points,
        dots=dots(table.rows),
        clear_href=href(query, q=None, family=None, provider=None, provenance=None),
        file_links=file_links(selection),
        here=snapshot.get_absolute_url() + href(query).removesuffix("?"),
        embed=embed_snippet(selection),
        frozen_href=_frozen_href(selection),
        explore_href=reverse("explore") + href(query, snapshot=snapshot.version),
        now_href=href(query, as_of=None),
        today=today(),
    )


def _frozen_href(selection: Selection) -> str:
    """The address that keeps showing this table: by snapshot, source and day."""
    query = QueryDict(mutable=True)
    if selection.scope != Scope.OVERALL:
        query["source"] = selection.scope.value
    day = selection.as_of.day if selection.as_of else today()
    query["as_of"] = day.isoformat()
    return f"{selection.snapshot.get_absolute_url()}?{query.urlencode()}"


def _tabs(known: Mapping[str, Any], current: Scope, *, query: QueryDict) -> list[Tab]:
    return [
        Tab(
            scope=scope,
            task_count=known[scope.value].task_count,
            href=href(query, source=None if scope == Scope.OVERALL else scope.value),
            current=scope == current,
        )
        for scope in Scope
        if scope.value in known
    ]


def _name(row: StandingsRow) -> str:
    return row.evaluation.configuration.model


def _ties(rows: Sequence[StandingsRow]) -> list[Tie]:
    ties = []
    for rank in sorted({row.rank for row in rows if row.rank is not None}):
        tied = [row for row in rows if row.rank == rank]
        if len(tied) > 1:
            found = tied[0].in_scope
            names = _(", ").join(_name(row) for row in tied)
            ties.append(Tie(names, found.completed_count, found.task_runs, rank))
    return ties


def _printed(rows: Sequence[StandingsRow]) -> list[Printed]:
    described = [(_name(row), describe_differences(row.in_scope)) for row in rows]
    return [Printed(name, found) for name, found in described if found]


def _resolution(rows: Sequence[StandingsRow]) -> str:
    """What one task run is worth, in percent points."""
    return percent(Fraction(1, rows[0].in_scope.task_runs)) if rows else ""


def _apart(rows: Sequence[StandingsRow], *, axis: RunAxis, unit: int) -> list[Apart]:
    return [
        Apart(
            row=shown,
            reason=_apart_reason(row.evaluation),
            fields=", ".join(str(name) for name in row.evaluation.differing_fields),
        )
        for row, shown in zip(
            rows, present_rows(rows, axis=axis, unit=unit), strict=True
        )
    ]


def _apart_reason(evaluation: Evaluation) -> str | Promise:
    if evaluation.provenance == "baseline":
        return _("Baseline: marks the floor or the ceiling of the snapshot.")
    if evaluation.provenance == "self-reported":
        return _("Self-reported: nobody here has evaluated it.")
    if evaluation.unverified:
        return _("Unverified: completed task runs lack their trajectory.")
    return _("Measured under other conditions than the snapshot's.")
