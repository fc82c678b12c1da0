"""Completion against cost: who is beaten by nobody on both axes at once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar

from leaderboard.charts.labels import Box, Label, Point, place_labels, shortened
from leaderboard.charts.scales import Scale, Tick, percent_bounds

LABEL_LIMIT = 16
_LABEL_ROOM = 170.0


@dataclass(frozen=True, slots=True)
class CostPoint:
    """One configuration: cost in the axis' unit, completion in percent."""

    name: str
    url: str
    cost: float
    mean: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Mark:
    """``name`` is the point's as far as a label has room for it."""

    point: CostPoint
    name: str
    x: float
    y: float
    top: float
    bottom: float
    on_frontier: bool
    label: Label | None


@dataclass(frozen=True, slots=True)
class CostScatter:
    """A drawing of one size; the frontier is a step line through ``path``."""

    width: int
    height: int
    left: int
    right: int
    top: int
    bottom: int
    x_ticks: tuple[Tick, ...]
    y_ticks: tuple[Tick, ...]
    path: str
    marks: tuple[Mark, ...]

    @property
    def middle_x(self) -> float:
        return (self.left + self.right) / 2

    @property
    def middle_y(self) -> float:
        return (self.top + self.bottom) / 2


class _Priced(Protocol):
    @property
    def cost(self) -> Any: ...

    @property
    def mean(self) -> Any: ...


Priced = TypeVar("Priced", bound=_Priced)


def frontier(points: Sequence[Priced]) -> list[Priced]:
    """Points beaten by no other on both axes: cheaper or better, by rising cost."""
    found: list[Priced] = []
    for point in sorted(points, key=lambda each: (each.cost, -each.mean)):
        if not found or point.mean > found[-1].mean:
            found.append(point)
    return found


def cost_scatter(points: Sequence[CostPoint], *, small: bool) -> CostScatter | None:
    """Draw ``points`` for a desk or, ``small``, for a phone; None without two costs."""
    if len(points) < 2 or min(point.cost for point in points) <= 0:
        return None
    width, height = (340, 330) if small else (640, 372)
    left, right, top, bottom = 42, width - 12, 12, height - 46
    x = Scale(
        min(point.cost for point in points) * 0.84,
        max(point.cost for point in points) * 1.28,
        left,
        right,
        logarithmic=True,
    )
    y = Scale(
        *percent_bounds(
            min(point.low for point in points), max(point.high for point in points)
        ),
        bottom,
        top,
    )
    on_frontier = frontier(points)
    ordered = _by_importance(points, on_frontier)
    labels = _labels(ordered, x=x, y=y, frame=Box(left, top, right, bottom))
    return CostScatter(
        width=width,
        height=height,
        left=left,
        right=right,
        top=top,
        bottom=bottom,
        x_ticks=tuple(x.ticks(4 if small else 7)),
        y_ticks=tuple(y.ticks(5)),
        path=_step_path(on_frontier, x=x, y=y, end=right),
        marks=tuple(
            Mark(
                point=point,
                name=shortened(point.name, _LABEL_ROOM),
                x=x.place(point.cost),
                y=y.place(point.mean),
                top=y.place(point.high),
                bottom=y.place(point.low),
                on_frontier=point in on_frontier,
                label=label,
            )
            for point, label in zip(ordered, labels, strict=True)
        ),
    )


def _by_importance(
    points: Sequence[CostPoint], on_frontier: Sequence[CostPoint]
) -> list[CostPoint]:
    return sorted(points, key=lambda each: (each not in on_frontier, -each.mean))


def _labels(
    ordered: Sequence[CostPoint], *, x: Scale, y: Scale, frame: Box
) -> list[Label | None]:
    obstacles = [
        obstacle
        for point in ordered
        for obstacle in (
            _around(x.place(point.cost), y.place(point.mean), radius=7),
            Box(
                x.place(point.cost) - 2,
                y.place(point.high),
                x.place(point.cost) + 2,
                y.place(point.low),
            ),
        )
    ]
    placed = place_labels(
        [
            Point(
                x.place(each.cost),
                y.place(each.mean),
                shortened(each.name, _LABEL_ROOM),
            )
            for each in ordered[:LABEL_LIMIT]
        ],
        bounds=frame,
        obstacles=obstacles,
    )
    return placed + [None] * (len(ordered) - len(placed))


def _around(x: float, y: float, *, radius: float) -> Box:
    return Box(x - radius, y - radius, x + radius, y + radius)


def _step_path(points: Sequence[CostPoint], *, x: Scale, y: Scale, end: float) -> str:
    steps = [
        f"M{x.place(point.cost)} {y.place(point.mean)}"
        if place == 0
        else f"H{x.place(point.cost)} V{y.place(point.mean)}"
        for place, point in enumerate(points)
    ]
    return " ".join([*steps, f"H{end}"])
