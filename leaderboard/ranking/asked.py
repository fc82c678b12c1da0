"""What of a table is asked for, and what is found."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from leaderboard.models import Configuration, Evaluation
from leaderboard.models.results import Strike
from leaderboard.ranking.lines import Line
from leaderboard.ranking.orders import DEFAULT_SORT
from leaderboard.standings import StandingsRow

PAGE_ROWS = 100


@dataclass(frozen=True, slots=True)
class Asked:
    """Which ranked rows, in which order, from where, and how many (None = all).

    Empty texts do not filter. Rows apart are filtered as well, never struck out ones.
    """

    q: str = ""
    family: str = ""
    provider: str = ""
    agent: str = ""
    provenance: str = ""
    sort: str = DEFAULT_SORT
    offset: int = 0
    limit: int | None = PAGE_ROWS

    def from_row(self, offset: int) -> Asked:
        return replace(self, offset=offset)

    @property
    def narrows(self) -> bool:
        chosen = (self.family, self.provider, self.agent, self.provenance)
        return any((self.needle, *chosen))

    @property
    def needle(self) -> str:
        return self.q.casefold().strip()

    def matches(self, evaluation: Evaluation) -> bool:
        found = evaluation.configuration
        return (
            self.needle in search_text(found)
            and self.family in {"", found.family}
            and self.provider in {"", found.provider}
            and self.agent in {"", found.agent_name}
            and self.provenance in {"", evaluation.provenance}
        )


class Found(NamedTuple):
    """``rows`` of the ``match_count`` ranked ones that match, and what is beside them.

    Beside the first rows stand those ``apart``, the strikes, and the rows of the
    figures; further rows come alone. A page gets ``lines`` in place of rows.
    """

    rows: Sequence[StandingsRow]
    match_count: int
    apart: Sequence[StandingsRow] = ()
    strikes: Sequence[tuple[Evaluation, Strike]] = ()
    in_figures: Sequence[StandingsRow] = ()
    lines: Sequence[Line] = ()

    @property
    def shown_count(self) -> int:
        return len(self.rows) + len(self.lines)


def search_text(found: Configuration) -> str:
    """The text that a search looks into, casefolded."""
    parts = (found.model, found.provider, found.family, found.agent_name)
    return " ".join(parts).casefold()
