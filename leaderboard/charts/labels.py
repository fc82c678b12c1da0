"""Labels beside points without collisions: a small greedy search over eight places."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple
from unicodedata import east_asian_width

CHARACTER_WIDTH = 7.0  # Of the widest fallback font at 12 px, so that no label is cut.
_LINE, _GAP = 13.0, 10.0


class Box(NamedTuple):
    left: float
    top: float
    right: float
    bottom: float

    def overlap(self, other: Box) -> float:
        """The shared area."""
        if (
            self.right <= other.left
            or other.right <= self.left
            or self.bottom <= other.top
            or other.bottom <= self.top
        ):
            return 0.0
        width = min(self.right, other.right) - max(self.left, other.left)
        height = min(self.bottom, other.bottom) - max(self.top, other.top)
        return width * height


class Label(NamedTuple):
    """Where a text goes: its anchor point (baseline) and alignment."""

    x: float
    y: float
    anchor: str


class Point(NamedTuple):
    x: float
    y: float
    text: str


def place_labels(
    points: Sequence[Point], *, bounds: Box, obstacles: Sequence[Box]
) -> list[Label | None]:
    """A place for the label of each point, in order of importance.

    A label that would cover marks or other labels everywhere is left out (None); the
    table beside the figure names every point.
    """
    taken = list(obstacles)
    placed: list[Label | None] = []
    for point in points:
        scored = [
            (_cost(box, bounds=bounds, taken=taken) + bias, label, box)
            for bias, (label, box) in enumerate(_candidates(point))
        ]
        cost, label, box = min(scored, key=lambda each: each[0])
        if cost > 140:
            placed.append(None)
            continue
        taken.append(box)
        placed.append(label)
    return placed


def text_width(text: str) -> float:
    """How wide ``text`` is at 12 px; Chinese characters take a square."""
    return sum(
        12.0 if east_asian_width(character) in "WF" else CHARACTER_WIDTH
        for character in text
    )


def shortened(text: str, room: float) -> str:
    """``text`` cut to ``room`` (drawing units at 12 px), an ellipsis for the rest."""
    if text_width(text) <= room:
        return text
    while text and text_width(text) + CHARACTER_WIDTH > room:
        text = text[:-1]
    return f"{text.rstrip()}…"


def _candidates(point: Point) -> list[tuple[Label, Box]]:
    width = text_width(point.text)
    x, y = point.x, point.y
    spots = [
        Label(x + _GAP, y - 6, "start"),
        Label(x + _GAP, y + 4, "start"),
        Label(x - _GAP, y - 6, "end"),
        Label(x + _GAP, y + 15, "start"),
        Label(x - _GAP, y + 15, "end"),
        Label(x - _GAP, y + 4, "end"),
        Label(x, y - 12, "middle"),
        Label(x, y + 22, "middle"),
        Label(x + _GAP, y - 18, "start"),
        Label(x - _GAP, y - 18, "end"),
        Label(x + _GAP, y + 28, "start"),
    ]
    return [(spot, _box(spot, width)) for spot in spots]


def _box(label: Label, width: float) -> Box:
    left = {"start": label.x, "end": label.x - width, "middle": label.x - width / 2}[
        label.anchor
    ]
    return Box(left, label.y - _LINE + 3, left + width, label.y + 3)


def _cost(box: Box, *, bounds: Box, taken: Sequence[Box]) -> float:
    outside = (box.right - box.left) * (box.bottom - box.top) - box.overlap(bounds)
    return outside * 100 + sum(box.overlap(other) for other in taken)
