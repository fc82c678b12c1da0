"""Parts of pages that are drawn once: they never show what was put in for another."""

from __future__ import annotations

from datetime import date
from typing import NamedTuple

import pytest
from django.template import engines
from django.utils.safestring import mark_safe
from django.utils.translation import override

from leaderboard import memory
from leaderboard.late import Keyed, Late
from leaderboard.moulds import Mould, hole

HOSTILE = '"><script>%s %(x)s {{ it }}</script>&amp;'


class Link(NamedTuple):
    name: str
    href: str


@pytest.fixture
def part(settings, tmp_path):
    """Draws ``part.html`` with what is given, and counts how often it was drawn."""
    django = engines["django"].engine
    folder = tmp_path / "templates"
    folder.mkdir()
    source = folder / "part.html"
    page = folder / "page.html"
    loader = django.template_loaders[0]
    before = django.dirs
    django.dirs = [folder, *before]
    loader.reset()

    def draw(text: str, **given: object) -> str:
        source.write_text(text, "utf-8")
        names = " ".join(f"{name}={name}" for name in given)
        page.write_text(f'{{% load parts %}}{{% kept "part.html" {names} %}}', "utf-8")
        loader.reset()
        return engines["django"].get_template("page.html").render(dict(given))

    yield draw
    django.dirs = before
    loader.reset()


@pytest.mark.parametrize(
    "given",
    [
        {"it": HOSTILE},
        {"it": Late(HOSTILE)},
        {"it": mark_safe("<b>%</b>")},
        {"it": 1},
        {"it": 1.0},
        {"it": True},
        {"it": None},
        {"it": date(2026, 11, 2)},
        {"it": [Link("a", Late("?x=%")), Link(HOSTILE, Late("?y=2"))]},
        {"it": {"a": Late(HOSTILE), "b": "c"}},
        {"it": (1, [2, "3"])},
        {"it": Keyed(None, "anew"), "also": Late("x")},
    ],
    ids=str,
)
def test_a_part_shows_what_it_would_show_if_it_were_drawn_anew(part, given):
    text = (
        "{{ it }}|{{ it.a }}|{{ it.0.name }}{{ it.0.href }}{{ it.1.href }}|{{ also }}"
    )
    memory.forget()
    # With fewer values it is remembered first; nothing of that may come back.
    part(text, it="another", also=Late("another"))
    plain = {
        name: str(value) if isinstance(value, Late) else value
        for name, value in given.items()
    }

    shown = part(text, **given)

    anew = engines["django"].from_string(text).render(plain)
    if isinstance(given["it"], list | dict):
        # The whole of it is what Python writes, which no page shows.
        shown, anew = shown.partition("|")[2], anew.partition("|")[2]
    assert shown == anew


def test_a_part_is_drawn_once_for_equal_values_and_each_language(part):
    drawn = []

    def note() -> str:
        drawn.append(1)
        return "drawn"

    text = "{{ it.it }}{{ link }}"
    for link in ("?a", "?b", "?<"):
        assert part(text, it=Keyed("key", note), link=Late(link)).startswith("drawn?")
    assert len(drawn) == 1
    with override("zh-hans"):
        part(text, it=Keyed("key", note), link=Late("?a"))
    part(text, it=Keyed("another", note), link=Late("?a"))
    part(text, it=Keyed(None, note), link=Late("?a"))
    part(text, it=Keyed(None, note), link=Late("?a"))
    assert len(drawn) == 5


def test_values_that_are_equal_and_look_different_are_kept_apart(part):
    shown = [
        part("{{ it }}", it=each) for each in (1, True, 1.0, "1", mark_safe("&"), "&")
    ]

    assert shown == ["1", "True", "1.0", "1", "&", "&amp;"]


def test_holes_are_filled_in_any_order_and_as_often_as_they_stand():
    mould = Mould(f"100% {hole(1)}{hole(0)} %s {hole(1)}")

    assert mould.fill(["<a>", "%d"]) == "100% %d<a> %s %d"
    assert Mould("100%").fill([]) == "100%"
    assert Mould(hole(2)).fill(["a", "b", "c"]) == "c"
