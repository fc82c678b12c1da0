"""Sorting by columns, and links that keep the rest of the query."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import NamedTuple
from urllib.parse import quote

from django.http import QueryDict
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from leaderboard.ignored import Ignored, an_order
from leaderboard.late import Late
from leaderboard.models import TaskSource
from leaderboard.ranking.orders import (
    DEFAULT_SORT,
    ORDERS,
    SOURCES,
    first_and_second,
)

_PLAIN = ","


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
    for key in ORDERS:
        first, second = first_and_second(key)
        choices.append((first, LABELS[key]))
        if current == second:
            reversed_label = _("%(column)s, reversed") % {"column": LABELS[key]}
            choices.append((second, reversed_label))
    return choices


class Heading(NamedTuple):
    """A column heading: the link that sorts by it and its ``aria-sort``, if any."""

    href: str
    aria_sort: str


def chosen_sort(query: QueryDict, ignored: list[Ignored]) -> str:
    wanted = query.get("sort", "") or DEFAULT_SORT
    if wanted.removeprefix("-") in ORDERS:
        return wanted
    ignored.append(Ignored("sort", wanted, an_order(ORDERS)))
    return DEFAULT_SORT


def href(query: QueryDict, **changes: str | None) -> Late:
    """The query with some values changed (None takes one out), the rest kept."""
    pairs = [
        (name, value)
        for name, values in query.lists()
        if name not in changes and values and values[-1]
        for value in values
    ]
    pairs += [(name, value) for name, value in changes.items() if value]
    return Late("?" + "&".join(_quoted(*pair) for pair in pairs))


@lru_cache(maxsize=2_000)
def _quoted(name: str, value: str) -> str:
    """Remembered, since the links of a page have most of their values in common."""
    return f"{quote(name, _PLAIN)}={quote(value, _PLAIN)}"


def headings(query: QueryDict, sort: str) -> dict[str, Heading]:
    found = {}
    for key in ORDERS:
        first, second = first_and_second(key)
        target = second if sort == first else first
        aria_sort = ""
        if sort in {first, second}:
            aria_sort = "descending" if sort.startswith("-") else "ascending"
        changed = None if target == DEFAULT_SORT else target
        found[key] = Heading(href(query, sort=changed, page=None), aria_sort)
    return found
