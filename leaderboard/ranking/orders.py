"""By what the ranked rows of a table can be ordered."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import Any, TypeAlias

from leaderboard.metrics import Scope, on_one_scale
from leaderboard.standings import StandingsRow

SOURCES = (Scope.NEW_FEATURE, Scope.SPEC_DRIVEN, Scope.BUG_FIX)
DEFAULT_SORT = "-task_completion"
# Columns whose first click rises: names, and what is better when there is less of it.
_RISING = frozenset({"name", "tokens", "seconds"})
Value: TypeAlias = Callable[[StandingsRow], Any]


def _source_mean(source: Scope) -> Value:
    def mean(row: StandingsRow) -> Fraction | None:
        found = row.figures.get(source)
        return None if found is None else found.task_completion.mean

    return mean


# What a column sorts by; None = not reported, which comes last in both directions.
ORDERS: Mapping[str, Value] = {
    "name": lambda row: row.evaluation.configuration.model.casefold(),
    "task_completion": lambda row: row.in_scope.task_completion.mean,
    **{source.value: _source_mean(source) for source in SOURCES},
    "first_build": lambda row: row.in_scope.first_build,
    "final_build": lambda row: row.in_scope.final_build,
    "tokens": lambda row: row.in_scope.tokens_per_task,
    "seconds": lambda row: row.in_scope.seconds_per_task,
}


def first_and_second(key: str) -> tuple[str, str]:
    """The sort that a first click on the column asks for, and that of the next one."""
    return (key, f"-{key}") if key in _RISING else (f"-{key}", key)


def column_of(key: str) -> str:
    """The column of :class:`StoredPlace` that holds the order by ``key``."""
    return f"by_{key.replace('-', '_')}"


def ordered(rows: Sequence[StandingsRow], sort: str) -> list[StandingsRow]:
    """Sort stably on top of rank order; ``-`` in front of the key falls."""
    if sort == DEFAULT_SORT:
        return list(rows)
    value = ORDERS[sort.removeprefix("-")]
    reported = [row for row in rows if value(row) is not None]
    missing = [row for row in rows if value(row) is None]
    return sorted(reported, key=value, reverse=sort.startswith("-")) + missing


def numbers(rows: Sequence[StandingsRow], key: str) -> list[int | None]:
    """A number for each row that orders as the values of ``key`` do, exactly."""
    values = [ORDERS[key](row) for row in rows]
    known = [value for value in values if value is not None]
    if known and isinstance(known[0], Fraction):
        known = on_one_scale(known)
    number = {value: place for place, value in enumerate(sorted(set(known)))}
    ordered = iter(known)
    return [None if value is None else number[next(ordered)] for value in values]
