"""What of a snapshot's standings a query asks for: read once for page and files."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass

from django.http import QueryDict
from django.utils.translation import get_language

from leaderboard.as_of import AsOf, day_from, standings_day
from leaderboard.forms import StandingsForm
from leaderboard.ignored import Ignored, a_day, one_of, pages_up_to
from leaderboard.memory import Memory
from leaderboard.metrics import Scope
from leaderboard.models import EvaluationSnapshot
from leaderboard.presenters.columns import Columns, chosen_columns
from leaderboard.presenters.ordering import chosen_sort
from leaderboard.ranking.asked import PAGE_ROWS, Asked, Found
from leaderboard.ranking.orders import DEFAULT_SORT, SOURCES
from leaderboard.ranking.rankings import Ranking, ranking
from leaderboard.ranking.summary import Summary
from leaderboard.standings import StandingsRow

# Few: there is no end of texts that are searched, and a form holds all its choices.
_forms: Memory[StandingsForm] = Memory(size=100)
_PAGE_NUMBER = re.compile(r"[1-9][0-9]{0,6}", re.ASCII)


@dataclass(frozen=True, slots=True)
class Selection:
    """The ``found`` rows, filtered, with the ranks of the whole table.

    ``query`` is what was asked in its shortest form; ``ignored`` are names and values
    that mean nothing here. ``page`` counts from 1.
    """

    table: Ranking
    asked: Asked
    snapshot: EvaluationSnapshot
    scope: Scope
    query: QueryDict
    as_of: AsOf | None
    summary: Summary
    form: StandingsForm
    sort: str
    columns: Columns
    cost_axis: str
    page: int
    found: Found
    ignored: Sequence[Ignored]

    @property
    def rows(self) -> Sequence[StandingsRow]:
        return self.found.rows

    @property
    def apart(self) -> Sequence[StandingsRow]:
        """As a page has them: its own table for what is not verified, first."""
        return sorted(self.found.apart, key=lambda row: not row.evaluation.unverified)

    @property
    def is_plain(self) -> bool:
        """Whether it is the first page as it stands: not filtered, sorted, of a day."""
        as_it_stands = self.sort == DEFAULT_SORT and not self.form.narrows
        return as_it_stands and self.page == 1 and self.as_of is None

    @property
    def page_count(self) -> int:
        return _pages(self.found)


def select(
    snapshot: EvaluationSnapshot,
    query: QueryDict,
    *,
    whole: bool = False,
    as_lines: bool = False,
) -> Selection:
    """Read ``query``; AsOfError where it names a day without standings.

    One page of rows, or with ``whole`` all of them, as files hold them; ``as_lines``
    gives lines of a page and nothing that stands beside them.
    """
    ignored: list[Ignored] = []
    as_of = _as_of(snapshot, query, ignored=ignored)
    table = _ranking(snapshot, query, as_of, ignored=ignored)
    form = _form(query, table)
    sort = chosen_sort(query, ignored)
    columns = _columns(query, table, ignored=ignored)
    asked = Asked(
        q=form.chosen("q"),
        family=form.chosen("family"),
        provider=form.chosen("provider"),
        agent=form.chosen("agent"),
        provenance=form.chosen("provenance"),
        sort=sort,
        limit=None if whole else PAGE_ROWS,
    )
    page, found = _page(
        table.lines if as_lines else table.find,
        asked,
        wanted="" if whole else query.get("page", ""),
        row_count=table.summary.ranked_count,
        ignored=ignored,
    )
    return Selection(
        table=table,
        asked=asked,
        snapshot=snapshot,
        scope=table.scope,
        query=_tidy(query, columns, page=page),
        as_of=as_of,
        summary=table.summary,
        form=form,
        sort=sort,
        columns=columns,
        cost_axis=_cost_axis(query, ignored),
        page=page,
        found=found,
        ignored=[*ignored, *form.ignored],
    )


def _ranking(
    snapshot: EvaluationSnapshot,
    query: QueryDict,
    as_of: AsOf | None,
    *,
    ignored: list[Ignored],
) -> Ranking:
    """The table of the source that is asked for, overall where it has no such one."""
    wanted = query.get("source", "")
    until = as_of.until if as_of else None
    scope = Scope.OVERALL
    if wanted in {row.scope for row in snapshot.scope_rows}:
        scope = Scope(wanted)
    elif wanted not in {"", scope}:
        known = dict.fromkeys((scope, *(row.scope for row in snapshot.scope_rows)))
        ignored.append(Ignored("source", wanted, one_of(known)))
    return ranking(snapshot, scope, until=until)


def _as_of(
    snapshot: EvaluationSnapshot,
    query: QueryDict,
    *,
    ignored: list[Ignored],
) -> AsOf | None:
    wanted = query.get("as_of", "")
    day = day_from(wanted)
    if day is not None:
        return standings_day(snapshot, day)
    if wanted:
        ignored.append(Ignored("as_of", wanted, a_day()))
    return None


def _columns(query: QueryDict, table: Ranking, *, ignored: list[Ignored]) -> Columns:
    known = table.summary.denominators
    sources: Collection[str] = [source for source in SOURCES if source in known]
    if table.scope != Scope.OVERALL:
        sources = ()
    return chosen_columns(query, sources=sources, ignored=ignored)


def _page(
    find: Callable[[Asked], Found],
    asked: Asked,
    *,
    wanted: str,
    row_count: int,
    ignored: list[Ignored],
) -> tuple[int, Found]:
    """The page that is wanted and its number; the first where there is no such one."""
    number = int(wanted) if _PAGE_NUMBER.fullmatch(wanted) else 1
    offset = (number - 1) * PAGE_ROWS
    found = find(asked.from_row(offset)) if 0 < offset < row_count else None
    if found is not None and offset < found.match_count:
        return number, found
    # Lines are the first ones already where there are none as far down as asked.
    if found is None or not found.shown_count:
        found = find(asked)
    if wanted and wanted != "1":
        ignored.append(Ignored("page", wanted, pages_up_to(_pages(found))))
    return 1, found


def _pages(found: Found) -> int:
    return max(1, -(-found.match_count // PAGE_ROWS))


def _cost_axis(query: QueryDict, ignored: list[Ignored]) -> str:
    wanted = query.get("cost", "") or "tokens"
    if wanted in {"tokens", "time"}:
        return wanted
    ignored.append(Ignored("cost", wanted, one_of(["tokens", "time"])))
    return "tokens"


def _form(query: QueryDict, table: Ranking) -> StandingsForm:
    """The filters, remembered where the table is stored: most pages have the same."""
    summary = table.summary

    def make() -> StandingsForm:
        form = StandingsForm(
            query,
            families=summary.families,
            providers=summary.providers,
            agents=summary.agents,
            provenances=summary.provenances,
        )
        form.full_clean()
        return form

    if table.key is None:
        return make()
    given = [query.get(name) for name in StandingsForm.base_fields]
    return _forms.find((table.key, get_language(), *given), make)


def _tidy(query: QueryDict, columns: Columns, *, page: int) -> QueryDict:
    """A copy without empty values, with columns and page in their shortest form."""
    tidy = query.copy()
    for name in [name for name in tidy if not tidy.get(name)]:
        del tidy[name]
    shortest: Mapping[str, str | None] = {
        "columns": columns.in_query,
        "page": str(page) if page > 1 else None,
    }
    for name, value in shortest.items():
        tidy.pop(name, None)
        if value is not None:
            tidy[name] = value
    return tidy
