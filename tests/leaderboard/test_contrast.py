"""The design tokens: enough contrast in both themes, and one dark theme, not two."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

TOKENS = (Path(__file__).parents[2] / "static" / "css" / "base.css").read_text("utf-8")
BACKGROUNDS = ("bg", "surface", "sunken", "lead")
TEXTS = ("ink", "muted", "subtle", "accent-ink")
GRAPHICS = ("accent", "new-feature", "spec-driven", "bug-fix")
# Text on a background of its own.
PAIRS = (
    ("on-accent", "accent"),
    ("on-accent", "accent-ink"),
    ("accent-ink", "accent-soft"),
    ("ok", "ok-soft"),
    ("ok", "surface"),
    ("warn", "warn-soft"),
    ("bad", "bad-soft"),
    ("bad", "surface"),
    ("ink", "warn-soft"),
    ("ink", "bad-soft"),
    ("ink", "ok-soft"),
    ("subtle", "ok-soft"),
    ("subtle", "bad-soft"),
)


def block(selector: str) -> dict[str, str]:
    found = re.search(re.escape(selector) + r"\s*\{(.*?)\}", TOKENS, re.DOTALL)
    assert found, f"base.css has no block for {selector}"
    return dict(re.findall(r"--([a-z0-9-]+):\s*(#[0-9a-f]{6}|[\d ]+);", found[1]))


LIGHT = block(":root")
DARK = block(':root[data-theme="dark"]')
DARK_BY_SYSTEM = block(':root:not([data-theme="light"])')
THEMES = {"light": LIGHT, "dark": DARK}


def channels(color: str) -> list[float]:
    return [int(color[place : place + 2], 16) / 255 for place in (1, 3, 5)]


def luminance(values: list[float]) -> float:
    linear = [
        value / 12.92 if value <= 0.04045 else ((value + 0.055) / 1.055) ** 2.4
        for value in values
    ]
    red, green, blue = linear
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: list[float], other: list[float]) -> float:
    light, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def test_both_dark_blocks_are_the_same():
    assert DARK == DARK_BY_SYSTEM
    assert DARK.keys() <= LIGHT.keys()


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("text", TEXTS)
@pytest.mark.parametrize("background", BACKGROUNDS)
def test_text_can_be_read_on_every_background(theme, text, background):
    colors = THEMES[theme]

    assert contrast(channels(colors[text]), channels(colors[background])) >= 4.5


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize(("text", "background"), PAIRS)
def test_text_can_be_read_on_its_own_background(theme, text, background):
    colors = THEMES[theme]

    assert contrast(channels(colors[text]), channels(colors[background])) >= 4.5


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("graphic", [*GRAPHICS, "line-strong"])
@pytest.mark.parametrize("background", ("surface", "lead", "bg"))
def test_marks_and_borders_of_controls_can_be_seen(theme, graphic, background):
    colors = THEMES[theme]

    assert contrast(channels(colors[graphic]), channels(colors[background])) >= 3


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("background", ("surface", "lead", "sunken"))
def test_numbers_can_be_read_on_the_darkest_heat(theme, background):
    colors = THEMES[theme]
    heat = [int(part) / 255 for part in colors["heat"].split()]
    mixed = [
        under * 0.7 + over * 0.3
        for under, over in zip(channels(colors[background]), heat, strict=True)
    ]

    assert contrast(channels(colors["ink"]), mixed) >= 4.5
