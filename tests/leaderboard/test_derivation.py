"""A new version is made from an earlier one, which stays as it was."""

from __future__ import annotations

import json
from datetime import date

import pytest
from django.core.management import CommandError, call_command
from django.forms.models import model_to_dict

from leaderboard.curation import task_states
from leaderboard.models import (
    AuditEvent,
    EvaluationSnapshot,
    ScopeTotals,
    SnapshotStatus,
)
from leaderboard.snapshots import import_package
from leaderboard.snapshots.diff import snapshot_diff
from leaderboard.standings import standings
from leaderboard.trees import tree_digest
from tests.factories import EvaluationFactory, ScopeTotalsFactory, UserFactory
from tests.leaderboard.packages import write_package, write_task
from tests.leaderboard.test_package_safeguards import approve

pytestmark = pytest.mark.django_db


@pytest.fixture
def snapshot(tmp_path, settings):
    settings.DATA_DIR = tmp_path / "data"
    package = write_package(tmp_path / "package", "alpha", "beta", version="v1.0")
    approve(package, "alpha", "ada", "grace")
    found = import_package(package).snapshot
    found.status = SnapshotStatus.OPEN
    found.save(update_fields=["status"])
    return found


def derive(folder, *more, **options):
    call_command(
        "derive_snapshot",
        *("v1.0", "v1.1", str(folder)),
        "--reason=A mended check.",
        "--date=2026-12-01",
        *more,
        **options,
    )


def test_tasks_are_retired_replaced_and_added(snapshot, tmp_path):
    mended = write_task(tmp_path, "beta", title="Mended")
    new = write_task(tmp_path, "gamma")
    derive(tmp_path / "new", replace=[mended], add=[new])

    later = import_package(tmp_path / "new").snapshot

    assert later.derived_from == {
        "version": "v1.0",
        "reason": "A mended check.",
        "added": ["gamma"],
        "changed": ["beta"],
        "retired": [],
    }
    assert later.task_snapshot_date == date(2026, 12, 1)
    assert later.status == SnapshotStatus.DRAFT
    assert set(later.tasks.values_list("slug", flat=True)) == {"alpha", "beta", "gamma"}
    assert later.tasks.get(slug="beta").title == "Mended"


def test_a_repeated_option_adds_to_what_was_named(snapshot, tmp_path):
    with pytest.raises(CommandError) as refused:
        derive(tmp_path / "new", *("--retire=ink", "--retire=alpha", "--retire=pen"))

    assert "'ink' is not a task of" in str(refused.value)
    assert "'pen' is not a task of" in str(refused.value)


def test_the_audit_trail_names_where_a_version_is_from(snapshot, tmp_path):
    derive(tmp_path / "new", retire=["alpha"])
    later = import_package(tmp_path / "new").snapshot

    event = AuditEvent.objects.filter(act="import snapshot").latest("pk")
    assert event.after["script_digest"] == later.script_digest
    assert event.after["derived_from"]["version"] == "v1.0"
    assert event.after["derived_from"]["retired"] == ["alpha"]


def test_approvals_of_unchanged_tasks_are_kept(snapshot, tmp_path):
    new = write_task(tmp_path, "gamma")
    derive(tmp_path / "new", add=[new])

    later = import_package(tmp_path / "new").snapshot

    approved = {state.task.slug: state.approved for state in task_states(later)}
    assert approved == {"alpha": True, "beta": False, "gamma": False}


def test_approvals_of_a_retired_task_are_left_out(snapshot, tmp_path):
    derive(tmp_path / "new", retire=["alpha"])

    assert not (tmp_path / "new" / "curation.json").exists()
    facts = json.loads((tmp_path / "new" / "snapshot.json").read_text())
    assert facts["derived_from"]["retired"] == ["alpha"]


def test_the_earlier_version_and_its_standings_stay_as_they_were(snapshot, tmp_path):
    evaluation = EvaluationFactory(snapshot=snapshot, public=True)
    ScopeTotalsFactory(evaluation=evaluation, task_count=2)

    def seen():
        return standings(EvaluationSnapshot.objects.get(version="v1.0")).rows

    before = seen(), list(ScopeTotals.objects.values()), model_to_dict(snapshot)
    stored = tree_digest(tmp_path / "data" / snapshot.package_path)

    derive(tmp_path / "new", retire=["alpha"])
    later = import_package(tmp_path / "new").snapshot

    old = EvaluationSnapshot.objects.get(version="v1.0")
    assert (seen(), list(ScopeTotals.objects.values()), model_to_dict(old)) == before
    assert tree_digest(tmp_path / "data" / old.package_path) == stored
    assert later.comparability_key != old.comparability_key
    assert old.tasks.count() == 2


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({}, "Nothing changes"),
        ({"retire": ["ink"]}, "'ink' is not a task of"),
        ({"add": ["alpha"]}, "alpha is a task of .* already"),
        ({"retire": ["beta"], "replace": ["beta"]}, "beta is named twice"),
    ],
)
def test_what_cannot_be_is_refused(snapshot, tmp_path, options, says):
    folders = {
        name: [tmp_path / each if name != "retire" else each for each in values]
        for name, values in options.items()
    }

    with pytest.raises(CommandError, match=says):
        derive(tmp_path / "new", **folders)

    assert not (tmp_path / "new").exists()


def test_a_task_with_faults_makes_no_version(snapshot, tmp_path):
    UserFactory()
    broken = write_task(tmp_path, "gamma", source="bugfix")

    with pytest.raises(CommandError, match=r"gamma/task\.json, source"):
        derive(tmp_path / "new", add=[broken])

    assert not (tmp_path / "new").exists()


def test_a_mended_check_is_told_as_a_change_of_the_checks(snapshot, tmp_path):
    mended = write_task(tmp_path, "beta", title="Title of beta")
    script = mended / "checks" / "it_works.py"
    script.write_text(f"{script.read_text()}\n# Waits longer.\n")
    derive(tmp_path / "new", replace=[mended])
    later = import_package(tmp_path / "new").snapshot

    found = snapshot_diff(snapshot, later)

    assert [(each.after.slug, each.parts) for each in found.changed] == [
        ("beta", ["checks"])
    ]
