"""Touches and keys as shell commands: `uinput` and `uitest uiInput`."""

from __future__ import annotations

from collections.abc import Sequence

from evaluator.simulator.device.omissions import NotSimulatedError
from evaluator.simulator.device.phone import Phone
from evaluator.simulator.device.touch import LONG_PRESS_SECONDS, Hand

_NAMED_KEYS = {"Back": 2, "Home": 1}
_LEFT = "0"


def touch_commands(phone: Phone, words: Sequence[str]) -> str:
    """`uinput`: a click, press, swipe or drag with a finger, the mouse, or keys."""
    hand = Hand(phone)
    device, rest = words[1], list(words[2:])
    if device == "-T" and rest[:1] == ["-c"]:
        hand.tap(float(rest[1]), float(rest[2]))
    elif device == "-T" and rest[:1] == ["-m"]:
        x1, y1, x2, y2 = map(float, rest[1:5])
        hand.swipe((x1, y1), (x2, y2))
    elif device == "-T" and rest[:1] == ["-d"]:
        seconds = int(rest[rest.index("-i") + 1]) / 1000 if "-i" in rest else 0
        event = "longClick" if seconds >= LONG_PRESS_SECONDS else "click"
        hand.tap(float(rest[1]), float(rest[2]), event)
    elif device == "-T" and rest[:1] == ["-g"]:
        x1, y1, x2, y2 = map(float, rest[1:5])
        hand.carry((x1, y1), (x2, y2))
    elif device == "-M" and (button := _mouse_button(rest)):
        hand.press_mouse(float(rest[1]), float(rest[2]), button)
    elif device == "-K" and "-d" in rest:
        downs = [index for index, word in enumerate(rest) if word == "-d"]
        for index in downs:
            hand.press_keys([int(rest[index + 1])])
    else:
        raise NotSimulatedError(f"shell uinput {' '.join(words[1:3])}")
    return ""


def _mouse_button(words: Sequence[str]) -> str:
    """What Hypium's double and long clicks press; empty for anything else."""
    if words[:1] == ["-b"] and words[3] == _LEFT:
        return "leftTwice"
    presses = words[3:5] == ["-d", _LEFT] and words[5:6] == ["-i"]
    if words[:1] == ["-m"] and presses:
        long = int(words[6]) >= LONG_PRESS_SECONDS * 1000
        return "leftLong" if long else "left"
    return ""


def uitest_input(phone: Phone, words: Sequence[str]) -> str:
    """`uitest uiInput`: clicks, swipes, keys and text."""
    hand = Hand(phone)
    action, rest = words[0], list(words[1:])
    if action in {"click", "doubleClick", "longClick"}:
        hand.tap(float(rest[0]), float(rest[1]), action)
    elif action in {"swipe", "fling"}:
        x1, y1, x2, y2 = map(float, rest[:4])
        hand.swipe((x1, y1), (x2, y2))
    elif action == "drag":
        x1, y1, x2, y2 = map(float, rest[:4])
        hand.carry((x1, y1), (x2, y2))
    elif action == "inputText":
        hand.write_at(float(rest[0]), float(rest[1]), rest[2])
    elif action == "text":
        hand.type(rest[0])
    elif action == "keyEvent":
        keys = [_NAMED_KEYS.get(word) or int(word) for word in rest]
        hand.press_keys(keys)
    else:
        raise NotSimulatedError(f"shell uitest uiInput {action}")
    return "No Error\n"
