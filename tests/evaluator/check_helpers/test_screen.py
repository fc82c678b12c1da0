"""A screen of components against one picture of them, from dumped layouts."""

from __future__ import annotations

import pytest

from evaluator.check_helpers.ohb_checks.screen import (
    check_made_of_components,
    facts_of,
    faults_of,
)


def part(kind: str, bounds: str, text: str = "", *children, **more):
    return {
        "attributes": {"type": kind, "bounds": bounds, "text": text, **more},
        "children": list(children),
    }


def screen(*children):
    return part("root", "[0,0][1000,2000]", "", *children)


FORM = screen(
    part(
        "Column",
        "[0,0][1000,2000]",
        "",
        part("Text", "[0,0][1000,100]", "Notes"),
        part("Image", "[0,100][1000,500]"),
        part("Button", "[0,500][500,600]", "", part("Text", "[9,509][90,90]", "")),
        part("Text", "[0,700][500,800]", "gone", visible="false"),
        part("Text", "[0,2500][500,2600]", "below"),
    )
)
PICTURE = screen(
    part("Stack", "[0,0][1000,2000]", "", part("Image", "[0,0][1000,2000]"))
)
PAGE = screen(
    part("Web", "[0,50][1000,2000]", "Notes"),
    part("Text", "[0,0][10,10]", "a"),
    part("Text", "[10,0][20,10]", "b"),
    part("Text", "[20,0][30,10]", "c"),
)


def test_what_is_seen_is_counted():
    found = facts_of(FORM)

    # The column, a text and a button; no empty, hidden or scrolled away part.
    assert found.components == 3
    assert found.texts == ("Notes",)
    assert (found.largest_picture, found.picture_type) == (0.2, "Image")
    assert faults_of(found, texts=["Notes"]) == []


@pytest.mark.parametrize(
    ("layout", "faults"),
    [
        (
            PICTURE,
            [
                "1 components on the screen, 3 expected",
                "one Image covers 100% of the screen, 80% allowed",
                "no component with the text 'Notes'",
            ],
        ),
        # What a web page shows is no text of a component.
        (
            PAGE,
            [
                "one Web covers 98% of the screen, 80% allowed",
                "no component with the text 'Notes'",
            ],
        ),
        (
            {},
            [
                "0 components on the screen, 3 expected",
                "no component with the text 'Notes'",
            ],
        ),
    ],
)
def test_a_picture_or_a_web_page_of_an_app_is_told_from_one(layout, faults):
    assert faults_of(facts_of(layout), texts=["Notes"]) == faults


class Driver:
    """Answers as Hypium's driver does."""

    def __init__(self, layout: str) -> None:
        self._layout = layout
        self.asked = ""

    def shell(self, command: str) -> str:
        self.asked = command
        return "DumpLayout saved to:..."

    def pull_file(self, device_path: str, local_path: str) -> None:
        assert device_path in self.asked
        with open(local_path, "w") as stream:  # noqa: PTH123 - as Hypium has it
            stream.write(self._layout)


def test_a_check_fails_with_what_was_seen():
    empty = Driver('{"attributes": {"bounds": "[0,0][10,10]"}, "children": null}')

    with pytest.raises(AssertionError, match="not made of components: 0 components"):
        check_made_of_components(empty)
    assert check_made_of_components(empty, least_components=0).components == 0
