"""Artifact downloads: headers, bytes, and the archive of a run."""

from __future__ import annotations

import hashlib
import io
import zipfile

import pytest

from leaderboard.archives import RunArchive
from tests.factories import ArtifactFactory, EvaluationSnapshotFactory
from tests.leaderboard.evaluations import evaluated, stored


@pytest.fixture
def run(db):
    snapshot = EvaluationSnapshotFactory(task_count=2)
    return evaluated(snapshot, completed=((True, False),)).runs.get()


@pytest.fixture
def tasks(run):
    return list(run.evaluation.snapshot.tasks.all())


def archive_path(run):
    return f"/e/{run.evaluation_id}/runs/{run.number}/artifacts.zip"


@pytest.mark.parametrize(
    ("name", "content_type"),
    [
        ("page.html", "text/plain; charset=utf-8"),
        ("final.patch", "text/plain; charset=utf-8"),
        ("screen.png", "application/octet-stream"),
        ("app.hap", "application/octet-stream"),
    ],
)
def test_a_file_is_only_ever_an_attachment(client, run, tasks, name, content_type):
    artifact = stored(run, tasks[0], name, b"<script>alert(1)</script>")

    response = client.get(artifact.get_absolute_url())

    assert b"".join(response) == b"<script>alert(1)</script>"
    assert response["Content-Type"] == content_type
    assert response["Content-Disposition"].startswith("attachment; ")
    assert response["X-Content-Type-Options"] == "nosniff"
    assert response["Content-Security-Policy"] == "sandbox; default-src 'none'"
    assert response["Cross-Origin-Resource-Policy"] == "same-origin"


def test_a_file_that_is_known_is_not_sent_again(client, run, tasks):
    artifact = stored(run, tasks[0], "build.log", b"text")

    response = client.get(
        artifact.get_absolute_url(), headers={"if-none-match": f'"{artifact.sha256}"'}
    )

    assert response.status_code == 304


def test_a_file_whose_bytes_are_gone_is_said_to_be_gone(client, run, tasks):
    artifact = ArtifactFactory(run=run, task=tasks[0], name="lost.log")

    response = client.get(artifact.get_absolute_url())

    assert response.status_code == 410
    assert "lost.log" in response.content.decode()


def test_the_archive_holds_every_file_and_checksums_that_verify(client, run, tasks):
    stored(run, tasks[0], "final.patch", b"one")
    stored(run, tasks[1], "reports/summary.xml", b"two" * 100_000)

    content = b"".join(client.get(archive_path(run)))

    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        assert archive.testzip() is None
        sums = archive.read("SHA256SUMS").decode().splitlines()
        assert sorted(line.split("  ")[1] for line in sums) == sorted(
            [f"{tasks[0].slug}/final.patch", f"{tasks[1].slug}/reports/summary.xml"]
        )
        for line in sums:
            digest, name = line.split("  ")
            assert hashlib.sha256(archive.read(name)).hexdigest() == digest


def test_the_archive_is_the_same_every_time_and_as_long_as_it_says(client, run, tasks):
    stored(run, tasks[0], "final.patch", b"one")
    stored(run, tasks[1], "a.log", b"")

    first, second = client.get(archive_path(run)), client.get(archive_path(run))
    content = b"".join(first)

    assert content == b"".join(second)
    assert int(first["Content-Length"]) == len(content)
    assert first["ETag"] == second["ETag"]


def test_an_archive_that_lacks_a_file_is_refused(client, run, tasks):
    stored(run, tasks[0], "final.patch", b"one")
    ArtifactFactory(run=run, task=tasks[1], name="lost.log")

    response = client.get(archive_path(run))

    assert response.status_code == 410
    assert f"{tasks[1].slug}/lost.log" in response.content.decode()


def test_the_archive_is_streamed_in_pieces(run, tasks):
    stored(run, tasks[0], "big.log", b"x" * 400_000)

    pieces = list(RunArchive(run).chunks())

    assert len(pieces) > 5
    assert max(len(piece) for piece in pieces) < 100_000
