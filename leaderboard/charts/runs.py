"""One line a row: a tick a run and a dot for the mean, on an axis all rows share."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Protocol

from leaderboard.charts.scales import Scale, Tick, percent_bounds
from leaderboard.formats import percent
from leaderboard.metrics import mean_rate, run_range

WIDTH, HEIGHT = 196, 30
_MARGIN = 8
_MIDDLE, _TICK = 15, 6


@dataclass(frozen=True, slots=True)
class RunAxis:
    """The axis of a table: bounds in percent that hold every run of every row.

    ``grid`` draws a line at each tick, as the path of an SVG.
    """

    scale: Scale
    ticks: tuple[Tick, ...]
    grid: str
    width: int = WIDTH
    height: int = HEIGHT


@dataclass(frozen=True, slots=True)
class RunTicks:
    """The drawing of one row. ``values`` are the runs in percent, for its name.

    ``bar``, ``marks`` and ``dot`` are its paths.
    """

    axis: RunAxis
    ticks: tuple[float, ...]
    low: float
    high: float
    mean: float
    values: tuple[str, ...]
    mean_value: str

    @property
    def bar(self) -> str:
        return f"M{self.low} {_MIDDLE}H{self.high}"

    @property
    def marks(self) -> str:
        return _lines(self.ticks, _MIDDLE - _TICK, _MIDDLE + _TICK)

    @property
    def dot(self) -> str:
        return f"M{self.mean} {_MIDDLE}h0"


class Bounded(Protocol):
    @property
    def low(self) -> Fraction: ...

    @property
    def high(self) -> Fraction: ...


def run_axis(ranges: Iterable[Bounded]) -> RunAxis:
    """An axis for the given ranges; 0 to 100 where there are none."""
    found = list(ranges)
    low = min((float(each.low) for each in found), default=0.0) * 100
    high = max((float(each.high) for each in found), default=1.0) * 100
    return _axis(low, high)


@lru_cache(maxsize=1_000)
def _axis(low: float, high: float) -> RunAxis:
    start, end = percent_bounds(low, high)
    scale = Scale(start, end, _MARGIN, WIDTH - _MARGIN)
    ticks = tuple(scale.ticks(5))
    return RunAxis(
        scale=scale, ticks=ticks, grid=_lines([t.place for t in ticks], 0, HEIGHT)
    )


def run_ticks(completed: Sequence[int], task_count: int, *, axis: RunAxis) -> RunTicks:
    """Place the runs of one row on ``axis``."""
    found = run_range(completed, task_count)
    runs = [mean_rate(count, task_count, run_count=1) for count in completed]
    return RunTicks(
        axis=axis,
        ticks=tuple(axis.scale.place(float(run) * 100) for run in runs),
        low=axis.scale.place(float(found.low) * 100),
        high=axis.scale.place(float(found.high) * 100),
        mean=axis.scale.place(float(found.mean) * 100),
        values=tuple(percent(run) for run in runs),
        mean_value=percent(found.mean),
    )


def _lines(places: Iterable[float], top: int, bottom: int) -> str:
    return "".join(f"M{place} {top}V{bottom}" for place in places)
