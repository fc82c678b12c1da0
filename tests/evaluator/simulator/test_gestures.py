"""Drags, pinches and the mouse: what apps are told, and how drivers bring it about."""

from __future__ import annotations

from pathlib import Path

import pytest

from evaluator.simulator.device.phone import Phone
from tests.evaluator.simulator.arkts import App
from tests.evaluator.simulator.conftest import Driver


@pytest.fixture
def page(app: App) -> App:
    return app.open("Touching")


def middle(app: App, wanted: str) -> tuple[int, int]:
    left, top, right, bottom = app.node(wanted)["bounds"]
    return (left + right) // 2, (top + bottom) // 2


def carry(app: App, start: str, *stops: str | tuple[int, int]) -> list[str]:
    """Hold ``start``, move over ``stops`` and let go; what the app said to it."""
    said: list[str] = []
    app.fire(start, "grab", middle(app, start))
    said += app.log
    for stop in stops:
        over, place = (start, stop) if isinstance(stop, tuple) else (stop, None)
        x, y = place or middle(app, over)
        app.fire(over, "carry", [x, y, place is None])
        said += app.log
    app.fire(start, "release")
    return said + app.log


def test_what_is_dragged_is_dropped_where_drops_are_taken(page: App):
    said = carry(page, "card", "card", "boxed", "box")

    assert said == ["start", "enter", "move", "drop", "end true"]
    assert page.text("boxed") == f"card at {middle(page, 'box')[0] / 3:g}"


def test_what_is_dropped_elsewhere_is_told_so(page: App):
    assert carry(page, "card", "box", "list") == [
        "start",
        "enter",
        "leave",
        "end false",
    ]
    assert carry(page, "card", "box", (5, 5))[-1] == "end false"
    assert page.text("boxed") == "empty"
    assert page.reply["not_simulated"] == []


@pytest.mark.parametrize(
    ("start", "stop", "rows"),
    [("row_a", "row_c", "bcad"), ("row_c", "row_a", "cabd")],
)
def test_a_row_that_is_dragged_changes_its_place(
    page: App, start: str, stop: str, rows: str
):
    assert carry(page, start, stop) == [rows]


def test_a_row_is_dragged_past_the_end_but_not_onto_itself(page: App):
    assert carry(page, "row_b", (600, 5000)) == ["acdb"]
    assert carry(page, "row_b", "row_b") == []


def test_a_swipe_drags_nothing(page: App):
    page.fire("card", "scroll", [0, 300])

    assert page.log == []
    assert page.reply["not_simulated"] == []


def test_what_drags_tell_and_nobody_simulates_is_named(page: App):
    carry(page, "odd", "box")
    carry(page, "cell", "box")
    carry(page, "plain", "box")

    assert page.reply["not_simulated"] == [
        "DragEvent.getPreviewRect",
        "Grid.onItemDragStart",
        "Text dragged without onDragStart",
    ]


def test_a_sequence_waits_for_the_long_press(page: App):
    page.fire("held", "scroll", [300, 0])
    assert page.log == []

    x, y = middle(page, "held")
    assert carry(page, "held", (x + 300, y)) == ["pressed", "moved 100"]


def test_two_fingers_pinch_or_turn_what_both_are_on(page: App):
    left, top, _, _ = page.node("zoom")["bounds"]
    other = page.node("zoom")["uid"]
    value = {"scale": 2, "angle": 0, "x": left + 90, "y": top, "other": other}

    page.fire("zoomed", "pinch", value)
    assert page.log == ["scale 2 at 30"]
    page.fire("zoomed", "pinch", {**value, "scale": 1, "angle": 45})
    assert page.log == ["angle 45"]
    assert page.fire("zoomed", "pinch", {**value, "other": page.node("two")["uid"]})
    assert page.log == []


def test_one_finger_is_not_taken_for_two(page: App):
    page.fire("two", "scroll", [300, 0])

    assert page.log == []


def test_the_pointer_of_the_mouse_comes_clicks_and_goes(page: App):
    page.fire("pointed", "hover", middle(page, "pointed"))
    assert page.log == ["over true"]
    page.fire("pointed", "mouse", ["left", *middle(page, "pointed")])
    assert page.log == ["by mouse true"]
    page.click("pointed")
    assert page.log == ["by mouse false"]
    page.fire("pointed", "longClick")
    assert page.find("open") is None
    page.fire("card", "hover", middle(page, "card"))
    assert page.log == ["over false"]

    page.fire("pointed", "mouse", ["right", *middle(page, "pointed")])

    assert page.log == ["over true", "right"]
    assert page.find("open") is not None


def test_the_wheel_scrolls_what_can_be_scrolled(page: App):
    assert page.find("row_d") is not None
    top = page.node("row_d")["bounds"][1]

    page.fire("row_a", "wheel", [1, *middle(page, "row_a")])
    page.fire("card", "wheel", [1, *middle(page, "card")])

    assert page.node("row_d")["bounds"][1] == top - 120  # 40 vp: the end of the list
    assert page.reply["not_simulated"] == []


def test_a_swipe_is_a_touch_that_moves(page: App):
    page.fire("traced", "scroll", [30, 0, 90, 0])

    assert page.log == ["false 30", "true 40", "false 40"]


# --- the driver ----------------------------------------------------------


def events(phone: Phone) -> list[str]:
    """The events that reached the app in front, the newest last, without repeats."""
    assert phone.front is not None
    said = [line.partition(" ")[2] for line in phone.front.process.log]
    found = [event for event in said if event]
    return [
        event for at, event in enumerate(found) if at == 0 or found[at - 1] != event
    ]


INPUT, SEND, TOGGLE, CRASH, LIST = 2, 3, 5, 6, 20


@pytest.mark.parametrize("how", ["drag", "dragBetween", "dragTo", "gesture", "shell"])
def test_a_drag_goes_from_component_to_component(
    ui: Driver, phone: Phone, hdc, how: str
):
    start, end = {"x": 100, "y": 550}, {"x": 200, "y": 750}
    if how == "drag":
        ui.driver("drag", 100, 550, 200, 750, 600)
    elif how == "dragBetween":
        ui.driver("dragBetween", start, end, 600, 2000)
    elif how == "dragTo":
        found = ui.find(("id", "toggle"))
        ui.call("Component.dragTo", found, ui.find(("text", "Crash")))
    elif how == "gesture":
        matrix = ui.call("PointerMatrix.create", None, 1, 2)
        held = {"x": 100 + 65536 * 900, "y": 550}
        for step, point in enumerate([held, end]):
            ui.call("PointerMatrix.setPoint", matrix, 0, step, point)
        ui.driver("injectMultiPointerAction", matrix, 2000)
    else:
        hdc("shell uinput -T -g 100 550 200 750 1000 2000")

    # Between the two lies the column that they stand in.
    assert events(phone) == [
        f"grab {TOGGLE}",
        "carry 0",
        f"carry {CRASH}",
        f"release {TOGGLE}",
    ]


def two_fingers(ui: Driver, *paths: tuple[tuple[int, int], tuple[int, int]]) -> dict:
    matrix = ui.call("PointerMatrix.create", None, len(paths), 2)
    for finger, path in enumerate(paths):
        for step, (x, y) in enumerate(path):
            point = {"x": x, "y": y}
            ui.call("PointerMatrix.setPoint", matrix, finger, step, point)
    return ui.reply("Driver.injectMultiPointerAction", "Driver#0", matrix, 2000)


def test_two_fingers_are_a_pinch_and_nothing_else(ui: Driver, phone: Phone):
    two_fingers(ui, ((600, 1400), (600, 1200)), ((600, 1600), (600, 1800)))
    ui.call("Component.pinchIn", ui.find(("type", "List")), 0.5)

    assert events(phone)[0].startswith("pinch 1")
    assert events(phone)[-1] == f"pinch {LIST}"
    for paths in (
        (((600, 1400), (600, 1200)), ((700, 1400), (700, 1200))),
        (((600, 1400), (600, 1400)), ((700, 1400), (700, 1400))),
    ):
        message = two_fingers(ui, *paths)["exception"]["message"]
        assert message.startswith("not simulated: ")


def test_a_mouse_clicks_and_hovers(ui: Driver, phone: Phone, hdc):
    ui.driver("mouseClick", {"x": 200, "y": 750}, 1)
    ui.driver("mouseMoveTo", {"x": 100, "y": 550})
    ui.driver("mouseMoveWithTrack", {"x": 100, "y": 550}, {"x": 200, "y": 750}, 3000)
    ui.driver("mouseScroll", {"x": 600, "y": 1500}, True, 2)
    hdc("shell uinput -M -b 100 550 0 50 100")
    hdc("shell uinput -M -m 100 550 -d 0 -i 1500 -u 0")

    assert events(phone) == [
        f"mouse {CRASH}",
        f"hover {TOGGLE}",
        "hover 0",
        f"hover {CRASH}",
        "wheel 102",
        f"mouse {TOGGLE}",
    ]


def test_a_drag_over_nothing_reaches_nothing(ui: Driver, phone: Phone, tmp_path: Path):
    ui.driver("pressHome")

    ui.driver("drag", 100, 550, 200, 750, 600)

    assert phone.front is None
