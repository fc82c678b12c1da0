"""Sorting by columns, and links that keep the rest of the query."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any, NamedTuple

from django.http import QueryDict
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from leaderboard.metrics import Scope
from leaderboard.models import TaskSource
from leaderboard.presenters.rows import SOURCES
from leaderboard.standings import StandingsRow

DEFAULT_SORT = "-task_completion"


class Column(NamedTuple):
    """A sortable column: its key, its first direction, and what it sorts by."""

    key: str
    falls: bool
    value: Callable[[StandingsRow], Any]


def _source_mean(source: Scope) -> Callable[[StandingsRow], Any]:
    def mean(row: StandingsRow) -> Fraction | None:
        found = row.figures.get(source)
        return None if found is None else found.task_completion.mean

    return mean


COLUMNS: Mapping[str, Column] = {
    column.key: column
    for column in (
        Column(
            "name", False, lambda row: row.evaluation.configuration.model.casefold()
        ),
        Column("task_completion", True, lambda row: row.in_scope.task_completion.mean),
        *(Column(source.value, True, _source_mean(source)) for source in SOURCES),
        Column("first_build", True, lambda row: row.in_scope.first_build),
        Column("final_build", True, lambda row: row.in_scope.final_build),
        Column("tokens", False, lambda row: row.in_scope.tokens_per_task),
        Column("seconds", False, lambda row: row.in_scope.seconds_per_task),
    )
}


LABELS: Mapping[str, str | Promise] = {
    "name": _("Configuration"),
    "task_completion": _("Task Completion"),
    **{source.value: TaskSource(source.value).label for source in SOURCES},
    "first_build": _("First build"),
    "final_build": _("Final build"),
    "tokens": _("Tokens per task"),
    "seconds": _("Time per task"),
}


def sort_choices(current: str) -> list[tuple[str, str | Promise]]:
    """Values and labels for a list: each column in its first direction, and the
    current choice where it is another."""
    choices: list[tuple[str, str | Promise]] = []
    for key, column in COLUMNS.items():
        first, second = (f"-{key}", key) if column.falls else (key, f"-{key}")
        choices.append((first, LABELS[key]))
        if current == second:
            reversed_label = _("%(column)s, reversed") % {"column": LABELS[key]}
            choices.append((second, reversed_label))
    return choices


class Heading(NamedTuple):
    """A column heading: the link that sorts by it and its ``aria-sort``, if any."""

    href: str
    aria_sort: str


def chosen_sort(query: QueryDict, ignored: list[tuple[str, str]]) -> str:
    wanted = query.get("sort", "") or DEFAULT_SORT
    if wanted.removeprefix("-") in COLUMNS:
        return wanted
    ignored.append(("sort", wanted[:80]))
    return DEFAULT_SORT


def ordered(rows: list[StandingsRow], sort: str) -> list[StandingsRow]:
    """Sort stably on top of rank order; what was not reported comes last, both ways."""
    if sort == DEFAULT_SORT:
        return rows
    value = COLUMNS[sort.removeprefix("-")].value
    reported = [row for row in rows if value(row) is not None]
    missing = [row for row in rows if value(row) is None]
    return sorted(reported, key=value, reverse=sort.startswith("-")) + missing


def href(query: QueryDict, **changes: str | None) -> str:
    """The query with some values changed (None takes one out), the rest kept."""
    changed = query.copy()
    for name in [name for name in changed if not changed.get(name)]:
        del changed[name]
    for name, value in changes.items():
        changed.pop(name, None)
        if value:
            changed[name] = value
    text = changed.urlencode(safe=",")
    return f"?{text}" if text else "?"


def headings(query: QueryDict, sort: str) -> dict[str, Heading]:
    found = {}
    for key, column in COLUMNS.items():
        falling, rising = f"-{key}", key
        target = falling if column.falls else rising
        aria_sort = ""
        if sort in {falling, rising}:
            aria_sort = "descending" if sort == falling else "ascending"
            target = rising if sort == falling else falling
        changed = None if target == DEFAULT_SORT else target
        found[key] = Heading(href(query, sort=changed), aria_sort)
    return found
