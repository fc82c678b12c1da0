"""Fingers and keys: what a touch at a point or a key press does to the app in front."""

from __future__ import annotations

from collections.abc import Sequence

from evaluator.simulator.device.omissions import NotSimulatedError
from evaluator.simulator.device.phone import Phone
from evaluator.simulator.device.tree import SCREEN_HEIGHT, SCREEN_WIDTH, Node, Tree

LONG_PRESS_SECONDS = 0.5

_EDGE = 40
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

    def swipe(self, start: tuple[float, float], end: tuple[float, float]) -> None:
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
                self.drag(hit, (across, down))

    def drag(self, node: Node, by: tuple[float, float]) -> Tree:
        """Move a finger on a component; dragging up scrolls towards the end."""
        return self._phone.fire(node, "scroll", [round(by[0]), round(by[1])])

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
