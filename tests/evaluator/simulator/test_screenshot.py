"""A screenshot has the colors, corners and texts that the app gave its components."""

from __future__ import annotations

import struct
import zlib
from typing import Any

import pytest

from evaluator.simulator.device.paint import Paint, Palette, Rgb, paint_of
from evaluator.simulator.device.screenshot import draw
from evaluator.simulator.device.tree import SCREEN_HEIGHT, SCREEN_WIDTH, read_tree

RED, GREEN, WHITE = Rgb(255, 0, 0), Rgb(0, 128, 0), Rgb(255, 255, 255)
BLUE = Rgb(0x0A, 0x59, 0xF7)


class Picture:
    """The pixels of a PNG with a palette."""

    def __init__(self, png: bytes) -> None:
        chunks, at = {}, 8
        while at < len(png):
            (length,) = struct.unpack("!I", png[at : at + 4])
            chunks[png[at + 4 : at + 8]] = png[at + 8 : at + 8 + length]
            at += 12 + length
        palette = chunks[b"PLTE"]
        self.colors = [Rgb(*palette[i : i + 3]) for i in range(0, len(palette), 3)]
        self.pixels = zlib.decompress(chunks[b"IDAT"])
        assert len(self.pixels) == SCREEN_HEIGHT * (SCREEN_WIDTH + 1)

    def at(self, x: int, y: int) -> Rgb:
        return self.colors[self.pixels[y * (SCREEN_WIDTH + 1) + 1 + x]]

    def columns_of(self, color: Rgb) -> list[int]:
        wide = SCREEN_WIDTH + 1
        place = self.colors.index(color)
        return [at % wide - 1 for at, here in enumerate(self.pixels) if here == place]


def node(uid: int, kind: str, bounds: list[int], **more: Any) -> dict[str, Any]:
    parent = more.pop("parent", None)
    return {"uid": uid, "parent": parent, "type": kind, "bounds": bounds, **more}


def on(color: str, **more: object) -> dict[str, object]:
    return {"backgroundColor": color, **more}


def picture(*nodes: dict[str, Any]) -> Picture:
    return Picture(draw(read_tree(list(nodes))))


@pytest.mark.parametrize(
    ("value", "paint"),
    [
        ("#F00", Paint(RED)),
        ("#ff0000", Paint(RED)),
        ("#80FF0000", Paint(RED, 128 / 255)),
        (0xFF0000, Paint(RED)),
        (0x80FF0000, Paint(RED, 128 / 255)),
        ("rgb(255, 0, 0)", Paint(RED)),
        ("rgba(255, 0, 0, 0.5)", Paint(RED, 0.5)),
        ("transparent", Paint(WHITE, 0.0)),
        ("rgb(999, 0, 0)", None),
        ("#12345", None),
        ("red?", None),
        (True, None),
        ({"id": 1}, None),
    ],
)
def test_colors_are_read_as_apps_write_them(value: object, paint: Paint | None):
    assert paint_of(value) == paint


def test_a_box_has_its_background_and_round_corners():
    style = {"backgroundColor": "#FF0000", "borderRadius": "10vp"}
    seen = picture(node(1, "Column", [100, 100, 400, 300], style=style))

    assert seen.at(250, 200) == RED
    assert seen.at(100, 100) == WHITE  # outside of the corner
    assert seen.at(100, 200) == RED
    assert seen.at(500, 200) == WHITE


def test_opacity_and_translucent_colors_let_the_ground_through():
    seen = picture(
        node(1, "Column", [0, 0, 400, 400], style=on("#FF0000")),
        node(2, "Row", [0, 0, 100, 100], parent=1, style=on("#80FFFFFF")),
        node(3, "Row", [200, 0, 300, 100], parent=1, style=on("#FFFFFF", opacity=0.5)),
        node(4, "Row", [0, 200, 100, 300], parent=1, style=on("#00FFFFFF")),
    )

    assert seen.at(50, 50) == Rgb(255, 128, 128)
    assert seen.at(250, 50) == Rgb(255, 128, 128)
    assert seen.at(50, 250) == RED


def test_a_text_is_written_in_its_color_where_its_alignment_puts_it():
    style = {"fontColor": "#008000", "fontSize": 16}
    box = [0, 0, 900, 90]

    start, center, end = (
        picture(node(1, "Text", box, text="Hi", style={**style, "textAlign": align}))
        for align in (0, 1, 2)
    )

    assert min(start.columns_of(GREEN)) < 20
    assert 400 < min(center.columns_of(GREEN)) < 450
    assert max(end.columns_of(GREEN)) > 880
    padded = {**style, "padding": {"left": 20}}
    seen = picture(node(1, "Text", box, text="Hi", style=padded))
    assert min(seen.columns_of(GREEN)) >= 60


def test_controls_are_told_from_one_another():
    seen = picture(
        node(1, "Button", [0, 0, 300, 120]),
        node(2, "Button", [0, 200, 300, 320], enabled=False),
        node(3, "Toggle", [0, 400, 120, 460], checkable=True, checked=True),
        node(4, "Toggle", [0, 500, 120, 560], checkable=True),
        node(5, "Image", [600, 0, 900, 300]),
        node(6, "TextInput", [0, 600, 900, 700], focused=True),
    )

    shades = [seen.at(150, 60), seen.at(150, 260), seen.at(60, 430), seen.at(60, 530)]
    assert shades[0] == shades[2] == BLUE
    assert len(set(shades)) == 3
    assert seen.at(750, 20) not in {WHITE, BLUE}
    assert seen.at(450, 600) == BLUE  # the edge of what has the focus


def test_a_palette_takes_the_nearest_color_when_it_is_full():
    palette = Palette()
    places = [palette.place(Rgb(number, 0, 0)) for number in range(256)]

    assert places == list(range(256))
    assert palette.place(Rgb(200, 3, 0)) == 200
    assert len(palette.bytes()) == 3 * 256
