"""HTML that was drawn once by a template, with holes for what differs each time.

A template draws a few hundred values in a millisecond; filling the holes of what it has
drawn before takes microseconds. The marks of the holes are digits: they pass through
escaping, translations and addresses as they are, and nobody outside can guess them.
"""

from __future__ import annotations

import re
import secrets
from collections.abc import Callable, Sequence
from operator import itemgetter

# Begins with what no key of a row has: a leading zero.
_SECRET = f"0{secrets.randbelow(10**24):024}"
_DIGITS = 4
_HOLE = re.compile(rf"{_SECRET}(\d{{{_DIGITS}}})")


def hole(number: int) -> str:
    """The mark where the value of this number goes."""
    return f"{_SECRET}{number:0{_DIGITS}}"


class Mould:
    """A drawing with holes; fill them with texts that are HTML already."""

    __slots__ = ("_choose", "_pattern")

    def __init__(self, drawing: str) -> None:
        parts = _HOLE.split(drawing)
        self._pattern = "%s".join(part.replace("%", "%%") for part in parts[::2])
        order = [int(number) for number in parts[1::2]]
        self._choose = _chooser(order)

    def fill(self, values: Sequence[str]) -> str:
        return self._pattern % self._choose(values)


def _chooser(order: Sequence[int]) -> Callable[[Sequence[str]], tuple[str, ...]]:
    """Picks the values of these numbers; an itemgetter of one gives no tuple."""
    if len(order) > 1:
        return itemgetter(*order)
    return lambda values: tuple(values[number] for number in order)
