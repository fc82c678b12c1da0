"""A badge: two short texts side by side, wide enough for any fallback font."""

from __future__ import annotations

from dataclasses import dataclass

from leaderboard.charts.labels import text_width

HEIGHT = 20
_PADDING = 7
_SIZE = 11 / 12  # Of the size that labels are measured in.


@dataclass(frozen=True, slots=True)
class Part:
    text: str
    start: float
    width: float

    @property
    def middle(self) -> float:
        return round(self.start + self.width / 2, 1)

    @property
    def text_width(self) -> float:
        return round(self.width - 2 * _PADDING, 1)


@dataclass(frozen=True, slots=True)
class Badge:
    """``tone`` is what the second part means: rank, apart, simulated, struck-out."""

    name: Part
    value: Part
    tone: str
    height: int = HEIGHT

    @property
    def width(self) -> float:
        return self.name.width + self.value.width


def badge(name: str, value: str, *, tone: str) -> Badge:
    first = Part(name, 0, _width(name))
    return Badge(first, Part(value, first.width, _width(value)), tone)


def _width(text: str) -> float:
    return round(text_width(text) * _SIZE + 2 * _PADDING, 1)
