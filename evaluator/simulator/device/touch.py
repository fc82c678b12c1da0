"""Fingers and keys: what a touch at a point or a key press does to the app in front."""

from __future__ import annotations

from collections.abc import Sequence

from evaluator.simulator.device.omissions import NotSimulatedError
from evaluator.simulator.device.phone import Phone
from evaluator.simulator.device.tree import SCREEN_HEIGHT, SCREEN_WIDTH, Node, Tree

TEXT_INPUTS = frozenset({"TextInput", "TextArea", "Search", "RichEditor"})
LONG_PRESS_SECONDS = 0.5

_EDGE = 40
_KEY_HOME, _KEY_BACK = 1, 2
_KEY_A, _KEY_CTRL = 2017, frozenset({2072, 2073})
_KEY_DELETE = 2055
_KEY_CURSOR = frozenset({2012, 2013, 2014, 2015, 2081, 2082})


class Hand:
    """Touches and types on a phone."""

    def __init__(self, phone: Phone) -> None:
        self._phone = phone
        self._all_selected = False

    def tap(self, x: float, y: float, event: str = "click") -> None:
        """``event`` is click, doubleClick or longClick; the topmost component gets it.

        As with a real finger a component without a handler passes it to its parents,
        and one that is disabled swallows it.
        """
        tree = self._phone.tree()
        hit = tree.at(x, y)
        self._phone.focus(None)
        self._all_selected = False
        if hit is None:
            return
        target = next((n for n in tree.upwards(hit) if _takes(n, event)), hit)
        if not all(node.enabled for node in tree.upwards(target)):
            return
        if target.type in TEXT_INPUTS:
            self._phone.focus(target)
        self._phone.fire(target, event)

    def swipe(self, start: tuple[float, float], end: tuple[float, float]) -> None:
        """Move a finger from one point to another: system gesture or scrolling."""
        (x1, y1), (x2, y2) = start, end
        across, down = x2 - x1, y2 - y1
        from_left, from_right = x1 <= _EDGE, x1 >= SCREEN_WIDTH - _EDGE
        if (from_left and across > abs(down)) or (from_right and -across > abs(down)):
            self._phone.press_back()
        elif y1 >= SCREEN_HEIGHT - _EDGE and -down > abs(across):
            self._phone.go_home()
        else:
            tree = self._phone.tree()
            hit = tree.at(x1, y1)
            if hit is not None:
                self.scroll(tree, hit, (-across, -down))

    def scroll(self, tree: Tree, node: Node, by: tuple[float, float]) -> Tree:
        """Scroll the nearest scrolling parent; positive is towards right and bottom."""
        target = next((n for n in tree.upwards(node) if n.scrollable), None)
        if target is None:
            return tree
        return self._phone.fire(target, "scroll", [round(by[0]), round(by[1])])

    def write(self, node: Node, text: str, *, keep: bool = False) -> None:
        """Type into a component; ``keep`` appends to what it holds.

        One that is no text input is only touched; what then has the focus is written
        to, as on a device.
        """
        tree = self._phone.tree()
        inside = [node, *tree.below(node)]
        target = next((n for n in inside if n.type in TEXT_INPUTS), node)
        self.tap(*target.bounds.center)
        tree = self._phone.tree()
        focused = self._phone.focused(tree)
        if focused is not None:
            self._input(tree, focused, focused.text + text if keep else text)

    def write_at(self, x: float, y: float, text: str) -> None:
        """Touch a point and type there; a point off the screen keeps the focus."""
        if 0 <= x < SCREEN_WIDTH and 0 <= y < SCREEN_HEIGHT:
            self.tap(x, y)
        self.type(text)

    def type(self, text: str) -> None:
        tree = self._phone.tree()
        node = self._phone.focused(tree)
        if node is not None:
            kept = "" if self._all_selected else node.text
            self._all_selected = False
            self._input(tree, node, kept + text)

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
        elif key == _KEY_DELETE:
            tree = self._phone.tree()
            node = self._phone.focused(tree)
            if node is not None and node.text:
                self._input(tree, node, "" if self._all_selected else node.text[:-1])
            self._all_selected = False
        elif key not in _KEY_CURSOR:
            raise NotSimulatedError(f"key {key}")

    def _input(self, tree: Tree, node: Node, value: str) -> None:
        if all(parent.enabled for parent in tree.upwards(node)):
            self._phone.fire(node, "input", value)


def _takes(node: Node, event: str) -> bool:
    if event == "longClick":
        return node.long_clickable
    return node.clickable or node.checkable or node.type in TEXT_INPUTS
