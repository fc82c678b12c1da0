"""Bars below each other: how the figures of an evaluation and of a benchmark are drawn.

A share is in percent of the whole width; where bars count things, the longest is whole.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from leaderboard.charts.labels import text_width

_ROW = 26
_BAR = 12
_GAP = 10
_TRACK = 380
_MOST_LABEL = 260


class Part(NamedTuple):
    """A piece of a bar; ``kind`` says how it is filled."""

    kind: str
    share: float


class Bar(NamedTuple):
    """One line: its name, its pieces from left to right, and the number beside it."""

    label: str
    parts: Sequence[Part]
    value: str


class Piece(NamedTuple):
    kind: str
    x: float
    width: float


class BarRow(NamedTuple):
    label: str
    value: str
    y: float
    text_y: float
    pieces: Sequence[Piece]


@dataclass(frozen=True, slots=True)
class BarDrawing:
    """Places in pixels."""

    width: int
    height: int
    label_x: int
    track_x: int
    track_width: int
    bar_height: int
    value_x: int
    rows: Sequence[BarRow]


def bar_drawing(bars: Iterable[Bar]) -> BarDrawing:
    """The drawing, as wide as its longest name and number need."""
    found = list(bars)
    names = max((text_width(bar.label) for bar in found), default=0)
    label_x = min(round(names), _MOST_LABEL)
    track_x = label_x + _GAP
    value_x = track_x + _TRACK + _GAP
    numbers = max((text_width(bar.value) for bar in found), default=0)
    return BarDrawing(
        width=value_x + round(numbers) + _GAP,
        height=_ROW * len(found),
        label_x=label_x,
        track_x=track_x,
        track_width=_TRACK,
        bar_height=_BAR,
        value_x=value_x,
        rows=[
            BarRow(
                label=bar.label,
                value=bar.value,
                y=place * _ROW + (_ROW - _BAR) / 2,
                text_y=place * _ROW + _ROW / 2 + 4,
                pieces=list(_pieces(bar.parts, track_x)),
            )
            for place, bar in enumerate(found)
        ],
    )


def _pieces(parts: Sequence[Part], start: float) -> Iterable[Piece]:
    for part in parts:
        width = round(_TRACK * part.share / 100, 2)
        if width > 0:
            yield Piece(part.kind, round(start, 2), width)
        start += width
