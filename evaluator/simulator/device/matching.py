"""Finding components by uitest's `On` conditions."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from evaluator.simulator.device.omissions import NotSimulatedError
from evaluator.simulator.device.tree import Node, Tree

_TEXTS: Mapping[str, Callable[[Node], str]] = {
    "id": lambda node: node.id,
    "key": lambda node: node.id,
    "text": lambda node: node.text,
    "originalText": lambda node: node.text,
    "type": lambda node: node.type,
    "hint": lambda node: node.hint,
    "description": lambda node: node.description,
}
_FLAGS: Mapping[str, Callable[[Node], bool]] = {
    "enabled": lambda node: node.enabled,
    "clickable": lambda node: node.clickable,
    "longClickable": lambda node: node.long_clickable,
    "scrollable": lambda node: node.scrollable,
    "checkable": lambda node: node.checkable,
    "checked": lambda node: node.checked,
    "selected": lambda node: node.selected,
    "focused": lambda node: node.focused,
}
_PATTERNS: tuple[Callable[[str, str], bool], ...] = (
    lambda actual, wanted: actual == wanted,
    lambda actual, wanted: wanted in actual,
    lambda actual, wanted: actual.startswith(wanted),
    lambda actual, wanted: actual.endswith(wanted),
    lambda actual, wanted: re.search(wanted, actual) is not None,
    lambda actual, wanted: re.search(wanted, actual, re.IGNORECASE) is not None,
)


@dataclass(frozen=True, slots=True)
class Condition:
    """One link of a chain such as ``On.text("a").within(On.type("List"))``."""

    name: str
    arguments: tuple[Any, ...]


def read_condition(
    name: str, arguments: Sequence[Any], chains: Mapping[str, Any]
) -> Condition:
    """Check one call on `On`; chains that it refers to are put in the place of ids."""
    if name in _TEXTS:
        pattern = arguments[1] if len(arguments) > 1 else 0
        if not isinstance(pattern, int) or not 0 <= pattern < len(_PATTERNS):
            raise NotSimulatedError(f"match pattern {pattern!r}")
        return Condition(name, (str(arguments[0]), pattern))
    if name in _FLAGS:
        return Condition(name, (bool(arguments[0]) if arguments else True,))
    if name in {"within", "isBefore", "isAfter"}:
        return Condition(name, (chains[arguments[0]],))
    if name == "inWindow":
        return Condition(name, (str(arguments[0]),))
    raise NotSimulatedError(f"On.{name}")


def find(tree: Tree, chain: Sequence[Condition], *, bundle: str) -> list[Node]:
    """The components in view that meet every condition, in order.

    ``bundle`` is the app whose window the tree shows.
    """
    found = list(tree)
    for condition in chain:
        found = _keep(tree, found, condition, bundle=bundle)
    return found


def _keep(
    tree: Tree, nodes: list[Node], condition: Condition, *, bundle: str
) -> list[Node]:
    name, arguments = condition.name, condition.arguments
    if name in _TEXTS:
        read, (wanted, pattern) = _TEXTS[name], arguments
        return [node for node in nodes if _PATTERNS[pattern](read(node), wanted)]
    if name in _FLAGS:
        return [node for node in nodes if _FLAGS[name](node) is arguments[0]]
    if name == "inWindow":
        return nodes if arguments[0] == bundle else []
    anchors = find(tree, arguments[0], bundle=bundle)
    if name == "within":
        around = {anchor.uid for anchor in anchors}
        return [node for node in nodes if _lies_in(tree, node, around)]
    if not anchors:
        return []
    place = tree.place_of(anchors[0])
    if name == "isAfter":
        return [node for node in nodes if tree.place_of(node) > place]
    return [node for node in nodes if tree.place_of(node) < place]


def _lies_in(tree: Tree, node: Node, around: set[int]) -> bool:
    return any(parent.uid in around for parent in tree.upwards(node) if parent != node)
