"""A picture of the component tree: its boxes, as a PNG with a palette."""

from __future__ import annotations

import struct
import zlib

from evaluator.simulator.device.tree import SCREEN_HEIGHT, SCREEN_WIDTH, Node, Tree

_BACKGROUND, _OUTLINE, _CONTAINER, _TEXT, _CONTROL, _DISABLED, _IMAGE = range(7)
_PALETTE = bytes.fromhex("f1f3f5 8a94a6 ffffff dce6f5 3478f6 c4c9d1 b9d8c2")
_IMAGES = {"Image", "Video", "Canvas", "Web", "XComponent"}
_LINE = 3


def draw(tree: Tree) -> bytes:
    """Return a PNG of the screen's size; every component is a box with an outline."""
    rows = [bytearray(SCREEN_WIDTH) for _ in range(SCREEN_HEIGHT)]
    for node in tree:
        left, top, right, bottom = node.bounds
        width, color = right - left, _color(node)
        if width <= 0 or bottom <= top:
            continue
        edge = bytes([_OUTLINE]) * width
        side = edge[:_LINE]
        inner = max(0, width - 2 * _LINE)
        middle = (side + bytes([color]) * inner + side)[:width]
        for y in range(top, bottom):
            outline = y < top + _LINE or y >= bottom - _LINE
            rows[y][left:right] = edge if outline else middle
    return _png(rows)


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
