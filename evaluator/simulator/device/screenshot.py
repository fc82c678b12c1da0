"""A picture of the component tree: its boxes and texts, as a PNG with a palette."""

from __future__ import annotations

import struct
import zlib

from evaluator.simulator.device.lettering import ADVANCE, HEIGHT, LINE, dots, lines
from evaluator.simulator.device.tree import SCREEN_HEIGHT, SCREEN_WIDTH, Box, Node, Tree

_BACKGROUND, _OUTLINE, _CONTAINER, _TEXT, _CONTROL, _DISABLED, _IMAGE, _INK = range(8)
_PALETTE = bytes.fromhex("f1f3f5 8a94a6 ffffff eef3fb c5d9fb d5d8de b9d8c2 1b2430")
_IMAGES = {"Image", "Video", "Canvas", "Web", "XComponent"}
_EDGE = 3
_MARGIN = 12
_DOT_SIZES = range(7, 1, -1)
_MOST_LETTERS = 2000


def draw(tree: Tree) -> bytes:
    """Return a PNG of the screen's size; every component is a box with an outline."""
    rows = [bytearray(SCREEN_WIDTH) for _ in range(SCREEN_HEIGHT)]
    for node in tree:
        if not node.bounds.empty:
            _box(rows, node.bounds, _color(node))
            _write(rows, node.bounds, (node.text or node.hint)[:_MOST_LETTERS])
    return _png(rows)


def _box(rows: list[bytearray], box: Box, color: int) -> None:
    left, top, right, bottom = box
    width = right - left
    edge = bytes([_OUTLINE]) * width
    side = edge[:_EDGE]
    inside = bytes([color]) * max(0, width - 2 * _EDGE)
    middle = (side + inside + side)[:width]
    for y in range(top, bottom):
        outline = y < top + _EDGE or y >= bottom - _EDGE
        rows[y][left:right] = edge if outline else middle


def _write(rows: list[bytearray], box: Box, text: str) -> None:
    """Write as large as fits; what does not fit at all is cut off."""
    width, height = box.right - box.left - 2 * _MARGIN, box.bottom - box.top
    if not text or width <= 0:
        return
    for size in _DOT_SIZES:
        broken = lines(text, width // (ADVANCE * size))
        if len(broken) * LINE * size <= height and width >= ADVANCE * size:
            break
    spare = height - len(broken) * LINE * size
    top = box.top + max(0, spare // 2) + size
    for number, line in enumerate(broken):
        y = top + number * LINE * size
        if y + HEIGHT * size > box.bottom:
            return
        for place, letter in enumerate(line):
            _letter(rows, letter, box.left + _MARGIN + place * ADVANCE * size, y, size)


def _letter(rows: list[bytearray], letter: str, left: int, top: int, size: int) -> None:
    ink = bytes([_INK]) * size
    for column, row in dots(letter):
        x = left + column * size
        for y in range(top + row * size, top + (row + 1) * size):
            rows[y][x : x + size] = ink


def _color(node: Node) -> int:
    if not node.enabled:
        return _DISABLED
    if node.type in _IMAGES:
        return _IMAGE
    if node.clickable or node.checkable:
        return _CONTROL
    return _TEXT if node.text else _CONTAINER


def _png(rows: list[bytearray]) -> bytes:
    header = struct.pack("!IIBBBBB", SCREEN_WIDTH, SCREEN_HEIGHT, 8, 3, 0, 0, 0)
    pixels = b"".join(b"\0" + row for row in rows)
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        _chunk(tag, data)
        for tag, data in (
            (b"IHDR", header),
            (b"PLTE", _PALETTE),
            (b"IDAT", zlib.compress(pixels, 1)),
            (b"IEND", b""),
        )
    )


def _chunk(tag: bytes, data: bytes) -> bytes:
    check = zlib.crc32(tag + data)
    return struct.pack("!I", len(data)) + tag + data + struct.pack("!I", check)
