"""What a page says of all rows of a table together, whichever it shows."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, NamedTuple

from leaderboard.charts.cost import frontier
from leaderboard.metrics import Scope, on_one_scale
from leaderboard.models import EvaluationSnapshot
from leaderboard.ranking.orders import SOURCES
from leaderboard.standings import Standings, StandingsRow
from leaderboard.tables.version import data_version

NAMED_LEADERS = 12
FIGURE_ROWS = 40


class Denominator(NamedTuple):
    task_count: int
    f_point_count: int


class Bounds(NamedTuple):
    """The lowest and the highest of some rates."""

    low: Fraction
    high: Fraction


@dataclass(frozen=True, slots=True)
class Summary:
    """Facts of one table; rates are fractions of 1.

    ``runs`` bounds every single run, apart rows included, and ``means`` the means of
    the ranked rows by source. ``leading`` are the first names of the leading group.
    ``most_tokens`` is the largest mean per task, None where nothing was reported.
    """

    denominators: Mapping[Scope, Denominator]
    ranked_count: int
    apart_count: int
    struck_out_count: int
    runs: Bounds
    means: Mapping[Scope, Bounds]
    most_tokens: Fraction | None
    task_runs: int | None
    leading_count: int
    leading: Sequence[str]
    families: Sequence[str]
    providers: Sequence[str]
    agents: Sequence[str]
    provenances: Sequence[str]
    data_version: str

    def to_json(self) -> dict[str, Any]:
        return {
            "denominators": {k.value: list(v) for k, v in self.denominators.items()},
            "counts": [self.ranked_count, self.apart_count, self.struck_out_count],
            "runs": [str(value) for value in self.runs],
            "means": {k.value: [str(x) for x in v] for k, v in self.means.items()},
            "most_tokens": None if self.most_tokens is None else str(self.most_tokens),
            "task_runs": self.task_runs,
            "leading_count": self.leading_count,
            "leading": list(self.leading),
            "families": list(self.families),
            "providers": list(self.providers),
            "agents": list(self.agents),
            "provenances": list(self.provenances),
            "data_version": self.data_version,
        }

    @classmethod
    def from_json(cls, found: Mapping[str, Any]) -> Summary:
        ranked, apart, struck_out = found["counts"]
        tokens = found["most_tokens"]
        return cls(
            # PostgreSQL keeps JSON in an order of its own; columns stand in ours.
            denominators={
                scope: Denominator(*found["denominators"][scope])
                for scope in Scope
                if scope in found["denominators"]
            },
            ranked_count=ranked,
            apart_count=apart,
            struck_out_count=struck_out,
            runs=Bounds(*map(Fraction, found["runs"])),
            means={
                source: Bounds(*map(Fraction, found["means"][source]))
                for source in SOURCES
                if source in found["means"]
            },
            most_tokens=None if tokens is None else Fraction(tokens),
            task_runs=found["task_runs"],
            leading_count=found["leading_count"],
            leading=found["leading"],
            families=found["families"],
            providers=found["providers"],
            # Tables that an earlier release stored do not name them.
            agents=found.get("agents", []),
            provenances=found["provenances"],
            data_version=found["data_version"],
        )


def summarize(table: Standings, *, version: str | None = None) -> Summary:
    """The facts of ``table``; a query unless its snapshot knows its scopes.

    ``version`` is the data version, which all tables of one reading share.
    """
    everything = [*table.rows, *table.unranked]
    tokens = [row.in_scope.tokens_per_task for row in everything]
    leading = [row for row in table.rows if row.leading_group]
    configurations = [row.evaluation.configuration for row in everything]
    return Summary(
        denominators=denominators(table.snapshot),
        ranked_count=len(table.rows),
        apart_count=len(table.unranked),
        struck_out_count=len(table.withdrawn),
        runs=_runs(everything),
        means={
            source: _means(table.rows, source)
            for source in SOURCES
            if table.scope == Scope.OVERALL
        },
        most_tokens=max((each for each in tokens if each is not None), default=None),
        task_runs=table.rows[0].in_scope.task_runs if table.rows else None,
        leading_count=len(leading),
        leading=[row.evaluation.configuration.model for row in leading[:NAMED_LEADERS]],
        families=_distinct(each.family for each in configurations),
        providers=_distinct(each.provider for each in configurations),
        agents=_distinct(each.agent_name for each in configurations),
        provenances=_distinct(row.evaluation.provenance for row in everything),
        data_version=version or data_version(table),
    )


def denominators(snapshot: EvaluationSnapshot) -> dict[Scope, Denominator]:
    """Tasks and F-points of the scopes that ``snapshot`` has, in their order."""
    found = {row.scope: row for row in snapshot.scope_rows}
    return {
        scope: Denominator(found[scope].task_count, found[scope].f_point_count)
        for scope in Scope
        if scope in found
    }


def figure_rows(rows: Sequence[StandingsRow]) -> list[StandingsRow]:
    """The first of ``rows``, and further down those whom none beats on both axes.

    Thousands of points in one drawing could not be told apart.
    """
    best = {row.evaluation.pk for axis in (_tokens, _time) for row in _best(rows, axis)}
    return [
        row
        for place, row in enumerate(rows)
        if place < FIGURE_ROWS or row.evaluation.pk in best
    ]


class _Point(NamedTuple):
    cost: int
    mean: int
    row: StandingsRow


def _tokens(row: StandingsRow) -> Fraction | None:
    return row.in_scope.tokens_per_task


def _time(row: StandingsRow) -> Fraction | None:
    return row.in_scope.seconds_per_task


def _best(rows: Sequence[StandingsRow], axis: Any) -> list[StandingsRow]:
    priced = [row for row in rows if axis(row) is not None]
    costs = on_one_scale([axis(row) for row in priced])
    means = on_one_scale([row.in_scope.task_completion.mean for row in priced])
    points = map(_Point, costs, means, priced)
    return [point.row for point in frontier(list(points))]


def _runs(rows: Sequence[StandingsRow]) -> Bounds:
    ranges = [row.in_scope.task_completion for row in rows]
    return Bounds(
        min((each.low for each in ranges), default=Fraction(0)),
        max((each.high for each in ranges), default=Fraction(1)),
    )


def _means(rows: Sequence[StandingsRow], source: Scope) -> Bounds:
    means = [
        row.figures[source].task_completion.mean
        for row in rows
        if source in row.figures
    ]
    return Bounds(min(means), max(means)) if means else Bounds(Fraction(0), Fraction(0))


def _distinct(values: Iterable[str]) -> list[str]:
    return sorted({value for value in values if value}, key=str.casefold)
