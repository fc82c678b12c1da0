"""A ranking from stored places: what a page costs does not grow with the table."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from django.db.models import Count, F, OrderBy, Q, QuerySet, Subquery

from leaderboard.metrics import Scope
from leaderboard.models import (
    Evaluation,
    EvaluationSnapshot,
    Part,
    ScopeTotals,
    StoredPlace,
)
from leaderboard.models.results import Strike
from leaderboard.ranking.asked import Asked, Found
from leaderboard.ranking.documents import Documents
from leaderboard.ranking.line_query import texts_of_lines, texts_of_matching_lines
from leaderboard.ranking.lines import from_texts
from leaderboard.ranking.orders import DEFAULT_SORT, column_of
from leaderboard.ranking.summary import Summary
from leaderboard.standings import FiguresByScope, StandingsRow

_BESIDE = ~Q(part=Part.RANKED) | Q(in_figures=True)


@dataclass(frozen=True, slots=True)
class StoredRanking:
    """The table with the primary key ``key``; its caller knows that it still holds."""

    key: int
    snapshot: EvaluationSnapshot
    scope: Scope
    summary: Summary

    def find(self, asked: Asked) -> Found:
        """One query, or two where rows are filtered or ordered in another way."""
        first = not asked.offset
        if asked.narrows or asked.sort != DEFAULT_SORT:
            rows = list(self._asked(self._places(), asked))
            count = self._count(asked, rows)
            beside = list(self._places().filter(_BESIDE)) if first else []
            return self._found(asked, count, rows=rows, beside=beside)
        wanted = self._span(asked)
        beside = list(self._places().filter(wanted | _BESIDE if first else wanted))
        rows = [
            place
            for place in beside
            if place.part == Part.RANKED and self._in_span(asked, place.position)
        ]
        return self._found(
            asked, self.summary.ranked_count, rows=rows, beside=beside if first else []
        )

    def lines(self, asked: Asked) -> Found:
        """One query."""
        if asked.narrows:
            texts, count = texts_of_matching_lines(self.key, asked)
        else:
            count = self.summary.ranked_count
            found = asked if asked.offset < count else asked.from_row(0)
            texts = texts_of_lines(self.key, found)
        return Found((), count, lines=from_texts(texts))

    def beside(self, asked: Asked) -> Found:
        """One query."""
        places = list(self._places().filter(_BESIDE))
        return self._found(asked, 0, rows=[], beside=places)

    def documents(self, asked: Asked) -> Documents:
        """One query. The API neither filters nor orders otherwise."""
        wanted = self._span(asked)
        if not asked.offset:
            wanted |= ~Q(part=Part.RANKED)
        places = StoredPlace.objects.filter(wanted, table=self.key).order_by("position")
        found: dict[str, list[str]] = {part: [] for part in Part}
        for part, document in places.values_list("part", "line__document"):
            found[part].append(document)
        return Documents(
            found[Part.RANKED],
            self.summary.ranked_count,
            found[Part.APART],
            found[Part.STRUCK_OUT],
        )

    def _span(self, asked: Asked) -> Q:
        """The ranked rows from the first to the last one asked for, by rank."""
        end = self._end(asked)
        return Q(part=Part.RANKED, position__gte=asked.offset, position__lt=end)

    def _in_span(self, asked: Asked, position: int) -> bool:
        return asked.offset <= position < self._end(asked)

    def _end(self, asked: Asked) -> int:
        if asked.limit is None:
            return self.summary.ranked_count
        return asked.offset + asked.limit

    def _asked(
        self, places: QuerySet[StoredPlace], asked: Asked
    ) -> QuerySet[StoredPlace]:
        """Those of ``places`` that are asked for, in that order; each knows how many
        match altogether where the rows are narrowed."""
        order = _order(asked.sort)
        matching = StoredPlace.objects.filter(table=self.key, **_matching(asked))
        end = None if asked.limit is None else asked.offset + asked.limit
        # The long texts of a row are read for the asked ones alone.
        chosen = matching.order_by(*order)[asked.offset : end]
        if asked.narrows:
            count = matching.order_by().values("table").annotate(n=Count("pk"))
            places = places.annotate(match_count=Subquery(count.values("n")))
        return places.filter(pk__in=chosen.values("pk")).order_by(*order)

    def _count(self, asked: Asked, rows: Sequence[StoredPlace]) -> int:
        if not asked.narrows:
            return self.summary.ranked_count
        return rows[0].match_count if rows else 0  # type: ignore[attr-defined]  # annotated

    def _places(self) -> QuerySet[StoredPlace]:
        found = StoredPlace.objects.filter(table=self.key).order_by("position")
        return found.select_related("evaluation__configuration", "decision")

    def _found(
        self,
        asked: Asked,
        count: int,
        *,
        rows: Iterable[StoredPlace],
        beside: Iterable[StoredPlace],
    ) -> Found:
        parts: dict[str, list[StoredPlace]] = {part: [] for part in Part}
        for place in beside:
            parts[place.part].append(place)
        return Found(
            rows=[self._row(place) for place in rows],
            match_count=count,
            apart=[
                self._row(place)
                for place in parts[Part.APART]
                if asked.matches(place.evaluation)
            ],
            strikes=_strikes(parts[Part.STRUCK_OUT]),
            in_figures=[
                self._row(place) for place in parts[Part.RANKED] if place.in_figures
            ],
        )

    def _row(self, place: StoredPlace) -> StandingsRow:
        best, worst = place.best_rank, place.worst_rank
        return StandingsRow(
            evaluation=place.evaluation,
            figures=FiguresByScope(
                ScopeTotals(scope=scope, **place.totals[scope])
                for scope in Scope
                if scope in place.totals
            ),
            scope=self.scope,
            decision=place.decision,
            rank=place.rank,
            tied_count=place.tied_count,
            rank_span=None if best is None or worst is None else (best, worst),
            leading_group=place.leading_group,
        )


def _matching(asked: Asked) -> dict[str, str]:
    """The ranked rows that are asked for, as what a filter takes."""
    wanted = {
        "search__contains": asked.needle,
        "family": asked.family,
        "provider": asked.provider,
        "provenance": asked.provenance,
        "evaluation__configuration__agent_name": asked.agent,
    }
    return {"part": Part.RANKED, **{name: it for name, it in wanted.items() if it}}


def _order(sort: str) -> list[OrderBy | str]:
    if sort == DEFAULT_SORT:
        return ["position"]
    column = F(column_of(sort.removeprefix("-")))
    falling = sort.startswith("-")
    return [
        OrderBy(column, descending=falling, nulls_last=True),
        "position",
    ]


def _strikes(places: Iterable[StoredPlace]) -> list[tuple[Evaluation, Strike]]:
    found = [(place.evaluation, place.evaluation.strike()) for place in places]
    return [(evaluation, strike) for evaluation, strike in found if strike is not None]
