"""The list of tasks with its presets, and what a task's page adds to its statement."""

from __future__ import annotations

import json

import pytest
from django.core.management import CommandError, call_command

from leaderboard.models import AuditEvent, Erratum, SnapshotStatus, Task
from leaderboard.snapshots import import_package
from tests.factories import EvaluationSnapshotFactory, FPointFactory, TaskFactory
from tests.leaderboard.evaluations import evaluated
from tests.leaderboard.packages import SNAPSHOT, write_package

T, F = True, False


@pytest.fixture
def snapshot(db):
    found = EvaluationSnapshotFactory(version="synthetic-1.0", task_count=0)
    for place, name in enumerate(("none", "some", "all", "split", "unseen")):
        repository = "example/notes" if place < 2 else "example/chat"
        TaskFactory(snapshot=found, slug=name, position=place, repository=repository)
    evaluated(found, completed=((F, T, T, T, F), (F, F, T, T, F)))
    evaluated(found, completed=((F, F, T, F, F), (F, F, T, F, F)))
    return found


def listed(client, snapshot, query):
    response = client.get(f"/tasks/?snapshot={snapshot.version}&{query}")
    assert response.status_code == 200
    html = response.content.decode()
    return [
        task.slug for task in snapshot.tasks.all() if f"Title of {task.slug}" in html
    ]


@pytest.mark.parametrize(
    ("query", "slugs"),
    [
        ("completed=never", ["none", "unseen"]),
        # Split is completed by one evaluation always and by the other never.
        ("completed=unstable", ["some"]),
        ("completed=always", ["all"]),
        ("completed=under-half", ["none", "some", "unseen"]),
        ("completed=half-or-more", ["all", "split"]),
        ("repository=example/notes", ["none", "some"]),
        ("repository=example/notes&completed=unstable", ["some"]),
    ],
)
def test_tasks_are_found_by_repository_and_how_often_they_were_completed(
    client, snapshot, query, slugs
):
    assert listed(client, snapshot, query) == slugs


def test_presets_show_their_counts_and_keep_the_other_filters(client, snapshot):
    url = f"/tasks/?snapshot={snapshot.version}&repository=example/notes"
    html = client.get(url).content.decode()

    assert 'Never completed<span class="count">1</span>' in html
    assert 'Unstable<span class="count">1</span>' in html
    assert 'Always completed<span class="count">0</span>' in html
    assert "repository=example%2Fnotes&amp;completed=never" in html


def test_before_anything_ran_there_are_no_presets_and_nothing_is_never_completed(
    client, db
):
    fresh = EvaluationSnapshotFactory(version="synthetic-2.0", task_count=2)

    html = client.get(f"/tasks/?snapshot={fresh.version}").content.decode()
    assert "Never completed" not in html
    assert listed(client, fresh, "completed=never") == []


def test_a_baseline_makes_no_task_unstable(client, snapshot):
    outcomes = ((T, T, T, T, T), (F, F, F, F, F))
    evaluated(snapshot, completed=outcomes, provenance="baseline")

    assert listed(client, snapshot, "completed=unstable") == ["some"]


@pytest.mark.parametrize("task_count", [3, 153])
def test_list_and_task_cost_the_same_at_any_size(
    client, django_assert_num_queries, db, task_count
):
    snapshot = EvaluationSnapshotFactory(task_count=0)
    for place in range(task_count):
        TaskFactory(snapshot=snapshot, position=place, kits=["Pen", "Ink"][: place % 3])
    done = tuple(place % 2 == 0 for place in range(task_count))
    evaluated(snapshot, completed=(done, done, done))
    task = snapshot.tasks.first()

    # Snapshots, tasks and Kits, F-points, results, unstable ones, the lists
    # of Kits, and other snapshots with tasks.
    with django_assert_num_queries(8):
        client.get(f"/tasks/?snapshot={snapshot.version}")
    # Snapshots, the task, results, F-points, Kits, versions, errata.
    with django_assert_num_queries(7):
        client.get(task.get_absolute_url())


def test_the_f_point_that_fails_most_is_named(client, db):
    snapshot = EvaluationSnapshotFactory(task_count=1)
    task = snapshot.tasks.get()
    hard = FPointFactory(task=task)
    evaluation = evaluated(snapshot, completed=((T,), (T,)))
    for run in evaluation.runs.all():
        run.results.get().checks.create(f_point=hard, passed=False)

    html = client.get(task.get_absolute_url()).content.decode()

    assert "Most failed: <b>FP-2</b>, 2 of 2 checks." in html


def test_other_versions_are_linked_and_told_apart_by_digest(client, db):
    here = TaskFactory(slug="pen", snapshot__version="one")
    same = TaskFactory(slug="pen", snapshot__version="two")
    other = TaskFactory(slug="pen", snapshot__version="three", statement="Else.")
    TaskFactory(
        slug="pen", snapshot__version="four", snapshot__status=SnapshotStatus.DRAFT
    )

    html = client.get(here.get_absolute_url()).content.decode()

    assert f'{same.get_absolute_url()}">two</a> <span class="subtle">the same' in html
    assert f'{other.get_absolute_url()}">three</a> <span class="subtle">changed' in html
    assert "four" not in html


@pytest.mark.parametrize("status", [SnapshotStatus.DRAFT, SnapshotStatus.ADMISSION])
def test_the_list_names_no_snapshot_that_is_not_open(client, db, status):
    EvaluationSnapshotFactory(task_count=0, version="empty")
    TaskFactory(snapshot__version="held")
    TaskFactory(snapshot__version="secret", snapshot__status=status)

    html = client.get("/tasks/?snapshot=empty").content.decode()

    assert "held" in html
    assert "secret" not in html


def test_errata_are_noted_by_command_dated_and_on_record(client, db, capsys):
    task = TaskFactory(slug="pen", snapshot__version="one")

    call_command("note_erratum", "one", "pen", "FP-1 <asks> too much.")

    html = client.get(task.get_absolute_url()).content.decode()
    erratum = Erratum.objects.get()
    assert "FP-1 &lt;asks&gt; too much." in html
    assert erratum.noted_at.date().isoformat() in html
    assert AuditEvent.objects.get(act="note erratum").reason == erratum.text


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("two", "pen", "x"), "one"),
        (("one", "ink", "x"), "It has: pen"),
        (("one", "pen", "  "), "give it a text"),
    ],
)
def test_an_erratum_on_nothing_or_without_words_is_refused(db, arguments, message):
    TaskFactory(slug="pen", snapshot__version="one")

    with pytest.raises(CommandError, match=message):
        call_command("note_erratum", *arguments)

    assert not Erratum.objects.exists()


def page_of_package(client, folder, **changes):
    write_package(folder)
    facts = {**SNAPSHOT, **changes}
    (folder / "snapshot.json").write_text(json.dumps(facts), "utf-8")
    snapshot = import_package(folder).snapshot
    type(snapshot).objects.filter(pk=snapshot.pk).update(status=SnapshotStatus.OPEN)
    task = Task.objects.filter(snapshot=snapshot).first()
    return client.get(task.get_absolute_url()).content.decode()


def test_the_reference_stays_hidden_unless_the_snapshot_says_otherwise(
    client, db, tmp_path, settings
):
    settings.DATA_DIR = tmp_path / "data"

    html = page_of_package(client, tmp_path / "package")

    assert "shows a solution" not in html
    assert "+two" not in html


def test_a_public_reference_stands_behind_a_fold(client, db, tmp_path, settings):
    settings.DATA_DIR = tmp_path / "data"

    html = page_of_package(client, tmp_path / "package", publish_references=True)

    fold = html[html.index('<details class="more only">') :]
    assert "shows a solution" in fold
    assert "<td>+two</td>" in fold


def test_what_is_shown_may_change_without_a_new_version(client, db, tmp_path, settings):
    settings.DATA_DIR = tmp_path / "data"
    page_of_package(client, tmp_path / "package", publish_references=True)

    html = page_of_package(client, tmp_path / "again")

    assert "shows a solution" not in html


def test_a_reference_that_lies_elsewhere_is_said_to(client, db):
    task = TaskFactory(snapshot__references_public=True)

    html = client.get(task.get_absolute_url()).content.decode()

    assert "not held on this machine" in html
