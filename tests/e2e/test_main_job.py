"""The main job with the real Hypium: prove, upload, evaluate, publish, download."""

from __future__ import annotations

import hashlib
import io
import zipfile
from pathlib import Path

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import call_command
from django.urls import reverse

from leaderboard.metrics import Scope
from leaderboard.models import Evaluation, SnapshotStatus, TaskResult
from leaderboard.snapshots import snapshot_by_version
from leaderboard.standings import standings
from submissions.archive import pack_folder
from submissions.models import Submission
from tests.demo import FEW, demo_package, expected_units, sample_bundle
from tests.factories import UserFactory
from tests.tokens import token_for

pytestmark = [
    *[pytest.mark.e2e, pytest.mark.hypium, pytest.mark.sandbox],
    pytest.mark.timeout(3600),
]


@pytest.fixture
def demo_snapshot(committed_db, tmp_path):
    call_command("load_published", verbosity=0)
    call_command("import_snapshot", demo_package(tmp_path / "package"), verbosity=0)
    return snapshot_by_version("demo")


@pytest.fixture
def maintainer(committed_db):
    return UserFactory(username="maintainer", is_staff=True, is_superuser=True)


def upload(client, name: str, tmp_path: Path) -> Submission:
    """Send a sample bundle through the API with a token."""
    archive = tmp_path / f"{name}.zip"
    pack_folder(sample_bundle(name, tmp_path / name), archive)
    token = token_for(UserFactory(username=f"submitter-{name}"))
    answer = client.post(
        reverse("api-submission-list"),
        {
            "bundle": SimpleUploadedFile(archive.name, archive.read_bytes()),
            # A patch that does not apply is among the outcomes.
            "accept_warnings": "true",
        },
        headers={"Authorization": f"Token {token}"},
    )
    assert answer.status_code == 201, answer.content.decode()
    return Submission.objects.get(pk=answer.json()["id"])


def unit(result: TaskResult) -> dict[str, object]:
    """A result in the form of the expected outcomes that lie beside a bundle."""
    return {
        "run": result.run.number,
        "task": result.task.slug,
        "completed": result.completed,
        "reason": result.reason or None,
        "first_build_ok": result.first_build_ok,
        "final_build_ok": result.final_build_ok,
        "f_points": {
            check.f_point.f_point: check.passed for check in result.checks.all()
        },
    }


def expect_as_foretold(evaluation: Evaluation, name: str) -> None:
    """Every task run has the outcome that stands beside its bundle, job by job."""
    results = TaskResult.objects.filter(run__evaluation=evaluation)
    found = {
        (result.run.number, result.task.slug): unit(result)
        for result in results.select_related("run", "task").prefetch_related(
            "checks__f_point"
        )
    }
    foretold = expected_units(name)
    assert found == foretold
    summary = evaluation.totals.get(run=None, scope=Scope.OVERALL)
    assert summary.completed_by_run == [
        sum(foretold[run, slug]["completed"] for slug in FEW) for run in (1, 2, 3)
    ]


def expect_sound_archive(client, evaluation: Evaluation, number: int) -> None:
    """The archive of a run holds every listed file, and its digests verify."""
    answer = client.get(reverse("run-archive", args=[evaluation.pk, number]))
    assert answer.status_code == 200
    content = b"".join(answer.streaming_content)
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        listing = archive.read("SHA256SUMS").decode()
        listed = dict(
            reversed(line.split("  ", 1)) for line in listing.splitlines() if line
        )
        assert set(archive.namelist()) == {*listed, "SHA256SUMS"}
        for name, digest in listed.items():
            assert hashlib.sha256(archive.read(name)).hexdigest() == digest
    tasks = set(evaluation.snapshot.tasks.values_list("slug", flat=True))
    assert {name.partition("/")[0] for name in listed} == tasks


def test_the_main_job_from_proof_to_download(
    client, demo_snapshot, maintainer, tmp_path, capsys
):
    call_command("admit_snapshot", "demo")
    assert "Wrong patches: 6 of 6 fail." in capsys.readouterr().out
    demo_snapshot.refresh_from_db()
    assert demo_snapshot.status == SnapshotStatus.OPEN
    assert (demo_snapshot.floor_completed, demo_snapshot.ceiling_completed) == (0, 3)

    uploaded = upload(client, "sample-a", tmp_path)
    submitted = io.StringIO()
    call_command(
        "submit",
        str(sample_bundle("sample-b", tmp_path / "sample-b")),
        user=maintainer.username,
        accept_warnings=True,
        stdout=submitted,
    )
    second = Submission.objects.get(pk=submitted.getvalue().split()[-1])
    for submission, name in [(uploaded, "sample-a"), (second, "sample-b")]:
        call_command("evaluate", str(submission.pk))
        expect_as_foretold(submission.evaluation, name)

    evaluation = uploaded.evaluation
    assert client.get(evaluation.get_absolute_url()).status_code == 404
    client.force_login(maintainer)
    answer = client.post(
        reverse("review-decide", args=[uploaded.pk]),
        {"act": "publish", "note": "Reviewed."},
    )
    assert answer.status_code == 302
    client.logout()

    page = client.get(demo_snapshot.get_absolute_url()).content.decode()
    assert "sample-model-a" in page
    assert "sample-model-b" not in page
    assert "sample-model-a" not in client.get("/").content.decode()
    row = standings(demo_snapshot).rows[0]
    assert (row.evaluation.provenance, row.evaluation.simulated) == ("official", True)
    for number in range(1, 4):
        expect_sound_archive(client, evaluation, number)
    assert "SHA256SUMS" not in page
