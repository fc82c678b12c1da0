"""Leftovers, and the whole sweep with its command."""

from __future__ import annotations

import os
from datetime import timedelta
from pathlib import Path

import pytest
from django.core.files.storage import storages
from django.core.management import call_command
from django.utils import timezone

from leaderboard.blobs import store_blob
from leaderboard.models import Artifact
from leaderboard.storage import WholeFileSystemStorage
from submissions import services, tasks
from submissions.models import UploadSession
from submissions.models.uploads import KEPT_FOR
from submissions.resumable import sessions
from submissions.resumable.files import folder
from submissions.retention.leftovers import GRACE, remove_leftovers
from tests.factories import UserFactory
from tests.submissions.bundles import files_for, write_archive
from tests.submissions.jobs import fail_all

pytestmark = pytest.mark.django_db

LONG_AGO = (2 * GRACE).total_seconds()


@pytest.fixture(autouse=True)
def data(tmp_path, settings, monkeypatch) -> Path:
    """A data folder of its own."""
    settings.DATA_DIR = tmp_path / "data"
    settings.WORK_DIR = settings.DATA_DIR / "work"
    settings.WORK_DIR.mkdir(parents=True)
    storage = WholeFileSystemStorage(location=settings.DATA_DIR / "artifacts")
    monkeypatch.setitem(storages._storages, "artifacts", storage)
    return settings.DATA_DIR


def make(path: Path, *, age: float = LONG_AGO) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"12345")
    moment = timezone.now().timestamp() - age
    for each in (path, path.parent):
        os.utime(each, (moment, moment))
    return path


def leftovers(*, dry_run: bool = False) -> set[tuple[str, str, int]]:
    return set(remove_leftovers(timezone.now(), dry_run=dry_run))


def printed(capsys, *arguments: str) -> str:
    call_command("sweep", *arguments)
    return capsys.readouterr().out


def test_folders_of_dead_processes_are_removed(data):
    make(data / "work" / "j17-ab_c1234" / "app.hap")
    make(data / "work" / "upload-abcd1234" / "spool")
    make(data / "snapshots" / "bench" / f".incoming-{'a' * 32}" / "snapshot.json")
    make(data / "artifacts" / "ab" / "cd" / ".abcd1234")

    assert leftovers() == {
        ("work folder", "j17-ab_c1234", 5),
        ("work folder", "upload-abcd1234", 5),
        ("half-made import", f".incoming-{'a' * 32}", 5),
        ("half-written file", ".abcd1234", 5),
    }
    assert leftovers() == set()
    assert not (data / "work" / "j17-ab_c1234").exists()


def test_what_may_be_in_use_or_is_not_ours_stays(data):
    young = make(data / "work" / "j17-abcd1234" / "app.hap")
    os.utime(young)
    kept = [
        young,
        make(data / "work" / "notes" / "x"),
        make(data / "snapshots" / "bench" / "demo-0.1" / "snapshot.json"),
        make(data / "artifacts" / "ab" / "cd" / ("a" * 64)),
    ]

    assert leftovers() == set()
    assert all(path.exists() for path in kept)


def test_links_are_removed_and_never_followed(data, tmp_path):
    outside = make(tmp_path / "outside" / "precious")
    work = make(data / "work" / "j17-abcd1234" / "x").parent
    (work / "link").symlink_to(outside.parent)
    moment = timezone.now().timestamp() - LONG_AGO
    os.utime(work / "link", (moment, moment), follow_symlinks=False)
    os.utime(work, (moment, moment))

    assert len(leftovers()) == 1
    assert outside.exists()


def test_expired_uploads_go_with_their_bytes(capsys):
    session = sessions.begin(UserFactory(), length=10)
    sessions.append(session, [b"12345"], at=0)
    UploadSession.objects.update(
        touched_at=timezone.now() - KEPT_FOR - timedelta(minutes=1)
    )

    out = printed(capsys, "--dry-run")

    assert f"expired upload: {session.pk} (5 bytes)" in out
    assert out.endswith("nothing was removed (--dry-run)\n")
    assert UploadSession.objects.exists()
    printed(capsys)
    assert not UploadSession.objects.exists()
    assert not list(folder().iterdir())


def test_the_command_says_when_there_is_nothing(capsys):
    assert printed(capsys) == "nothing to remove\n"


def test_nothing_that_a_public_evaluation_lists_is_ever_swept(
    tmp_path, snapshot, maintainer, capsys
):
    archive = write_archive(tmp_path, files_for(snapshot))
    submission = services.receive(
        UserFactory(), archive, origin="page", tick=True
    ).submission
    fail_all(submission)
    submission.evaluation.visibility = "public"
    submission.evaluation.save()
    unused = store_blob(b"of nobody").sha256
    moment = timezone.now().timestamp() - 365 * 24 * 3600
    for path in storages["artifacts"].base_location.rglob("*"):
        os.utime(path, (moment, moment))
    Artifact.objects.update(created_at=timezone.now() - timedelta(days=365))

    out = printed(capsys)

    assert f"set aside: {unused}" in out
    assert out.endswith("1 x set aside, 9 bytes\n")
    for artifact in Artifact.objects.all():
        assert storages["artifacts"].exists(
            f"{artifact.sha256[:2]}/{artifact.sha256[2:4]}/{artifact.sha256}"
        )


def test_the_task_sweeps_and_the_clock_calls_it(settings, data):
    make(data / "work" / "j17-abcd1234" / "x")

    tasks.sweep()

    assert not list((data / "work").iterdir())
    calls = {entry["task"] for entry in settings.CELERY_BEAT_SCHEDULE.values()}
    assert tasks.sweep.name in calls
