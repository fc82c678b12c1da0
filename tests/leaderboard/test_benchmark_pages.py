"""What a snapshot is made of, and what changed from one to another."""

from __future__ import annotations

import csv
import re

import pytest

from leaderboard.models import SnapshotStatus
from leaderboard.snapshots.diff import snapshot_diff
from tests.factories import EvaluationSnapshotFactory, FPointFactory, TaskFactory


def html_of(client, path):
    response = client.get(path)
    assert response.status_code == 200
    return response.content.decode()


def snapshot_with(version, *slugs, **fields):
    snapshot = EvaluationSnapshotFactory(version=version, task_count=0, **fields)
    for place, slug in enumerate(slugs):
        TaskFactory(snapshot=snapshot, slug=slug, position=place)
    return snapshot


@pytest.fixture
def before(db):
    return snapshot_with("synthetic-1.0", "kept", "mended", "gone")


@pytest.fixture
def after(before):
    found = snapshot_with("synthetic-2.0", "kept", "mended", "fresh", sdk="API 24")
    found.tasks.filter(slug="mended").update(statement="Another text.")
    FPointFactory(task=found.tasks.get(slug="mended"))
    return found


def test_tasks_are_added_retired_changed_or_the_same(before, after):
    diff = snapshot_diff(before, after)

    assert [task.slug for task in diff.added] == ["fresh"]
    assert [task.slug for task in diff.retired] == ["gone"]
    [changed] = diff.changed
    assert (changed.after.slug, list(changed.parts)) == (
        "mended",
        ["statement", "f_points"],
    )
    assert diff.unchanged == 1
    assert diff.conditions == ["benchmark_version", "sdk"]


def test_a_kit_or_another_difficulty_is_a_change_too(before):
    other = snapshot_with("synthetic-3.0", "kept")
    task = other.tasks.get()
    TaskFactory(snapshot=other, slug="mended", kits=["Pen"])
    type(task).objects.filter(pk=task.pk).update(difficulty="hard")

    parts = {
        each.after.slug: each.parts for each in snapshot_diff(before, other).changed
    }

    assert parts == {"kept": ["facts"], "mended": ["kits"]}


def test_the_page_of_changes_shows_tasks_conditions_and_totals(client, before, after):
    html = html_of(client, "/benchmark/changes/?from=synthetic-1.0&to=synthetic-2.0")

    for part in ("Title of fresh", "Title of gone", "Title of mended"):
        assert part in html
    assert "statement, F-points" in html
    assert "API 24" in html
    assert "3 → 4" in html
    assert f"/tasks/{before.version}/mended/" in html


def test_by_default_the_newest_is_compared_with_the_one_before(client, before, after):
    html = html_of(client, f"/benchmark/changes/?to={after.version}")

    assert "From synthetic-1.0 to synthetic-2.0" in html


def test_a_snapshot_compared_with_itself_says_so(client, before):
    html = html_of(client, "/benchmark/changes/")

    assert "one and the same snapshot" in html


def test_drafts_and_unknown_versions_are_not_compared(client, before):
    snapshot_with("synthetic-draft", "kept", status=SnapshotStatus.DRAFT)

    for version in ("synthetic-draft", "nope"):
        response = client.get(f"/benchmark/changes/?from={version}")
        assert response.status_code == 404
        assert "Known: synthetic-1.0." in response.content.decode()


def test_where_tasks_are_not_held_only_conditions_and_totals_are_compared(
    client, published, before
):
    html = html_of(client, "/benchmark/changes/?from=v1.0&to=synthetic-1.0")

    assert "Single tasks cannot be compared" in html
    assert "tasks added" not in html
    assert "153 → 3" in html


def test_changes_cost_the_same_at_any_size(client, django_assert_num_queries, db):
    for version in ("one", "two"):
        snapshot_with(version, *(f"task-{place}" for place in range(40)))

    # Snapshots, then tasks, F-points and Kits of each.
    with django_assert_num_queries(7):
        client.get("/benchmark/changes/?from=one&to=two")


def test_the_benchmark_page_has_bars_with_their_tables_and_a_changelog(
    client, published, before
):
    html = html_of(client, "/benchmark/?snapshot=v1.0")

    assert "29 of 39 Kits covered" in html
    assert "Basic Services Kit" in html
    assert html.count("Show as table") == 2
    # Difficulty overall and of one source, with counts.
    assert '37.9 % <span class="subtle">58</span>' in html
    assert '50.7 % <span class="subtle">36</span>' in html
    # Concentration of spec-driven tasks.
    assert re.search(r"38\.0</td><td class=\"number\">74\.0", html)
    assert "?from=v1.0&amp;to=synthetic-1.0" in html


def test_the_bars_of_the_benchmark_page_are_had_as_numbers(client, published):
    html = html_of(client, "/benchmark/?snapshot=v1.0")

    assert 'href="/benchmark/data.csv?snapshot=v1.0" download' in html
    response = client.get("/benchmark/data.csv?snapshot=v1.0")
    lines = list(csv.reader(response.content.decode().splitlines()))
    assert response["Content-Type"] == "text/csv; charset=utf-8"
    assert lines[0] == ["figure", "source", "item", "value", "unit"]
    assert ["difficulty", "overall", "easy", "58", "tasks"] in lines
    assert [
        "largest_repositories",
        "spec-driven",
        "3",
        "74.0",
        "percent of tasks",
    ] in lines
    assert sum(line[0] == "kits" for line in lines) == 10


def test_concentration_and_f_points_of_held_tasks_are_counted(client, db):
    snapshot = snapshot_with("synthetic-1.0", "a", "b", "c")
    TaskFactory(
        snapshot=snapshot, slug="d", repository="example/other", f_point_count=4
    )

    html = html_of(client, "/benchmark/?snapshot=synthetic-1.0")

    assert re.search(r"75\.0</td><td class=\"number\">100\.0", html)
    assert "example/other" in html
    assert re.search(r"<span>4</span>.*?</svg>\s*<span>1</span>", html, re.DOTALL)
