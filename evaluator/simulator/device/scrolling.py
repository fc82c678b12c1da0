"""Scrolling a component until something is found, or until it stops moving."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from evaluator.simulator.device.phone import Phone
from evaluator.simulator.device.touch import Hand
from evaluator.simulator.device.tree import Node, Tree

_MAX_STEPS = 60
_STEP = 0.7


def scroll_search(
    phone: Phone,
    hand: Hand,
    node: Node,
    look: Callable[[Tree], Sequence[Node]],
    *,
    vertical: bool | None = True,
) -> Node | None:
    """Scroll forward to the end, then back to the start, until ``look`` finds one."""
    for direction in (1, -1):
        for _ in range(_MAX_STEPS):
            tree = phone.tree()
            found = look(tree)
            if found:
                return found[0]
            if not _step(hand, tree, node, direction, vertical=vertical is not False):
                break
    return None


def scroll_to_end(phone: Phone, hand: Hand, node: Node, *, down: bool) -> None:
    for _ in range(_MAX_STEPS):
        if not _step(hand, phone.tree(), node, 1 if down else -1, vertical=True):
            return


def _step(
    hand: Hand, tree: Tree, node: Node, direction: int, *, vertical: bool
) -> bool:
    """Scroll by most of a page; whether anything moved."""
    current = tree.get(node.uid)
    if current is None:
        return False
    left, top, right, bottom = current.bounds
    length = (top - bottom if vertical else left - right) * _STEP * direction
    after = hand.drag(current, (0, length) if vertical else (length, 0))
    return list(after) != list(tree)
