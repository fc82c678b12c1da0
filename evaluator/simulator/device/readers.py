"""What a component or a window tells about itself, by the names of the RPC calls."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from evaluator.simulator.device.layout import attributes
from evaluator.simulator.device.tree import SCREEN, Box, Node


def _sides(box: Box) -> dict[str, int]:
    return dict(box._asdict())


COMPONENT: Mapping[str, Callable[[Node], Any]] = {
    "getText": lambda node: node.text,
    "getOriginalText": lambda node: node.text,
    "getId": lambda node: node.id,
    "getKey": lambda node: node.id,
    "getType": lambda node: node.type,
    "getHint": lambda node: node.hint,
    "getDescription": lambda node: node.description,
    "getBounds": lambda node: _sides(node.bounds),
    "getBoundsCenter": lambda node: dict(zip("xy", node.bounds.center, strict=True)),
    "getAllProperties": lambda node: attributes(node),
    "isEnabled": lambda node: node.enabled,
    "isClickable": lambda node: node.clickable,
    "isLongClickable": lambda node: node.long_clickable,
    "isScrollable": lambda node: node.scrollable,
    "isCheckable": lambda node: node.checkable,
    "isChecked": lambda node: node.checked,
    "isSelected": lambda node: node.selected,
    "isFocused": lambda node: node.focused,
}

WINDOW: Mapping[str, Callable[[str], Any]] = {
    "getBundleName": lambda bundle: bundle,
    "getTitle": lambda bundle: bundle,
    "getBounds": lambda bundle: _sides(SCREEN),
    "getWindowMode": lambda bundle: 0,
    "isFocused": lambda bundle: True,
    "isActived": lambda bundle: True,
    "isActive": lambda bundle: True,
}
