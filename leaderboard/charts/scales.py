"""Scales: from a value to a place on the drawing, and the round values to mark."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple


class Tick(NamedTuple):
    """A marked value: where it lies, in drawing units, and what is written there."""

    place: float
    label: str


@dataclass(frozen=True, slots=True)
class Scale:
    """Maps [low, high] to [start, end]; ``logarithmic`` needs positive values."""

    low: float
    high: float
    start: float
    end: float
    logarithmic: bool = False

    def place(self, value: float) -> float:
        low, high = self.low, self.high
        if self.logarithmic:
            low, high, value = math.log(low), math.log(high), math.log(value)
        share = (value - low) / (high - low)
        return round(self.start + share * (self.end - self.start), 1)

    def ticks(self, wanted: int) -> list[Tick]:
        """Round values inside the scale, ``wanted`` of them or a few more or less."""
        values = (
            _log_values(self.low, self.high, wanted=wanted)
            if self.logarithmic
            else _even_values(self.low, self.high, wanted=wanted)
        )
        return [Tick(self.place(value), f"{value:,.12g}") for value in values]


def _even_values(low: float, high: float, *, wanted: int) -> list[float]:
    step = _round_step((high - low) / max(wanted, 1))
    first = math.ceil(low / step - 1e-9)
    last = math.floor(high / step + 1e-9)
    return [round(count * step, 10) for count in range(first, last + 1)]


def _round_step(raw: float) -> float:
    """The smallest of 1, 2, 2.5, 5, 10, ... that is not below ``raw``."""
    power = 10.0 ** math.floor(math.log10(raw))
    factors = (1, 2, 2.5, 5, 10)
    return next(factor * power for factor in factors if factor * power >= raw * 0.999)


def _log_values(low: float, high: float, *, wanted: int) -> list[float]:
    """The finest of a few families of round values that does not exceed ``wanted``."""
    powers = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    families = ((1, 1.5, 2, 3, 4, 5, 7), (1, 2, 3, 5), (1, 3), (1,))
    for family in families:
        values = [
            round(factor * 10.0**power, 10)
            for power in powers
            for factor in family
            if low <= factor * 10.0**power <= high
        ]
        if len(values) <= wanted:
            break
    # Costs that lie close together have no such values between them.
    return values if len(values) > 2 else _even_values(low, high, wanted=wanted)


def padded(low: float, high: float, *, step: float) -> tuple[float, float]:
    """Widen a range to whole steps with some air, so that no mark touches an edge."""
    room = step * 0.1
    return (
        math.floor((low - room) / step) * step,
        math.ceil((high + room) / step) * step,
    )


def percent_bounds(low: float, high: float) -> tuple[float, float]:
    """Bounds in percent for values between ``low`` and ``high``, within 0 and 100."""
    step = 5.0 if high - low <= 50 else 10.0
    start, end = padded(low, high, step=step)
    if end - start < step * 2:
        start, end = start - step, end + step
    return max(start, 0.0), min(end, 100.0)
