"""Colors of components as a picture shows them, and the palette of that picture."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, NamedTuple

_HEX = re.compile(r"#(?:[0-9a-f]{3}|[0-9a-f]{4}|[0-9a-f]{6}|[0-9a-f]{8})", re.I)
_FUNCTION = re.compile(r"rgba?\(([^)]*)\)")
_MOST_COLORS = 256


class Rgb(NamedTuple):
    """An opaque color."""

    red: int
    green: int
    blue: int


class Paint(NamedTuple):
    """A color with its opacity, from 0 (nothing is painted) to 1."""

    color: Rgb
    alpha: float = 1.0

    def over(self, ground: Rgb, opacity: float = 1.0) -> Rgb:
        part = self.alpha * opacity
        mixed = (
            round(above * part + below * (1 - part))
            for above, below in zip(self.color, ground, strict=True)
        )
        return Rgb(*mixed)


WHITE = Rgb(255, 255, 255)
INK = Paint(Rgb(0x18, 0x24, 0x31), 0.9)
FAINT = Paint(Rgb(0x18, 0x24, 0x31), 0.45)
ACCENT = Paint(Rgb(0x0A, 0x59, 0xF7))
FIELD = Paint(Rgb(0x18, 0x24, 0x31), 0.06)
PICTURE = Paint(Rgb(0xB9, 0xD8, 0xC2))
TOAST = Paint(Rgb(0x33, 0x38, 0x40))


def paint_of(value: object) -> Paint | None:
    """What an app gave as a color; None where it is none that is known.

    ``#RGB``, ``#ARGB``, ``#RRGGBB``, ``#AARRGGBB``, ``rgb()``, ``rgba()`` and numbers,
    whose highest byte is the opacity unless it is 0.
    """
    if isinstance(value, bool):
        return None
    if isinstance(value, int):
        return _of_number(value & 0xFFFFFFFF)
    if not isinstance(value, str):
        return None
    text = value.strip().lower()
    if text == "transparent":
        return Paint(WHITE, 0.0)
    if _HEX.fullmatch(text):
        digits = text[1:]
        if len(digits) < 6:
            digits = "".join(2 * digit for digit in digits)
        color = Rgb(*bytes.fromhex(digits[-6:]))
        return Paint(color, int(digits[:-6] or "ff", 16) / 255)
    if found := _FUNCTION.fullmatch(text):
        return _of_function(found[1])
    return None


def _of_number(number: int) -> Paint:
    color = Rgb(number >> 16 & 0xFF, number >> 8 & 0xFF, number & 0xFF)
    return Paint(color, (number >> 24) / 255 if number >> 24 else 1.0)


def _of_function(words: str) -> Paint | None:
    try:
        parts = [float(each) for each in words.split(",")]
    except ValueError:
        return None
    if len(parts) not in (3, 4) or not all(0 <= each <= 255 for each in parts):
        return None
    alpha = min(1.0, parts[3]) if len(parts) == 4 else 1.0
    return Paint(Rgb(*(round(each) for each in parts[:3])), alpha)


def number_of(style: Mapping[str, Any], name: str) -> float | None:
    """A length such as ``12``, ``'12vp'`` or ``'12fp'``; None where it is none."""
    value = style.get(name)
    if isinstance(value, str) and (
        found := re.fullmatch(r"([\d.]{1,9})(vp|fp)?", value)
    ):
        try:
            return float(found[1])
        except ValueError:
            return None
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return float(value) if 0 <= value < 10_000 else None


class Palette:
    """At most 256 colors; one too many becomes the nearest that is there."""

    def __init__(self) -> None:
        self._places: dict[Rgb, int] = {}

    def place(self, color: Rgb) -> int:
        known = self._places.get(color)
        if known is not None:
            return known
        if len(self._places) < _MOST_COLORS:
            self._places[color] = len(self._places)
            return self._places[color]
        nearest = min(self._places, key=lambda each: _distance(each, color))
        return self._places[nearest]

    def bytes(self) -> bytes:
        return b"".join(bytes(color) for color in self._places)


def _distance(one: Rgb, other: Rgb) -> int:
    return sum((a - b) ** 2 for a, b in zip(one, other, strict=True))
