"""One fact of a row as a typed field, and a rate as three of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal, NamedTuple

from leaderboard.models import Configuration, Evaluation
from leaderboard.standings import ScopeFigures, StandingsRow

Kind = Literal["int64", "double", "string", "bool", "list<int64>"]


class Field(NamedTuple):
    """One field: its type, what it means, and its value for a row (None = unknown).

    Which class a row has is the table's affair.
    """

    name: str
    kind: Kind
    meaning: str
    value: Callable[[Any], Any]


def fact(
    name: str, kind: Kind, meaning: str, value: Callable[[Evaluation], Any]
) -> Field:
    return Field(name, kind, meaning, lambda row: value(row.evaluation))


def text(
    name: str, meaning: str, value: Callable[[Configuration], str | None]
) -> Field:
    return Field(
        name, "string", meaning, lambda row: value(row.evaluation.configuration)
    )


def figure(name: str, meaning: str, value: Callable[[ScopeFigures], int]) -> Field:
    return Field(name, "int64", meaning, lambda row: value(row.in_scope))


def constant(name: str, value: str) -> Field:
    return Field(name, "string", "the same in every line", lambda row: value)


class Rate(NamedTuple):
    """Exact: a whole numerator (None = not reported) over a whole denominator."""

    numerator: int | None
    denominator: int


def rate(
    name: str, meaning: str, value: Callable[[StandingsRow], Rate | None]
) -> list[Field]:
    def numerator(row: StandingsRow) -> int | None:
        found = value(row)
        return None if found is None else found.numerator

    def denominator(row: StandingsRow) -> int | None:
        found = value(row)
        return None if found is None else found.denominator

    def quotient(row: StandingsRow) -> float | None:
        found = value(row)
        if found is None or found.numerator is None:
            return None
        return found.numerator / found.denominator

    return [
        Field(name, "double", meaning, quotient),
        Field(f"{name}_numerator", "int64", f"{name}: exact numerator", numerator),
        Field(f"{name}_denominator", "int64", f"{name}: its denominator", denominator),
    ]
