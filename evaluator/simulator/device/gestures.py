"""Gestures given point by point, as a pointer matrix."""

from __future__ import annotations

from evaluator.simulator.device.omissions import NotSimulatedError
from evaluator.simulator.device.touch import (
    LONG_PRESS_SECONDS,
    STILL_PIXELS,
    Hand,
    Point,
)

_MAX_POINTS = 10_000
_MOST_FINGERS = 2
_INTERVAL_UNIT = 65536


class Gesture:
    """The paths of one finger or two; more are not simulated."""

    def __init__(self, fingers: int, steps: int) -> None:
        if not 1 <= fingers <= _MOST_FINGERS:
            raise NotSimulatedError(f"gesture with {fingers} fingers")
        if not 1 <= steps <= _MAX_POINTS:
            raise ValueError(f"a gesture of {steps} steps")
        self._paths: list[list[Point]] = [[(0, 0)] * steps for _ in range(fingers)]
        self._milliseconds = [0] * steps

    def set_point(self, finger: int, step: int, point: Point) -> None:
        """Set a step; how long it lasts is coded into x, in multiples of 65536."""
        x, y = point
        interval, x = divmod(x, _INTERVAL_UNIT)
        self._paths[finger][step] = (x, y)
        if finger == 0:
            self._milliseconds[step] = int(interval)

    def perform(self, hand: Hand) -> None:
        first, *others = self._paths
        if others:
            hand.pinch((first[0], first[-1]), (others[0][0], others[0][-1]))
            return
        moves = [step for step, point in enumerate(first) if _moved(first[0], point)]
        still = self._milliseconds[: moves[0]] if moves else self._milliseconds
        held = sum(still) >= LONG_PRESS_SECONDS * 1000
        if not moves:
            hand.tap(*first[0], "longClick" if held else "click")
        elif held:
            hand.carry(*first)
        else:
            hand.swipe(first[0], first[-1])


def _moved(start: Point, end: Point) -> bool:
    return max(abs(end[0] - start[0]), abs(end[1] - start[1])) > STILL_PIXELS
