"""What leaves and comes back is the same: packages, and projects in Harbor tasks."""

from __future__ import annotations

import json

import pytest
from django.conf import settings
from django.core.management import call_command

from leaderboard.models import EvaluationSnapshot, SnapshotStatus
from leaderboard.snapshots import import_package, read_package
from leaderboard.trees import tree_digest

pytestmark = pytest.mark.django_db
DEMO = settings.BASE_DIR / "fixtures" / "snapshots" / "demo"


@pytest.fixture
def opened():
    snapshot = import_package(DEMO).snapshot
    snapshot.status = SnapshotStatus.OPEN
    snapshot.save()
    return snapshot


def test_an_open_snapshot_comes_back_with_equal_digests(opened, tmp_path):
    folder = tmp_path / "exported"
    call_command("export_snapshot", "demo", str(folder))

    assert tree_digest(folder) == tree_digest(DEMO)
    assert read_package(folder).digest == read_package(DEMO).digest
    again = import_package(folder)
    assert not again.changed
    assert again.snapshot == opened
    before = EvaluationSnapshot.objects.get(pk=opened.pk)
    for name in ("task_set_digest", "script_digest", "comparability_key", "status"):
        assert getattr(again.snapshot, name) == getattr(before, name)


def test_harbor_tasks_hold_the_same_projects_checks_and_references(opened, tmp_path):
    folder = tmp_path / "harbor"
    call_command("export_harbor", "demo", str(folder), "--with-hidden-checks")

    for task in opened.tasks.all():
        ours, theirs = DEMO / "tasks" / task.slug, folder / task.slug
        for copy in (
            theirs / "environment" / "project",
            theirs / "tests" / "task" / "base",
        ):
            assert tree_digest(copy) == task.base_digest
        checks = theirs / "tests" / "task" / "checks"
        assert tree_digest(checks) == tree_digest(ours / "checks")
        assert (theirs / "solution" / "golden.patch").read_bytes() == (
            ours / "reference.patch"
        ).read_bytes()
        facts = json.loads((theirs / "tests" / "task" / "verifier.json").read_text())
        assert facts["base_digest"] == task.base_digest
