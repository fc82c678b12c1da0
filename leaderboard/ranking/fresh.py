"""A ranking from standings that were worked out for this reader."""

from __future__ import annotations

from dataclasses import dataclass

from leaderboard.metrics import Scope
from leaderboard.models import EvaluationSnapshot
from leaderboard.ranking.asked import Asked, Found
from leaderboard.ranking.documents import Documents, documents_of
from leaderboard.ranking.lines import LineStyle
from leaderboard.ranking.orders import ordered
from leaderboard.ranking.summary import Summary, figure_rows, summarize
from leaderboard.standings import Standings


@dataclass(frozen=True, slots=True)
class FreshRanking:
    """Reads every row of ``table``: for a day of the past, and for a short while after
    a change of the data."""

    table: Standings
    summary: Summary

    @classmethod
    def of(cls, table: Standings) -> FreshRanking:
        return cls(table, summarize(table))

    @property
    def key(self) -> None:
        return None

    @property
    def snapshot(self) -> EvaluationSnapshot:
        return self.table.snapshot

    @property
    def scope(self) -> Scope:
        return self.table.scope

    def find(self, asked: Asked) -> Found:
        matching = [row for row in self.table.rows if asked.matches(row.evaluation)]
        end = None if asked.limit is None else asked.offset + asked.limit
        rows = ordered(matching, asked.sort)[asked.offset : end]
        if asked.offset:
            return Found(rows, len(matching))
        apart = [row for row in self.table.unranked if asked.matches(row.evaluation)]
        return Found(
            rows,
            len(matching),
            apart=apart,
            strikes=self.table.strikes,
            in_figures=figure_rows(self.table.rows),
        )

    def lines(self, asked: Asked) -> Found:
        found, style = self.find(asked), LineStyle.of(self.summary)
        if not found.rows:
            found = self.find(asked.from_row(0))
        lines = [style.line(row) for row in found.rows]
        return Found((), found.match_count, lines=lines)

    def beside(self, asked: Asked) -> Found:
        return self.find(asked.from_row(0))._replace(rows=())

    def documents(self, asked: Asked) -> Documents:
        return documents_of(self.find(asked))
