"""The layout that `uitest dumpLayout` writes."""

from __future__ import annotations

from typing import Any

from evaluator.simulator.device.tree import SCREEN, Box, Node, Tree


def attributes(node: Node) -> dict[str, str]:
    """Every attribute of a component as dumpLayout spells it."""

    def flag(value: bool) -> str:
        return "true" if value else "false"

    return {
        "bounds": _bounds(node.bounds),
        "checkable": flag(node.checkable),
        "checked": flag(node.checked),
        "clickable": flag(node.clickable),
        "description": node.description,
        "enabled": flag(node.enabled),
        "focused": flag(node.focused),
        "hint": node.hint,
        "id": node.id,
        "key": node.id,
        "longClickable": flag(node.long_clickable),
        "originalText": node.text,
        "scrollable": flag(node.scrollable),
        "selected": flag(node.selected),
        "text": node.text,
        "type": node.type,
        "visible": "true",
    }


def dump(tree: Tree, *, bundle: str) -> dict[str, Any]:
    """The tree as nested objects below one root that stands for the window."""
    root: dict[str, Any] = {
        "attributes": {
            "bounds": _bounds(SCREEN),
            "bundleName": bundle,
            "type": "root",
            "text": "",
            "id": "",
            "key": "",
        },
        "children": [],
    }
    made: dict[int, dict[str, Any]] = {}
    for node in tree:
        entry: dict[str, Any] = {"attributes": attributes(node), "children": []}
        made[node.uid] = entry
        above = root if node.parent is None else made[node.parent]
        above["children"].append(entry)
    return root


def _bounds(box: Box) -> str:
    left, top, right, bottom = (max(0, side) for side in box)
    return f"[{left},{top}][{right},{bottom}]"
