"""A picture of the component tree: backgrounds, controls and texts, as a PNG.

Colors, opacity, rounded corners, sizes and alignment of texts are those of the app.
Letters are of dots, since no font comes with the device; pictures are crossed boxes.
"""

from __future__ import annotations

import struct
import zlib
from dataclasses import dataclass

from evaluator.simulator.device.lettering import (
    ADVANCE,
    CAPITAL,
    HEIGHT,
    LINE,
    lines,
    strokes,
)
from evaluator.simulator.device.paint import (
    ACCENT,
    FAINT,
    FIELD,
    INK,
    PICTURE,
    TOAST,
    WHITE,
    Paint,
    Palette,
    Rgb,
    number_of,
    paint_of,
)
from evaluator.simulator.device.tree import SCREEN_HEIGHT, SCREEN_WIDTH, Box, Node, Tree

_PIXELS = 3  # to a vp
_IMAGES = {"Image", "ImageAnimator", "Video", "Canvas", "Web", "XComponent"}
_FIELDS = {"TextInput", "TextArea", "Search"}
_MARKS = {"Checkbox", "Radio", "Toggle"}
_EDGE = 3
_FIELD_MARGIN = 16 * _PIXELS
_CORNER = 8 * _PIXELS
_DOT_SIZES = range(2, 10)
_CAPITALS = 0.6  # their height in a font of size 1
_MOST_LETTERS = 2000
_CENTER, _END = 1, 2
_DISABLED = 0.4


@dataclass(frozen=True, slots=True)
class _Ground:
    """What lies behind a component: the color painted last, and its opacity."""

    color: Rgb = WHITE
    opacity: float = 1.0
    on_button: bool = False


def draw(tree: Tree) -> bytes:
    """Return a PNG of the screen's size."""
    canvas = _Canvas()
    grounds: dict[int, _Ground] = {}
    for node in tree:
        behind = grounds.get(-1 if node.parent is None else node.parent, _Ground())
        grounds[node.uid] = canvas.draw(node, behind)
    return canvas.png()


class _Canvas:
    def __init__(self) -> None:
        self.palette = Palette()
        ground = bytes([self.palette.place(WHITE)])
        self.rows = [bytearray(ground * SCREEN_WIDTH) for _ in range(SCREEN_HEIGHT)]

    def draw(self, node: Node, behind: _Ground) -> _Ground:
        """Paint one component; returns what lies behind its children."""
        opacity = behind.opacity * min(1.0, number_of(node.style, "opacity") or 1.0)
        shade = opacity if node.enabled else opacity * _DISABLED
        color = behind.color
        fill = _fill(node)
        if fill is not None and fill.alpha > 0 and not node.bounds.empty:
            color = fill.over(behind.color, shade)
            self.box(node.bounds, color, _radius(node))
        if node.type in _IMAGES and not node.bounds.empty:
            self.cross(node.bounds, FAINT.over(color, shade))
        if node.focused and not node.bounds.empty:
            self.outline(node.bounds, ACCENT.over(color, shade))
        on_button = behind.on_button or node.type in ("Button", "Toast")
        text = (node.text or node.hint)[:_MOST_LETTERS]
        if text and not node.bounds.empty:
            ink = _ink(node, on_button=on_button).over(color, shade)
            self.write(node, text, ink)
        return _Ground(color, opacity, on_button)

    def box(self, box: Box, color: Rgb, radius: int) -> None:
        left, top, right, bottom = box
        line = bytes([self.palette.place(color)]) * (right - left)
        radius = min(radius, (right - left) // 2, (bottom - top) // 2)
        for y in range(top, bottom):
            from_edge = min(y - top, bottom - 1 - y)
            inset = _inset(radius, from_edge) if from_edge < radius else 0
            self.rows[y][left + inset : right - inset] = line[2 * inset :]

    def outline(self, box: Box, color: Rgb) -> None:
        left, top, right, bottom = box
        edge = min(_EDGE, right - left, bottom - top)
        for side in (
            Box(left, top, right, top + edge),
            Box(left, bottom - edge, right, bottom),
            Box(left, top, left + edge, bottom),
            Box(right - edge, top, right, bottom),
        ):
            self.box(side, color, 0)

    def cross(self, box: Box, color: Rgb) -> None:
        """The mark of a picture that is not decoded."""
        left, top, right, bottom = box
        self.outline(box, color)
        width, height = right - left, bottom - top
        line = bytes([self.palette.place(color)]) * min(_EDGE, width)
        for y in range(height):
            x = (width - len(line)) * y // height
            for start in (left + x, right - len(line) - x):
                self.rows[top + y][start : start + len(line)] = line

    def write(self, node: Node, text: str, ink: Rgb) -> None:
        """Write as large as the app says, smaller if the box is too small for that."""
        box = node.bounds
        before, after = _margins(node)
        width, height = box.right - box.left - before - after, box.bottom - box.top
        if width <= 0:
            return
        size, broken = _fitting(text, _dot_size(node), width, height)
        spare = height - len(broken) * LINE * size
        top = box.top + max(0, spare // 2) + size
        for number, line in enumerate(broken):
            y = top + number * LINE * size
            if y + HEIGHT * size > box.bottom:
                return
            room = width - len(line) * ADVANCE * size
            left = box.left + before + max(0, _shift(node, room))
            for place, letter in enumerate(line):
                self.letter(letter, left + place * ADVANCE * size, y, size, ink)

    def letter(self, letter: str, left: int, top: int, size: int, color: Rgb) -> None:
        ink = bytes([self.palette.place(color)])
        for column, row, length in strokes(letter):
            x, width = left + column * size, length * size
            if x + width > SCREEN_WIDTH:
                continue
            for y in range(top + row * size, top + (row + 1) * size):
                self.rows[y][x : x + width] = ink * width

    def png(self) -> bytes:
        header = struct.pack("!IIBBBBB", SCREEN_WIDTH, SCREEN_HEIGHT, 8, 3, 0, 0, 0)
        pixels = b"".join(b"\0" + row for row in self.rows)
        return b"\x89PNG\r\n\x1a\n" + b"".join(
            _chunk(tag, data)
            for tag, data in (
                (b"IHDR", header),
                (b"PLTE", self.palette.bytes()),
                (b"IDAT", zlib.compress(pixels, 1)),
                (b"IEND", b""),
            )
        )


def _fill(node: Node) -> Paint | None:
    """The background of a component: the app's, or what its kind has of itself."""
    if (given := paint_of(node.style.get("backgroundColor"))) is not None:
        return given
    if node.type in _IMAGES:
        return paint_of(node.style.get("fillColor")) or PICTURE
    if node.type == "Button":
        return ACCENT
    if node.type in _FIELDS:
        return FIELD
    if node.type in _MARKS:
        chosen = paint_of(node.style.get("selectedColor")) or ACCENT
        return chosen if node.checked else FAINT
    if node.type in ("Divider", "Line", "Progress", "Slider"):
        return paint_of(node.style.get("color")) or FIELD
    return TOAST if node.type == "Toast" else None


def _radius(node: Node) -> int:
    given = number_of(node.style, "borderRadius")
    if given is not None:
        return round(given * _PIXELS)
    if node.type in (*_FIELDS, *_MARKS, "Button"):
        return SCREEN_WIDTH  # as round as its height lets it be
    return _CORNER if node.type == "Toast" else 0


def _inset(radius: int, from_edge: int) -> int:
    """How far a rounded corner reaches in, on the line so far from the edge."""
    rise = radius - from_edge
    return radius - int((radius * radius - rise * rise) ** 0.5)


def _ink(node: Node, *, on_button: bool) -> Paint:
    if not node.text:
        return FAINT  # a hint
    given = paint_of(node.style.get("fontColor"))
    if given is not None:
        return given
    has_ground = "backgroundColor" in node.style
    return Paint(WHITE) if on_button and not has_ground else INK


def _margins(node: Node) -> tuple[int, int]:
    """The room before and after a text: the padding that the app gives."""
    given = node.style.get("padding")
    sides = given if isinstance(given, dict) else {"left": given, "right": given}
    own = _FIELD_MARGIN if node.type in _FIELDS else 0
    before, after = (
        own if (wide := number_of(sides, side)) is None else round(wide * _PIXELS)
        for side in ("left", "right")
    )
    return before, after


def _dot_size(node: Node) -> int:
    """Dots such that capitals are as high as those of the font would be."""
    wanted = number_of(node.style, "fontSize") or 16
    size = round(wanted * _PIXELS * _CAPITALS / CAPITAL)
    return max(_DOT_SIZES.start, min(size, _DOT_SIZES.stop))


def _fitting(text: str, wanted: int, width: int, height: int) -> tuple[int, list[str]]:
    """The size of dots, at most ``wanted``, with which the lines fit, and the lines."""
    for size in range(wanted, _DOT_SIZES.start, -1):
        broken = lines(text, width // (ADVANCE * size))
        if len(broken) * LINE * size <= height and width >= ADVANCE * size:
            return size, broken
    return _DOT_SIZES.start, lines(text, width // (ADVANCE * _DOT_SIZES.start))


def _shift(node: Node, room: int) -> int:
    align = node.style.get("textAlign", _CENTER if node.type == "Button" else 0)
    return room // 2 if align == _CENTER else room if align == _END else 0


def _chunk(tag: bytes, data: bytes) -> bytes:
    check = zlib.crc32(tag + data)
    return struct.pack("!I", len(data)) + tag + data + struct.pack("!I", check)
