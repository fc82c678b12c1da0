"""Bytes are removed when nobody needs them, and never while somebody may."""

from __future__ import annotations

import os
from datetime import timedelta
from pathlib import Path

import pytest
from django.core.files.storage import storages
from django.utils import timezone

from evaluator.models import Job, JobState
from leaderboard import blobs
from leaderboard.blobs import BlobMissingError, read_blob, store_blob
from leaderboard.models import Absence
from leaderboard.storage import WholeFileSystemStorage
from submissions.retention.blobs import GRACE, remove_unused
from tests.evaluator.jobs import make_jobs
from tests.factories import ArtifactFactory

pytestmark = pytest.mark.django_db

OLD = 2 * GRACE


@pytest.fixture(autouse=True)
def storage(tmp_path, monkeypatch) -> WholeFileSystemStorage:
    found = WholeFileSystemStorage(location=tmp_path / "artifacts")
    monkeypatch.setitem(storages._storages, "artifacts", found)
    return found


def stored(content: bytes, *, age: timedelta = OLD) -> str:
    sha256 = store_blob(content).sha256
    make_older(sha256, age)
    return sha256


def make_older(sha256: str, age: timedelta, *, aside: bool = False) -> None:
    name = blobs._name_aside(sha256) if aside else blobs._name(sha256)
    moment = (timezone.now() - age).timestamp()
    os.utime(storages["artifacts"].path(name), (moment, moment))


def sweep(*, dry_run: bool = False) -> list[tuple[str, str]]:
    found = remove_unused(timezone.now(), dry_run=dry_run)
    return [(what, name) for what, name, _ in found]


def in_place() -> set[str]:
    return {each.sha256 for each in blobs.stored_blobs()}


def aside() -> set[str]:
    return {each.sha256 for each in blobs.stored_blobs(aside=True)}


def test_what_no_row_refers_to_goes_aside_and_is_removed_a_grace_later():
    sha256 = stored(b"unused")

    assert sweep() == [("set aside", sha256)]
    assert sweep() == []
    assert (in_place(), aside()) == (set(), {sha256})
    make_older(sha256, OLD, aside=True)
    assert sweep() == [("unused bytes", sha256)]
    assert (in_place(), aside()) == (set(), set())
    with pytest.raises(BlobMissingError):
        read_blob(sha256)


def test_what_is_young_stays():
    stored(b"just written", age=GRACE - timedelta(minutes=1))

    assert sweep() == []


def test_what_an_artifact_lists_stays():
    sha256 = stored(b"listed")
    ArtifactFactory(sha256=sha256)

    assert sweep() == []
    assert in_place() == {sha256}


def test_what_is_listed_as_not_kept_goes_unless_another_row_keeps_it():
    both, only = stored(b"both"), stored(b"only")
    for sha256 in (both, only):
        ArtifactFactory(sha256=sha256, absence=Absence.EXPIRED)
    ArtifactFactory(sha256=both)

    assert sweep() == [("set aside", only)]


@pytest.mark.parametrize(
    ("state", "kept"),
    [
        (JobState.QUEUED, True),
        (JobState.INFRA_EXHAUSTED, True),
        (JobState.QUARANTINED, True),
        (JobState.CANCELLED, False),
    ],
)
def test_what_a_job_may_still_need_stays(state, kept):
    patch, package = stored(b"patch"), stored(b"package")
    make_jobs()
    Job.objects.update(
        state=state, inputs={"final_patch": patch}, facts={"package": package}
    )

    assert bool(sweep()) != kept


def test_a_dry_run_tells_and_changes_nothing():
    sha256, waiting = stored(b"unused"), stored(b"waiting")
    blobs.set_aside(waiting)
    make_older(waiting, OLD, aside=True)

    assert sweep(dry_run=True) == [("unused bytes", waiting), ("set aside", sha256)]
    assert (in_place(), aside()) == ({sha256}, {waiting})


def test_an_upload_that_found_the_bytes_before_they_went_aside_loses_nothing():
    """The race: it does not write what is there, and its rows come after the sweep."""
    sha256 = stored(b"shared")
    assert store_blob(b"shared").sha256 == sha256
    sweep()
    assert aside() == {sha256}

    ArtifactFactory(sha256=sha256)
    make_older(sha256, OLD, aside=True)
    sweep()

    assert (in_place(), aside()) == ({sha256}, set())
    assert read_blob(sha256) == b"shared"


def test_an_upload_after_the_bytes_went_aside_writes_them_anew():
    sha256 = stored(b"again")
    sweep()
    store_blob(b"again")
    ArtifactFactory(sha256=sha256)
    make_older(sha256, OLD, aside=True)

    blobs.remove_aside(sha256)

    assert read_blob(sha256) == b"again"


def test_a_reader_gets_back_what_lies_aside():
    sha256 = stored(b"read")
    sweep()

    assert read_blob(sha256) == b"read"
    assert (in_place(), aside()) == ({sha256}, set())
    sweep()
    assert blobs.blob_exists(sha256)


def test_rows_that_come_between_two_batches_count(monkeypatch):
    """What is needed is asked for anew for every batch, just before it is removed."""
    monkeypatch.setattr("submissions.retention.blobs._BATCH", 1)
    digests = [stored(content) for content in (b"one", b"two")]
    sweep()
    for sha256 in digests:
        make_older(sha256, OLD, aside=True)
    found = remove_unused(timezone.now(), dry_run=False)

    first = next(found).name
    (other,) = set(digests) - {first}
    ArtifactFactory(sha256=other)

    assert [each for each in found if each.what == "unused bytes"] == []
    assert read_blob(other)


def test_files_that_are_no_blobs_are_left_alone(storage):
    for name in ("ab/cd/notes.txt", "readme"):
        path = Path(storage.path(name))
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("x")
        os.utime(path, (0, 0))

    assert sweep() == []
