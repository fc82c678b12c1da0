"""Rows of the API as JSON texts: written once, and put together when they are read."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, NamedTuple

from leaderboard.models import Evaluation
from leaderboard.models.results import Strike
from leaderboard.ranking.asked import Found
from leaderboard.standings import StandingsRow, row_as_dict, strike_as_dict


class Documents(NamedTuple):
    """What was asked for, as JSON texts of single rows.

    Beside the first of the ``match_count`` ranked ones stand the others.
    """

    results: Sequence[str]
    match_count: int
    unranked: Sequence[str]
    withdrawn: Sequence[str]


def documents_of(found: Found) -> Documents:
    return Documents(
        [row_document(row) for row in found.rows],
        found.match_count,
        [row_document(row) for row in found.apart],
        [strike_document(*each) for each in found.strikes],
    )


def row_document(row: StandingsRow) -> str:
    return as_json(row_as_dict(row))


def strike_document(evaluation: Evaluation, strike: Strike) -> str:
    return as_json(strike_as_dict(evaluation, strike))


def as_json(document: dict[str, Any]) -> str:
    """The text that the API's own renderer makes of ``document``."""
    text = json.dumps(
        document, ensure_ascii=False, allow_nan=False, separators=(",", ":")
    )
    # Inside of strings only, where scripts take them for ends of lines.
    return text.replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")
