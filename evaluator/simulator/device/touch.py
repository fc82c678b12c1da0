"""Fingers and keys: what a touch at a point or a key press does to the app in front."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from itertools import pairwise

from evaluator.simulator.device.omissions import NotSimulatedError
from evaluator.simulator.device.phone import Phone
from evaluator.simulator.device.tree import SCREEN_HEIGHT, SCREEN_WIDTH, Node, Tree

Point = tuple[float, float]

LONG_PRESS_SECONDS = 0.5
STILL_PIXELS = 20

_EDGE = 40
_STEP_PIXELS = 60
_MOST_STEPS = 200
_KEY_HOME, _KEY_BACK = 1, 2
_KEY_A, _KEY_CTRL = 2017, frozenset({2072, 2073})
_KEY_ENTER = frozenset({2054, 2119})
_KEY_DELETE = 2055
_KEY_CURSOR = frozenset({2012, 2013, 2014, 2015, 2081, 2082})


class Hand:
    """Touches and types on a phone; the app decides who reacts to an event."""

    def __init__(self, phone: Phone) -> None:
        self._phone = phone
        self._all_selected = False

    def tap(self, x: float, y: float, event: str = "click") -> None:
        """Touch the topmost component at a point.

        ``event`` is click, doubleClick or longClick.
        """
        self._all_selected = False
        hit = self._phone.tree().at(x, y)
        if hit is not None:
            self._phone.fire(hit, event)

    def swipe(self, start: Point, end: Point) -> None:
        """Move a finger from one point to another: a system gesture, or the app's."""
        (x1, y1), (x2, y2) = start, end
        across, down = x2 - x1, y2 - y1
        from_left, from_right = x1 <= _EDGE, x1 >= SCREEN_WIDTH - _EDGE
        if (from_left and across > abs(down)) or (from_right and -across > abs(down)):
            self._phone.press_back()
        elif y1 >= SCREEN_HEIGHT - _EDGE and -down > abs(across):
            self._phone.go_home()
        else:
            hit = self._phone.tree().at(x1, y1)
            if hit is not None:
                self.drag(hit, (across, down), start)

    def drag(self, node: Node, by: Point, start: Point | None = None) -> Tree:
        """Move a finger on a component; dragging up scrolls towards the end."""
        return self._phone.fire(node, "scroll", _rounded((*by, *(start or ()))))

    def carry(self, *points: Point) -> None:
        """Hold the first point for a long press, then move on from there and let go.

        What lies under the finger is looked at anew on the way: it may have moved.
        """
        self._all_selected = False
        phone, (start, *_) = self._phone, points
        if all(math.dist(start, point) <= STILL_PIXELS for point in points):
            self.tap(*start, "longClick")
            return
        held = phone.tree().at(*start)
        if held is None:
            return
        tree = phone.fire(held, "grab", _rounded(start))
        for point in _way(points):
            under = tree.at(*point)
            value = [*_rounded(point), under is not None]
            tree = phone.fire(under or held, "carry", value)
        phone.fire(held, "release")

    def pinch(self, first: tuple[Point, Point], second: tuple[Point, Point]) -> None:
        """Move two fingers, each from one point to another, at the same time."""
        (start1, end1), (start2, end2) = first, second
        before, after = math.dist(start1, start2), math.dist(end1, end2)
        if max(math.dist(*first), math.dist(*second)) <= STILL_PIXELS or before < 1:
            raise NotSimulatedError("touch with two fingers")
        turned = _direction(end1, end2) - _direction(start1, start2)
        angle = (turned + 180) % 360 - 180
        if abs(after - before) <= STILL_PIXELS and abs(angle) < 1:
            raise NotSimulatedError("swipe with two fingers")
        scale = after / before if abs(after - before) > STILL_PIXELS else 1
        tree = self._phone.tree()
        hits = tree.at(*start1), tree.at(*start2)
        if hits[0] is not None and hits[1] is not None:
            center = (start1[0] + start2[0]) / 2, (start1[1] + start2[1]) / 2
            self._pinch(hits[0], hits[1], center, scale=scale, angle=angle)

    def pinch_on(self, node: Node, scale: float) -> None:
        """Pinch a component, from its middle out or in."""
        self._pinch(node, node, node.bounds.center, scale=scale, angle=0)

    def _pinch(
        self, one: Node, other: Node, center: Point, *, scale: float, angle: float
    ) -> None:
        x, y = center
        value = {"scale": scale, "angle": angle, "x": x, "y": y, "other": other.uid}
        self._phone.fire(one, "pinch", value)

    def press_mouse(self, x: float, y: float, button: str) -> None:
        """Press a button: left, leftTwice, leftLong, right or middle."""
        self._all_selected = False
        hit = self._phone.tree().at(x, y)
        if hit is not None:
            self._phone.fire(hit, "mouse", [button, *_rounded((x, y))])

    def turn_wheel(self, x: float, y: float, notches: int) -> None:
        """Turn the wheel of the mouse at a point; up is negative."""
        hit = self._phone.tree().at(x, y)
        if hit is not None:
            self._phone.fire(hit, "wheel", [notches, *_rounded((x, y))])

    def hover(self, *points: Point) -> None:
        """Move the pointer of the mouse from point to point."""
        for point in points if len(points) == 1 else _way(points):
            hit = self._phone.tree().at(*point)
            if hit is not None:
                self._phone.fire(hit, "hover", _rounded(point))

    def write(self, node: Node, text: str, *, keep: bool = False) -> None:
        """Touch a component and type; ``keep`` appends to what it holds.

        What has the focus after the touch is written to, as on a device: nothing, if
        the component takes no text or something lies over it.
        """
        self.tap(*node.bounds.center)
        self._all_selected = not keep
        self.type(text)

    def write_at(self, x: float, y: float, text: str) -> None:
        """Touch a point and type there; a point off the screen keeps the focus."""
        if 0 <= x < SCREEN_WIDTH and 0 <= y < SCREEN_HEIGHT:
            self.tap(x, y)
        self.type(text)

    def type(self, text: str) -> None:
        node = self._focused()
        kept = "" if node is None or self._all_selected else node.text
        self._all_selected = False
        if node is not None:
            self._phone.fire(node, "input", kept + text)

    def press_keys(self, keys: Sequence[int]) -> None:
        """Press one key, or several at a time."""
        if len(keys) == 1:
            self._press(keys[0])
        elif set(keys) & _KEY_CTRL and _KEY_A in keys:
            self._all_selected = True
        else:
            raise NotSimulatedError(f"keys {'+'.join(map(str, keys))}")

    def _press(self, key: int) -> None:
        if key == _KEY_BACK:
            self._phone.press_back()
        elif key == _KEY_HOME:
            self._phone.go_home()
        elif key in _KEY_ENTER:
            node = self._focused()
            if node is not None:
                self._phone.fire(node, "submit")
        elif key == _KEY_DELETE:
            node = self._focused()
            if node is not None and node.text:
                left = "" if self._all_selected else node.text[:-1]
                self._phone.fire(node, "input", left)
            self._all_selected = False
        elif key not in _KEY_CURSOR:
            raise NotSimulatedError(f"key {key}")

    def _focused(self) -> Node | None:
        return next((node for node in self._phone.tree() if node.focused), None)


def _rounded(numbers: Iterable[float]) -> list[int]:
    return [round(number) for number in numbers]


def _way(points: Sequence[Point]) -> list[Point]:
    """The points on the way from the first to the last, without the first."""
    found: list[Point] = []
    for start, end in pairwise(points):
        steps = max(1, round(math.dist(start, end) / _STEP_PIXELS))
        for step in range(1, steps + 1):
            part = step / steps
            x, y = (a + (b - a) * part for a, b in zip(start, end, strict=True))
            found.append((x, y))
    # A gesture may come as thousands of points; the last one counts most.
    every = -(-len(found) // _MOST_STEPS)
    return found[::-1][::every][::-1]


def _direction(start: Point, end: Point) -> float:
    """In degrees, clockwise as the screen shows it."""
    return math.degrees(math.atan2(end[1] - start[1], end[0] - start[0]))
