"""What of a snapshot's standings a query asks for: read once for page and files."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from django.http import QueryDict

from leaderboard.as_of import AsOf, day_from, standings_day
from leaderboard.forms import StandingsForm
from leaderboard.metrics import Scope
from leaderboard.models import EvaluationSnapshot, SnapshotScope
from leaderboard.presenters.columns import Columns, chosen_columns
from leaderboard.presenters.ordering import chosen_sort, ordered
from leaderboard.presenters.rows import SOURCES
from leaderboard.standings import Standings, StandingsRow, standings


@dataclass(frozen=True, slots=True)
class Selection:
    """``rows`` are ranked and ``apart`` are not; both filtered, ranks untouched.

    ``query`` is what was asked in its shortest form; ``ignored`` are names and values
    that mean nothing here.
    """

    snapshot: EvaluationSnapshot
    query: QueryDict
    denominators: Mapping[str, SnapshotScope]
    as_of: AsOf | None
    table: Standings
    form: StandingsForm
    sort: str
    columns: Columns
    cost_axis: str
    rows: Sequence[StandingsRow]
    apart: Sequence[StandingsRow]
    ignored: Sequence[tuple[str, str]]

    @property
    def scope(self) -> Scope:
        return self.table.scope


def select(snapshot: EvaluationSnapshot, query: QueryDict) -> Selection:
    """Read ``query``; AsOfError where it names a day without standings."""
    ignored: list[tuple[str, str]] = []
    denominators = {scope.scope: scope for scope in snapshot.scopes.all()}
    scope = _scope(query, denominators, ignored=ignored)
    as_of = _as_of(snapshot, query, ignored=ignored)
    table = standings(snapshot, scope, until=as_of.until if as_of else None)
    form = _form(query, [*table.rows, *table.unranked])
    sort = chosen_sort(query, ignored)
    broken_down = [source for source in SOURCES if source.value in denominators]
    columns = chosen_columns(
        query,
        sources=broken_down if scope == Scope.OVERALL else (),
        ignored=ignored,
    )
    return Selection(
        snapshot=snapshot,
        query=_tidy(query, columns),
        denominators=denominators,
        as_of=as_of,
        table=table,
        form=form,
        sort=sort,
        columns=columns,
        cost_axis=_cost_axis(query, ignored),
        rows=ordered([row for row in table.rows if _matches(row, form)], sort),
        # As the page has them: its own table for what is not verified, first.
        apart=sorted(
            (row for row in table.unranked if _matches(row, form)),
            key=lambda row: not row.evaluation.unverified,
        ),
        ignored=[*ignored, *form.ignored],
    )


def _scope(
    query: QueryDict,
    known: Mapping[str, SnapshotScope],
    *,
    ignored: list[tuple[str, str]],
) -> Scope:
    wanted = query.get("source", "") or Scope.OVERALL.value
    if wanted in known or wanted == Scope.OVERALL:
        return Scope(wanted)
    ignored.append(("source", wanted[:80]))
    return Scope.OVERALL


def _as_of(
    snapshot: EvaluationSnapshot,
    query: QueryDict,
    *,
    ignored: list[tuple[str, str]],
) -> AsOf | None:
    wanted = query.get("as_of", "")
    day = day_from(wanted)
    if day is not None:
        return standings_day(snapshot, day)
    if wanted:
        ignored.append(("as_of", wanted[:80]))
    return None


def _cost_axis(query: QueryDict, ignored: list[tuple[str, str]]) -> str:
    wanted = query.get("cost", "") or "tokens"
    if wanted in {"tokens", "time"}:
        return wanted
    ignored.append(("cost", wanted[:80]))
    return "tokens"


def _form(query: QueryDict, rows: Sequence[StandingsRow]) -> StandingsForm:
    configurations = [row.evaluation.configuration for row in rows]
    return StandingsForm(
        query,
        families=_distinct(each.family for each in configurations),
        providers=_distinct(each.provider for each in configurations),
        provenances=_distinct(row.evaluation.provenance for row in rows),
    )


def _distinct(values: Iterable[str]) -> list[str]:
    return sorted({value for value in values if value}, key=str.casefold)


def _matches(row: StandingsRow, form: StandingsForm) -> bool:
    found = row.evaluation.configuration
    text = f"{found.model} {found.provider} {found.family} {found.agent_name}"
    return (
        form.chosen("q").casefold().strip() in text.casefold()
        and form.chosen("family") in {"", found.family}
        and form.chosen("provider") in {"", found.provider}
        and form.chosen("provenance") in {"", row.evaluation.provenance}
    )


def _tidy(query: QueryDict, columns: Columns) -> QueryDict:
    """A copy without empty values, with the columns in their shortest form."""
    tidy = query.copy()
    for name in [name for name in tidy if not tidy.get(name)]:
        del tidy[name]
    tidy.pop("columns", None)
    if columns.in_query is not None:
        tidy["columns"] = columns.in_query
    return tidy
