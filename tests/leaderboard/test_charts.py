"""Figures: places on the drawing, round values, frontier and labels."""

from __future__ import annotations

import pytest

from leaderboard.charts import cost_scatter, run_axis, run_ticks, source_dots
from leaderboard.charts.cost import CostPoint, frontier
from leaderboard.charts.labels import (
    CHARACTER_WIDTH,
    Box,
    Point,
    place_labels,
    shortened,
    text_width,
)
from leaderboard.charts.scales import Scale
from leaderboard.metrics import run_range

# Tokens (million), mean, lowest and highest run (percent) of the published rows.
PUBLISHED = [
    ("GLM-5.2", 2.57, 58.39, 56.21, 60.78),
    ("Kimi-K3", 1.02, 57.30, 53.59, 62.09),
    ("Qwen3.8-Max-Preview", 0.98, 55.99, 54.90, 57.52),
    ("Qwen3.7-Max", 1.27, 53.38, 51.63, 55.56),
    ("GLM-5.1", 1.60, 52.29, 50.33, 54.90),
    ("Kimi-K2.7-Code", 1.88, 52.07, 50.98, 52.94),
    ("DeepSeek-V4-Pro", 1.33, 52.07, 50.33, 54.25),
    ("MiniMax-M3", 3.69, 48.37, 45.75, 49.67),
]


def point(name: str, cost: float, mean: float, low: float, high: float) -> CostPoint:
    return CostPoint(name, f"/e/{name}/", cost, mean, low, high)


POINTS = [point(*row) for row in PUBLISHED]


def test_a_scale_maps_its_ends_and_keeps_order():
    scale = Scale(45, 65, 8, 188)

    assert scale.place(45) == 8
    assert scale.place(65) == 188
    assert scale.place(50) < scale.place(51)


@pytest.mark.parametrize(
    ("scale", "labels"),
    [
        (Scale(45, 65, 0, 100), ["45", "50", "55", "60", "65"]),
        (Scale(0, 100, 0, 100), ["0", "20", "40", "60", "80", "100"]),
        (Scale(0.8, 4.7, 0, 100, logarithmic=True), ["1", "1.5", "2", "3", "4"]),
        (Scale(330, 2480, 0, 100, logarithmic=True), ["500", "1,000", "2,000"]),
        (Scale(2.1, 3.4, 0, 100, logarithmic=True), ["2.5", "3"]),
    ],
)
def test_ticks_are_round_values_inside_the_scale(scale, labels):
    ticks = scale.ticks(5)

    assert [tick.label for tick in ticks] == labels
    assert all(scale.start <= tick.place <= scale.end for tick in ticks)


def test_runs_are_drawn_on_one_axis_for_all_rows():
    axis = run_axis([run_range([86, 89, 93], 153), run_range([70, 76, 76], 153)])
    first = run_ticks([86, 89, 93], 153, axis=axis)

    assert [tick.label for tick in axis.ticks] == ["45", "50", "55", "60", "65"]
    assert first.values == ("56.21", "58.17", "60.78")
    assert first.mean_value == "58.39"
    assert first.low == first.ticks[0] < first.mean < first.ticks[2] == first.high


def test_an_axis_without_runs_or_with_equal_runs_still_has_a_width():
    assert run_axis([]).scale.low < run_axis([]).scale.high
    equal = run_axis([run_range([0, 0], 5)])
    assert equal.scale.low < equal.scale.high
    top = run_axis([run_range([5, 5], 5)])
    assert run_ticks([5, 5], 5, axis=top).mean <= top.width


def test_the_frontier_is_beaten_by_nobody_on_both_axes():
    names = [each.name for each in frontier(POINTS)]

    assert names == ["Qwen3.8-Max-Preview", "Kimi-K3", "GLM-5.2"]


def test_equal_points_at_one_cost_do_not_both_stand_on_the_frontier():
    worse, better = point("a", 1, 50, 49, 51), point("b", 1, 60, 59, 61)

    assert frontier([worse, better]) == [better]


@pytest.mark.parametrize("small", [False, True])
def test_labels_of_the_published_rows_stay_inside_and_apart(small):
    drawing = cost_scatter(POINTS, small=small)
    assert drawing is not None

    boxes = []
    for mark in drawing.marks:
        if mark.label is None:
            continue
        width = len(mark.point.name) * CHARACTER_WIDTH
        left = {"start": 0, "end": width, "middle": width / 2}[mark.label.anchor]
        boxes.append(
            Box(
                mark.label.x - left,
                mark.label.y - 10,
                mark.label.x - left + width,
                mark.label.y + 3,
            )
        )
    frame = Box(drawing.left, drawing.top, drawing.right, drawing.bottom)
    for place, box in enumerate(boxes):
        inside = box.overlap(frame) / ((box.right - box.left) * (box.bottom - box.top))
        assert inside > 0.98
        for other in boxes[place + 1 :]:
            assert box.overlap(other) < 40
    assert len(boxes) >= (5 if small else 8)
    assert all(mark.label for mark in drawing.marks if mark.on_frontier)


def test_a_label_without_room_is_left_out():
    labels = place_labels(
        [Point(10, 10, "a name far too long for the drawing")],
        bounds=Box(0, 0, 40, 20),
        obstacles=[],
    )

    assert labels == [None]


def test_a_scatter_needs_two_costs():
    assert cost_scatter(POINTS[:1], small=False) is None
    assert cost_scatter([], small=True) is None
    free = point("free", 0, 50, 49, 51)
    assert cost_scatter([free, POINTS[0]], small=False) is None


def test_source_marks_are_placed_on_a_full_axis():
    dots = source_dots(
        [("a", {"bug-fix": (100.0, "100.00"), "new-feature": (0.0, "0")})]
    )

    assert dots is not None
    assert [tick.label for tick in dots.ticks] == ["0", "25", "50", "75", "100"]
    row = dots.rows[0]
    assert (row.low, row.high) == (dots.ticks[0].place, dots.ticks[-1].place)
    assert source_dots([]) is None


@pytest.mark.parametrize("name", ["Sample-Coder-Max-2026-11", "晨曦编程模型测试版本"])
def test_a_name_is_cut_to_the_room_it_has(name):
    cut = shortened(name, 100)

    assert cut.endswith("…")
    assert name.startswith(cut[:-1])
    assert text_width(cut) <= 100 + CHARACTER_WIDTH
    assert shortened(name, 1_000) == name
