"""Whether a screen is made of components, and not of one picture of them."""

from __future__ import annotations

import json
import re
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

# What can show anything without a component for it.
PICTURES = frozenset({"Image", "Web", "Canvas", "XComponent", "Video", "RichText"})

# Beside the copy of this package, where the evaluator looks for them.
KEPT = Path(__file__).resolve().parent.parent / "screens"

_NAME = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
_BOUNDS = re.compile(r"\[(-?\d{1,9}),(-?\d{1,9})\]\[(-?\d{1,9}),(-?\d{1,9})\]")
_REMOTE = "/data/local/tmp/ohb_layout.json"
_MOST_COMPONENTS = 100_000


@dataclass(frozen=True)
class ScreenFacts:
    """What a dumped layout shows.

    ``components`` are visible parts of the screen that are no pictures;
    ``largest_picture`` is the share of the screen, from 0 to 1, that the largest
    picture covers; ``texts`` are those of components, in their order.
    """

    components: int
    largest_picture: float
    picture_type: str
    texts: tuple[str, ...]


def keep(driver: Any, name: str) -> None:
    """Keep a picture of the present screen under ``name``, for the visual judge.

    The name is one of those under ``visual`` in task.json; a later picture of the same
    name takes the place of an earlier one.
    """
    if not _NAME.fullmatch(name):
        raise ValueError(f"{name!r} is no name of a screen, such as 'home'")
    KEPT.mkdir(exist_ok=True)
    driver.capture_screen(str(KEPT / f"{name}.jpeg"))


def dumped_layout(driver: Any) -> Mapping[str, Any]:
    """The tree of the present screen, as uitest writes it."""
    with tempfile.TemporaryDirectory() as folder:
        local = Path(folder, "layout.json")
        driver.shell(f"uitest dumpLayout -p {_REMOTE}")
        driver.pull_file(_REMOTE, str(local))
        found: Mapping[str, Any] = json.loads(local.read_text("utf-8"))
    return found


def facts_of(layout: Mapping[str, Any]) -> ScreenFacts:
    """Count what is on the screen; ``layout`` is a tree from ``uitest dumpLayout``."""
    screen = _box(layout)
    area = max(1, _area(screen))
    components, largest, kind = 0, 0, ""
    texts: list[str] = []
    for attributes in _parts(layout):
        box = _inside(_box({"attributes": attributes}), screen)
        if not _area(box):
            continue
        if attributes.get("type") in PICTURES:
            if _area(box) > largest:
                largest, kind = _area(box), str(attributes["type"])
            continue
        components += 1
        if text := str(attributes.get("text") or attributes.get("originalText") or ""):
            texts.append(text)
    return ScreenFacts(components, largest / area, kind, tuple(texts))


def faults_of(
    found: ScreenFacts,
    *,
    texts: Sequence[str] = (),
    least_components: int = 3,
    most_picture: float = 0.8,
) -> list[str]:
    """What speaks against a screen of components, in words; empty if nothing does."""
    faults = []
    if found.components < least_components:
        faults.append(
            f"{found.components} components on the screen, {least_components} expected"
        )
    if found.largest_picture > most_picture:
        faults.append(
            f"one {found.picture_type} covers {found.largest_picture:.0%} of the "
            f"screen, {most_picture:.0%} allowed"
        )
    missing = [text for text in texts if not any(text in each for each in found.texts)]
    if missing:
        faults.append(f"no component with the text {', '.join(map(repr, missing))}")
    return faults


def check_made_of_components(
    driver: Any,
    *,
    texts: Sequence[str] = (),
    least_components: int = 3,
    most_picture: float = 0.8,
) -> ScreenFacts:
    """Fail the check unless the present screen is made of components.

    Each of ``texts`` has to be (part of) the text of a component; one picture, web page
    or canvas may cover ``most_picture`` of the screen, from 0 to 1.
    """
    found = facts_of(dumped_layout(driver))
    faults = faults_of(
        found,
        texts=texts,
        least_components=least_components,
        most_picture=most_picture,
    )
    if faults:
        raise AssertionError(f"not made of components: {'; '.join(faults)}")
    return found


def _parts(layout: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """Attributes of everything below the window, without what is not to be seen."""
    waiting = _children(layout)
    for _ in range(_MOST_COMPONENTS):
        if not waiting:
            return
        node = waiting.pop()
        attributes = node.get("attributes") or {}
        if attributes.get("visible", "true") != "false":
            yield attributes
            waiting += _children(node)


def _children(node: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """The last first, as a stack takes them."""
    return list(reversed(node.get("children") or ()))


def _box(node: Mapping[str, Any]) -> tuple[int, int, int, int]:
    attributes = node.get("attributes") or {}
    bounds = _BOUNDS.fullmatch(str(attributes.get("bounds", "")))
    if bounds is None:
        return (0, 0, 0, 0)
    left, top, right, bottom = (int(each) for each in bounds.groups())
    return (left, top, right, bottom)


def _inside(
    box: tuple[int, int, int, int], screen: tuple[int, int, int, int]
) -> tuple[int, int, int, int]:
    return (
        max(box[0], screen[0]),
        max(box[1], screen[1]),
        min(box[2], screen[2]),
        min(box[3], screen[3]),
    )


def _area(box: tuple[int, int, int, int]) -> int:
    return max(0, box[2] - box[0]) * max(0, box[3] - box[1])
