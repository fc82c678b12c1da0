"""Three marks a row: Task Completion of each task source on one axis from 0 to 100."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from leaderboard.charts.labels import shortened
from leaderboard.charts.scales import Scale, Tick

ROW_LIMIT = 20
_ROW, _TOP, _FOOT = 33, 16, 26
_WIDTH, _LABELS, _MARGIN = 460, 158, 12


class SourceMark(NamedTuple):
    source: str
    x: float
    value: str


@dataclass(frozen=True, slots=True)
class SourceRow:
    """``label`` is the name as far as there is room for it."""

    name: str
    label: str
    y: float
    marks: tuple[SourceMark, ...]
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class SourceDots:
    width: int
    height: int
    label_x: float
    ticks: tuple[Tick, ...]
    rows: tuple[SourceRow, ...]

    @property
    def axis_y(self) -> int:
        return self.height - _FOOT + 4


def source_dots(
    rows: Sequence[tuple[str, Mapping[str, tuple[float, str]]]],
) -> SourceDots | None:
    """Draw (name, {source: (percent, text)}) rows, at most ROW_LIMIT of them."""
    shown = [(name, marks) for name, marks in rows if marks][:ROW_LIMIT]
    if not shown:
        return None
    scale = Scale(0, 100, _LABELS, _WIDTH - _MARGIN)
    drawn = []
    for place, (name, marks) in enumerate(shown):
        placed = tuple(
            SourceMark(source, scale.place(value), text)
            for source, (value, text) in marks.items()
        )
        drawn.append(
            SourceRow(
                name=name,
                label=shortened(name, _LABELS - 16),
                y=_TOP + place * _ROW,
                marks=placed,
                low=min(mark.x for mark in placed),
                high=max(mark.x for mark in placed),
            )
        )
    return SourceDots(
        width=_WIDTH,
        height=_TOP + len(drawn) * _ROW + _FOOT - _ROW // 2,
        label_x=_LABELS - 12,
        ticks=tuple(scale.ticks(4)),
        rows=tuple(drawn),
    )
