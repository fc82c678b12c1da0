"""Standings as one flat table: a line a configuration, a typed field a fact.

Files of every kind are written from it, so that they hold the same cells.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from leaderboard.standings import StandingsRow
from leaderboard.tables.columns import (
    completion_fields,
    fields_of_column,
    name_fields,
    rank_fields,
)
from leaderboard.tables.fields import Field, constant


@dataclass(frozen=True, slots=True)
class FlatTable:
    """``about`` says what the table is; ``rows`` hold a value for each field."""

    about: Mapping[str, str]
    fields: Sequence[Field]
    rows: Sequence[Sequence[Any]]


def flat_table(
    rows: Iterable[StandingsRow],
    columns: Collection[str],
    *,
    about: Mapping[str, str],
    site: str,
) -> FlatTable:
    """``rows`` with the fields of ``columns`` (keys of the page's table).

    ``about`` stands in every line too. ``site`` is what addresses begin with.
    """
    fields = [
        *rank_fields(),
        *name_fields(site),
        *completion_fields(),
        *(field for key in columns for field in fields_of_column(key)),
        *(constant(name, value) for name, value in about.items()),
    ]
    lines = [[field.value(row) for field in fields] for row in rows]
    return FlatTable(about, fields, lines)
