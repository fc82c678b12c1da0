"""Gestures given point by point, as a pointer matrix."""

from __future__ import annotations

from evaluator.simulator.device.omissions import NotSimulatedError
from evaluator.simulator.device.touch import LONG_PRESS_SECONDS, Hand

_MAX_POINTS = 10_000
_INTERVAL_UNIT = 65536
_STILL_PIXELS = 20


class Gesture:
    """The path of one finger; more fingers are not simulated."""

    def __init__(self, fingers: int, steps: int) -> None:
        if fingers != 1:
            raise NotSimulatedError(f"gesture with {fingers} fingers")
        if not 1 <= steps <= _MAX_POINTS:
            raise ValueError(f"a gesture of {steps} steps")
        self._points: list[tuple[float, float]] = [(0, 0)] * steps
        self._milliseconds = [0] * steps

    def set_point(self, finger: int, step: int, point: tuple[float, float]) -> None:
        """Set a step; how long it lasts is coded into x, in multiples of 65536."""
        x, y = point
        interval, x = divmod(x, _INTERVAL_UNIT)
        self._points[step] = (x, y)
        self._milliseconds[step] = int(interval)

    def perform(self, hand: Hand) -> None:
        start, end = self._points[0], self._points[-1]
        moved = max(abs(end[0] - start[0]), abs(end[1] - start[1]))
        if moved > _STILL_PIXELS:
            hand.swipe(start, end)
        elif sum(self._milliseconds) >= LONG_PRESS_SECONDS * 1000:
            hand.tap(*start, "longClick")
        else:
            hand.tap(*start)
