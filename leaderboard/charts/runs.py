"""One line a row: a tick a run and a dot for the mean, on an axis all rows share."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from leaderboard.charts.scales import Scale, Tick, percent_bounds
from leaderboard.formats import percent
from leaderboard.metrics import RunRange, run_range

WIDTH, HEIGHT = 196, 30
_MARGIN = 8


@dataclass(frozen=True, slots=True)
class RunAxis:
    """The axis of a table: bounds in percent that hold every run of every row."""

    scale: Scale
    ticks: tuple[Tick, ...]
    width: int = WIDTH
    height: int = HEIGHT


@dataclass(frozen=True, slots=True)
class RunTicks:
    """The drawing of one row. ``values`` are the runs in percent, for its name."""

    axis: RunAxis
    ticks: tuple[float, ...]
    low: float
    high: float
    mean: float
    values: tuple[str, ...]
    mean_value: str


def run_axis(ranges: Iterable[RunRange]) -> RunAxis:
    """An axis for the given ranges; 0 to 100 where there are none."""
    found = list(ranges)
    low = min((float(each.low) for each in found), default=0.0) * 100
    high = max((float(each.high) for each in found), default=1.0) * 100
    start, end = percent_bounds(low, high)
    scale = Scale(start, end, _MARGIN, WIDTH - _MARGIN)
    return RunAxis(scale=scale, ticks=tuple(scale.ticks(5)))


def run_ticks(completed: Sequence[int], task_count: int, *, axis: RunAxis) -> RunTicks:
    """Place the runs of one row on ``axis``."""
    found = run_range(completed, task_count)
    runs = [run_range([count], task_count).mean for count in completed]
    return RunTicks(
        axis=axis,
        ticks=tuple(axis.scale.place(float(run) * 100) for run in runs),
        low=axis.scale.place(float(found.low) * 100),
        high=axis.scale.place(float(found.high) * 100),
        mean=axis.scale.place(float(found.mean) * 100),
        values=tuple(percent(run) for run in runs),
        mean_value=percent(found.mean),
    )
