"""The component tree of the app in front, checked, and what of it is on the screen."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

SCREEN_WIDTH = 1308
SCREEN_HEIGHT = 2880

_MAX_NODES = 20_000
_MAX_TEXT = 200_000
_COORDINATE_LIMIT = 10_000_000


class BadTreeError(ValueError):
    """The app process answered with something that is no component tree."""


class Box(NamedTuple):
    """A rectangle in screen pixels; right and bottom lie outside."""

    left: int
    top: int
    right: int
    bottom: int

    @property
    def empty(self) -> bool:
        return self.right <= self.left or self.bottom <= self.top

    @property
    def center(self) -> tuple[int, int]:
        return (self.left + self.right) // 2, (self.top + self.bottom) // 2

    def contains(self, x: float, y: float) -> bool:
        return self.left <= x < self.right and self.top <= y < self.bottom

    def cut_to(self, other: Box) -> Box:
        return Box(
            max(self.left, other.left),
            max(self.top, other.top),
            min(self.right, other.right),
            min(self.bottom, other.bottom),
        )


SCREEN = Box(0, 0, SCREEN_WIDTH, SCREEN_HEIGHT)


@dataclass(frozen=True, slots=True)
class Node:
    """One component; ``bounds`` is what of it is in view."""

    uid: int
    parent: int | None
    type: str
    bounds: Box
    id: str = ""
    text: str = ""
    hint: str = ""
    description: str = ""
    enabled: bool = True
    clickable: bool = False
    long_clickable: bool = False
    scrollable: bool = False
    checkable: bool = False
    checked: bool = False
    selected: bool = False
    focused: bool = False
    style: Mapping[str, Any] = field(default_factory=dict)


class Tree(Sequence[Node]):
    """The components in view in paint order, parents before children."""

    def __init__(self, nodes: Sequence[Node] = ()) -> None:
        self._nodes = tuple(nodes)
        self._place = {node.uid: place for place, node in enumerate(self._nodes)}

    def __len__(self) -> int:
        return len(self._nodes)

    def __getitem__(self, place: Any) -> Any:
        return self._nodes[place]

    def get(self, uid: int) -> Node | None:
        place = self._place.get(uid)
        return None if place is None else self._nodes[place]

    def place_of(self, node: Node) -> int:
        return self._place[node.uid]

    def upwards(self, node: Node) -> Iterator[Node]:
        """``node`` itself, then its parents up to the root."""
        current: Node | None = node
        while current is not None:
            yield current
            current = None if current.parent is None else self.get(current.parent)

    def at(self, x: float, y: float) -> Node | None:
        """The topmost component at a point, as a finger meets it."""
        for node in reversed(self._nodes):
            if node.bounds.contains(x, y) and not _lets_touches_through(node):
                return node
        return None

    def below(self, node: Node) -> Iterator[Node]:
        """Every descendant of ``node``, in order."""
        inside = {node.uid}
        for other in self._nodes[self.place_of(node) + 1 :]:
            if other.parent in inside:
                inside.add(other.uid)
                yield other


def _lets_touches_through(node: Node) -> bool:
    behavior = str(node.style.get("hitTestBehavior", ""))
    return behavior.rsplit(".", 1)[-1] in {"None", "Transparent"}


def read_tree(value: object) -> Tree:
    """Check the ``tree`` of a reply and keep the components that are in view.

    A component is out of view when it or a parent is not visible, or when nothing of
    it lies inside the screen and its scrolling parents. The app process is not
    trusted, so every field is checked: raises BadTreeError.
    """
    if not isinstance(value, list) or len(value) > _MAX_NODES:
        raise BadTreeError("the tree is no list of components")
    kept: dict[int, tuple[Node, Box]] = {}
    seen: set[int] = set()
    for raw in value:
        uid, parent = _numbers(raw)
        if uid in seen or (parent is not None and parent not in seen):
            raise BadTreeError(f"component {uid} comes twice or before its parent")
        seen.add(uid)
        if parent is not None and parent not in kept:
            continue
        window = SCREEN if parent is None else kept[parent][1]
        full = _box(raw.get("bounds"))
        shown = full.cut_to(window)
        if raw.get("visible") is False or (shown.empty and not _touches(full, window)):
            continue
        node = _node(raw, uid=uid, parent=parent, bounds=shown)
        kept[uid] = (node, shown if node.scrollable else window)
    return Tree([node for node, _ in kept.values()])


def _touches(box: Box, window: Box) -> bool:
    # A component without an area (an empty text) is in view where its corner is.
    inside = (
        window.left <= box.left <= window.right
        and window.top <= box.top <= window.bottom
    )
    return box.empty and inside


def _numbers(raw: object) -> tuple[int, int | None]:
    if not isinstance(raw, dict):
        raise BadTreeError("a component is no object")
    uid, parent = raw.get("uid"), raw.get("parent")
    if not isinstance(uid, int) or not (parent is None or isinstance(parent, int)):
        raise BadTreeError("a component has no uid, or a parent that is no uid")
    return uid, parent


def _box(value: object) -> Box:
    if not isinstance(value, list) or len(value) != 4:
        raise BadTreeError("bounds are not four numbers")
    sides = []
    for side in value:
        if isinstance(side, bool) or not isinstance(side, int | float):
            raise BadTreeError("bounds are not four numbers")
        if not -_COORDINATE_LIMIT < side < _COORDINATE_LIMIT:
            raise BadTreeError("bounds are out of every screen")
        sides.append(round(side))
    return Box(*sides)


def _node(raw: Mapping[str, Any], *, uid: int, parent: int | None, bounds: Box) -> Node:
    def text(name: str) -> str:
        value = raw.get(name)
        if value is None:
            return ""
        if not isinstance(value, str) or len(value) > _MAX_TEXT:
            raise BadTreeError(f"{name} of component {uid} is no text")
        # Half a surrogate pair cannot be written to any file.
        return value.encode("utf-8", "replace").decode("utf-8")

    def flag(name: str, *, default: bool = False) -> bool:
        return bool(raw.get(name, default))

    style = raw.get("style")
    return Node(
        uid=uid,
        parent=parent,
        type=text("type"),
        bounds=bounds,
        id=text("id"),
        text=text("text"),
        hint=text("hint"),
        description=text("description"),
        enabled=flag("enabled", default=True),
        clickable=flag("clickable"),
        long_clickable=flag("longClickable"),
        scrollable=flag("scrollable"),
        checkable=flag("checkable"),
        checked=flag("checked"),
        selected=flag("selected"),
        focused=flag("focused"),
        style=style if isinstance(style, dict) else {},
    )
