"""What of an address was not understood, and what would be right in its place."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

# A longer list is no help in a sentence, and the page offers it as choices.
_MOST_VALUES = 15
_MOST_CHARACTERS = 80


class _Pair(NamedTuple):
    name: str
    value: str


class Ignored(_Pair):
    """Name and value, cut to what fits in a sentence; ``advice`` may be empty."""

    advice: str

    def __new__(cls, name: str, value: str, advice: str = "") -> Ignored:
        self = super().__new__(cls, name, value[:_MOST_CHARACTERS])
        self.advice = advice
        return self


def one_of(values: Iterable[str]) -> str:
    """Advice that lists the known values; empty where they are none or many."""
    known = list(values)
    if not 0 < len(known) <= _MOST_VALUES:
        return ""
    return _("Choose from: %(values)s.") % {"values": _(", ").join(known)}


def an_order(columns: Iterable[str]) -> str:
    values = _(", ").join(columns)
    text = _("Choose from: %(values)s; with - before it the other way round.")
    return text % {"values": values}


def a_day() -> str:
    return _("Write a day as YYYY-MM-DD.")


def pages_up_to(page_count: int) -> str:
    text = ngettext(
        "There is %(count)s page.", "There are %(count)s pages.", page_count
    )
    return text % {"count": page_count}
