"""Points and buttons among the arguments of an RPC call."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from evaluator.simulator.device.omissions import NotSimulatedError

_BUTTONS = ("left", "right", "middle")


def point_of(arguments: Sequence[Any]) -> tuple[float, float]:
    first = arguments[0]
    x, y = (first["x"], first["y"]) if isinstance(first, dict) else arguments[:2]
    return float(x), float(y)


def button_of(arguments: Sequence[Any]) -> str:
    """The button of a click with the mouse; keys held with it are not simulated."""
    _, button, *keys = arguments
    if button not in range(len(_BUTTONS)) or any(key is not None for key in keys):
        raise NotSimulatedError(f"mouse button {button} with keys {keys}")
    return _BUTTONS[button]


def notches_of(arguments: Sequence[Any]) -> int:
    """How far the wheel turns: up is negative. Whatever else is given may be keys."""
    _, down, count, *more = arguments
    if more:
        raise NotSimulatedError(f"mouse wheel with {more}")
    return int(count) if down else -int(count)


def way_of(
    arguments: Sequence[Any],
) -> tuple[tuple[float, float], tuple[float, float]]:
    if isinstance(arguments[0], dict):
        return point_of(arguments[:1]), point_of(arguments[1:2])
    return point_of(arguments[:2]), point_of(arguments[2:4])
