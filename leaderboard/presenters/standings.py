"""The leaderboard page of one snapshot and scope: table, notes and figures."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from fractions import Fraction
from typing import NamedTuple

from django.http import QueryDict
from django.utils.functional import Promise
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from leaderboard.as_of import AsOf, today
from leaderboard.charts import RunAxis, run_axis
from leaderboard.formats import MILLION, percent, token_unit
from leaderboard.forms import StandingsForm
from leaderboard.ignored import Ignored
from leaderboard.late import Keyed, Late, address
from leaderboard.metrics import Scope
from leaderboard.models import EvaluationSnapshot
from leaderboard.presenters.beside import Beside
from leaderboard.presenters.columns import LABELS, Columns
from leaderboard.presenters.conditions import condition_labels
from leaderboard.presenters.figure_files import figure_links
from leaderboard.presenters.files import file_links
from leaderboard.presenters.lines import Body
from leaderboard.presenters.ordering import (
    Heading,
    headings,
    href,
    sort_choices,
)
from leaderboard.presenters.paging import Paging, paging
from leaderboard.presenters.printed import Difference, describe_differences
from leaderboard.presenters.rows import Row, present_rows
from leaderboard.presenters.selection import Selection
from leaderboard.presenters.share import embed_snippet
from leaderboard.ranking.lines import Line
from leaderboard.ranking.orders import SOURCES
from leaderboard.ranking.summary import Denominator

NAMED_IN_TIES = 8


class Tab(NamedTuple):
    scope: Scope
    task_count: int
    href: str
    current: bool


class SourceColumn(NamedTuple):
    key: str
    label: str | Promise
    heading: Heading


class Tie(NamedTuple):
    """Rows that share a rank; ``names`` is empty where they are too many to name."""

    names: str
    row_count: int
    completed_count: int
    task_runs: int
    rank: int


class Printed(NamedTuple):
    name: str
    differences: Sequence[Difference]


class StruckOutSince(NamedTuple):
    model: str
    day: str
    reason: str


class Declared(NamedTuple):
    """A decision by which rows are ranked though their conditions differ."""

    names: str
    fields: str
    reason: str
    day: str


@dataclass(frozen=True, slots=True)
class StandingsPage:
    selection: Selection
    snapshot: EvaluationSnapshot
    scope: Scope
    tabs: Sequence[Tab]
    form: StandingsForm
    sort: str
    ignored: Sequence[Ignored]
    sort_choices: Keyed
    headings: Mapping[str, Heading]
    axis: RunAxis
    unit: int
    rows: Sequence[Row]
    body: Body
    beside: Beside
    paging: Paging | None
    match_count: int
    ranked_count: int
    declared: Sequence[Declared]
    struck_out_since: Sequence[StruckOutSince]
    ties: Sequence[Tie]
    leading: Sequence[str]
    unnamed_leaders: int
    printed: Sequence[Printed]
    resolution: str
    reaching_count: int
    task_count: int
    f_point_count: int
    repository_count: int | None
    cost_axis: str
    cost_links: Mapping[str, str]
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
        shown = self.columns.shown
        return {key: key in shown for key in LABELS}

    @property
    def figure_links(self) -> dict[str, dict[str, str]]:
        """The figures as files, of all ranked rows as they are drawn here."""
        return figure_links(self.selection, whole=True)

    @property
    def page_number(self) -> int:
        return self.selection.page

    @property
    def day(self) -> date | None:
        return self.as_of.day if self.as_of else None

    @property
    def is_paged(self) -> bool:
        return self.paging is not None

    @property
    def column_choices(self) -> Keyed:
        """What the menu of columns offers, and what it keeps for other tables."""
        return Keyed((self.columns.chosen, self.columns.offered), self.columns)

    @property
    def keyed_axis(self) -> Keyed:
        return Keyed(self.axis.grid, self.axis)

    @property
    def fields(self) -> list[Keyed]:
        """The filters, each by its table and its value."""
        table = self.selection.table.key
        return [
            Keyed(None if table is None else (table, field.name, field.value()), field)
            for field in self.form
            if field.name != "agent" or self.form.offers_agents
        ]

    @property
    def figures(self) -> Keyed:
        """This page, for the figures that follow from table and cost axis."""
        table = self.selection.table.key
        return Keyed(None if table is None else (table, self.cost_axis), self)

    @property
    def rows_apart(self) -> Keyed:
        """What stands apart, by its table and the filters.

        Not for a text that is searched: there is no end of them.
        """
        selection = self.selection
        asked, table = selection.asked, selection.table.key
        if table is None or (asked.needle and self.beside.has_others):
            return Keyed(None, self.beside)
        narrowed = (asked.family, asked.provider, asked.agent, asked.provenance)
        return Keyed((table, selection.page == 1, narrowed), self.beside)

    @property
    def shown_count(self) -> int:
        return self.selection.found.shown_count

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
        lines = self.body.lines
        return SafeString(lines[0].cell("task_runs")) if lines else ""

    @property
    def tasks_in_scope(self) -> int:
        return next((tab.task_count for tab in self.tabs if tab.current), 0)

    @property
    def unordered(self) -> bool:
        """Whether the order of the runs of some shown row was not published."""
        return any(not line.shape.in_order for line in self.body.lines)


def standings_page(selection: Selection) -> StandingsPage:
    """Words, figures and links around the rows of ``selection``."""
    snapshot, query, found = selection.snapshot, selection.query, selection.found
    summary = selection.summary
    axis = run_axis([summary.runs])
    unit = token_unit(summary.most_tokens)
    lines, beside = found.lines, Beside(selection, unit=unit)
    total = summary.denominators.get(Scope.OVERALL)
    return StandingsPage(
        selection=selection,
        snapshot=snapshot,
        scope=selection.scope,
        tabs=_tabs(summary.denominators, selection.scope, query=query),
        form=selection.form,
        sort=selection.sort,
        ignored=selection.ignored,
        sort_choices=Keyed(selection.sort, lambda: sort_choices(selection.sort)),
        headings=headings(query, selection.sort),
        axis=axis,
        unit=unit,
        rows=present_rows(found.rows, unit),
        body=Body(
            lines,
            shown=selection.columns.shown,
            axis=axis,
            unit=unit,
            sort=selection.sort,
            leading_count=summary.leading_count,
        ),
        beside=beside,
        paging=paging(selection),
        match_count=found.match_count,
        ranked_count=summary.ranked_count,
        declared=_declared(lines),
        struck_out_since=_struck_out_since(selection, beside),
        ties=_ties(lines),
        leading=summary.leading,
        unnamed_leaders=summary.leading_count - len(summary.leading),
        printed=_printed(lines),
        resolution=_resolution(summary.task_runs),
        reaching_count=summary.leading_count,
        task_count=total.task_count if total else 0,
        f_point_count=total.f_point_count if total else 0,
        repository_count=snapshot.composition.get("overall", {}).get("repositories"),
        cost_axis=selection.cost_axis,
        cost_links={name: href(query, cost=name) for name in ("tokens", "time")},
        clear_href=href(
            query,
            q=None,
            family=None,
            provider=None,
            agent=None,
            provenance=None,
            page=None,
        ),
        file_links=file_links(selection),
        here=Late(snapshot.get_absolute_url() + href(query).removesuffix("?")),
        embed=embed_snippet(selection),
        frozen_href=_frozen_href(selection),
        explore_href=Late(
            address("explore") + href(query, snapshot=snapshot.version, page=None)
        ),
        now_href=href(query, as_of=None, page=None),
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


def _tabs(
    known: Mapping[Scope, Denominator], current: Scope, *, query: QueryDict
) -> list[Tab]:
    return [
        Tab(
            scope=scope,
            task_count=known[scope].task_count,
            href=href(
                query,
                source=None if scope == Scope.OVERALL else scope.value,
                page=None,
            ),
            current=scope == current,
        )
        for scope in Scope
        if scope in known
    ]


def _name(line: Line) -> SafeString:
    return SafeString(line.cell("model"))


def _names(lines: Iterable[Line]) -> SafeString:
    return SafeString(_(", ").join(map(_name, lines)))


def _ties(lines: Sequence[Line]) -> list[Tie]:
    """The ties of the shown rows, named where all of them are shown and few."""
    by_rank: dict[int, list[Line]] = {}
    for line in lines:
        if line.rank is not None and line.tied_count > 1:
            by_rank.setdefault(line.rank, []).append(line)
    ties = []
    for rank, tied in sorted(by_rank.items()):
        first, count = tied[0], tied[0].tied_count
        names = _names(tied) if len(tied) == count <= NAMED_IN_TIES else ""
        ties.append(Tie(names, count, first.completed_count, first.task_runs, rank))
    return ties


def _declared(lines: Sequence[Line]) -> list[Declared]:
    """The decisions by which some of ``lines`` are ranked, with their names."""
    by_decision: dict[int, list[Line]] = {}
    for line in lines:
        if line.decision is not None:
            by_decision.setdefault(line.decision.key, []).append(line)
    return [
        Declared(
            names=_names(let_in),
            fields=condition_labels(first.decision.fields),
            reason=first.decision.reason,
            day=first.decision.day,
        )
        for let_in in by_decision.values()
        if (first := let_in[0]).decision is not None
    ]


def _struck_out_since(selection: Selection, beside: Beside) -> list[StruckOutSince]:
    """Rows of an earlier day that were struck out later."""
    if selection.as_of is None:
        return []
    return [
        *(
            StruckOutSince(_name(line), *line.struck_out)
            for line in selection.found.lines
            if line.struck_out
        ),
        *(
            StruckOutSince(
                each.configuration.model,
                f"{each.struck_out_at:%Y-%m-%d}",
                each.withdrawn_reason,
            )
            for each in beside.struck_out_since
        ),
    ]


def _printed(lines: Sequence[Line]) -> list[Printed]:
    return [
        Printed(_name(line), describe_differences(line.differences))
        for line in lines
        if line.differences
    ]


def _resolution(task_runs: int | None) -> str:
    """What one task run is worth, in percent points."""
    return percent(Fraction(1, task_runs)) if task_runs else ""
