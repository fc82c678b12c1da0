"""What of an address was not understood, and what would be right in its place."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

# A longer list is no help in a sentence, and the page offers it as choices.
_MOST_VALUES = 15
_MOST_CHARACTERS = 80


class Ignored(NamedTuple):
    """One value of the query; ``advice`` says what would be right, or is empty."""

    name: str
    value: str
    advice: str = ""

    @property
    def saw(self) -> str:
        """As much of the value as fits in a sentence."""
        return self.value[:_MOST_CHARACTERS]


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
