"""From an upload to a submission, and the acts on it."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import pytest
from django.conf import settings

from evaluator.models import Job, JobState
from evaluator.services import publish_evaluation
from leaderboard.blobs import read_blob
from leaderboard.comparability import comparability_key, conditions_of
from leaderboard.models import (
    Artifact,
    Configuration,
    Evaluation,
    Provenance,
    SnapshotStatus,
    Visibility,
)
from leaderboard.visibility import can_view
from submissions import intake, services
from submissions.archive import open_bundle, pack_folder
from submissions.findings import Code
from submissions.formats.bundle import content_digest
from submissions.manifest import parse_manifest
from submissions.models import Submission, SubmissionEvent, SubmissionState
from submissions.review.sanctions import reopen
from submissions.samples import sample_digests
from submissions.services import NotPossibleError
from tests.factories import UserFactory
from tests.submissions.bundles import (
    files_for,
    make_snapshot,
    manifest_for,
    write_archive,
)
from tests.submissions.jobs import claim_one, fail_all

pytestmark = pytest.mark.django_db


@pytest.fixture
def receive(tmp_path):
    def run(user, files, *, origin="page", tick=False):
        archive = write_archive(tmp_path, files)
        return services.receive(user, archive, origin=origin, tick=tick)

    return run


def stored_files() -> list[Path]:
    folder = Path(settings.STORAGES["artifacts"]["OPTIONS"]["location"])
    return [path for path in folder.rglob("*") if path.is_file()]


def nothing_is_kept() -> bool:
    tables = (Submission, Evaluation, Configuration, Job, Artifact)
    left = list(settings.WORK_DIR.iterdir()) if settings.WORK_DIR.exists() else []
    return not left and not any(table.objects.exists() for table in tables)


def codes(receipt) -> set[Code]:
    return {each.code for each in receipt.report.errors}


def test_an_accepted_upload_has_all_its_jobs_at_once(snapshot, user, receive):
    files = files_for(snapshot)

    receipt = receive(user, files)

    submission = receipt.submission
    assert submission is not None
    assert receipt.report.ok
    evaluation = submission.evaluation
    assert evaluation.provenance == Provenance.OFFICIAL
    assert evaluation.visibility == Visibility.PRIVATE
    assert evaluation.comparable
    assert can_view(user, evaluation)
    assert not can_view(UserFactory(), evaluation)
    jobs = Job.objects.filter(evaluation=evaluation)
    assert jobs.count() == 2 * 2
    assert set(jobs.values_list("state", flat=True)) == {JobState.QUEUED}
    job = jobs.get(run__number=2, task=snapshot.tasks.first())
    final = files[f"runs/2/{job.task.slug}/final.patch"]
    assert job.inputs["final_patch"] == hashlib.sha256(final).hexdigest()
    assert read_blob(job.inputs["final_patch"]) == final
    assert job.inputs["total_tokens"] == 7
    assert job.inputs["agent_milliseconds"] == 1250
    assert job.inputs["repair_rounds"] is None
    assert not job.trusted


def test_every_uploaded_file_is_an_artifact_of_its_task_run(snapshot, user, receive):
    files = files_for(snapshot)

    evaluation = receive(user, files).submission.evaluation

    found = {
        f"runs/{each.run.number}/{each.task.slug}/{each.name}": each.sha256
        for each in Artifact.objects.filter(run__evaluation=evaluation)
    }
    assert found == {
        name.replace(f"/{Path(name).name}", f"/submitted/{Path(name).name}"): (
            hashlib.sha256(data).hexdigest()
        )
        for name, data in files.items()
        if name != "manifest.json"
    }


def test_a_submission_remembers_archive_manifest_and_origin(
    snapshot, user, receive, tmp_path
):
    submission = receive(user, files_for(snapshot), origin="api").submission

    data = (tmp_path / "bundle.zip").read_bytes()
    assert submission.archive_sha256 == hashlib.sha256(data).hexdigest()
    assert submission.archive_size_bytes == len(data)
    assert submission.manifest["benchmark_version"] == snapshot.version
    (event,) = submission.events.all()
    assert (event.actor, event.from_state, event.to_state) == (user, "", "evaluating")
    assert "api" in event.reason


def test_a_refused_upload_leaves_nothing_behind(snapshot, user, receive):
    files = files_for(snapshot)
    files["notes.txt"] = b"foreign"
    before = stored_files()

    receipt = receive(user, files)

    assert receipt.submission is None
    assert codes(receipt) == {Code.MEMBER_NAME}
    assert nothing_is_kept()
    assert stored_files() == before


def test_a_check_says_the_same_and_stores_nothing(snapshot, user, tmp_path):
    good = write_archive(tmp_path, files_for(snapshot))
    before = stored_files()

    assert services.check(user, good).ok
    assert nothing_is_kept()
    assert stored_files() == before


def test_a_failure_while_accepting_rolls_everything_back(
    snapshot, user, receive, monkeypatch
):
    def broken(*args, **kwargs):
        raise RuntimeError("the database went away")

    monkeypatch.setattr(SubmissionEvent.objects, "create", broken)

    with pytest.raises(RuntimeError):
        receive(user, files_for(snapshot))

    assert nothing_is_kept()


def test_warnings_are_kept_with_the_submission(snapshot, user, receive):
    files = files_for(snapshot)
    slug = snapshot.tasks.first().slug
    del files[f"runs/1/{slug}/trajectory.jsonl"]

    submission = receive(user, files, tick=True).submission

    (warning,) = submission.report["warnings"]
    assert warning["code"] == Code.TRAJECTORY_MISSING


def test_other_conditions_are_named_and_make_the_result_not_comparable(
    snapshot, user, receive
):
    files = files_for(snapshot, manifest=manifest_for(snapshot, sdk="API 99"))

    evaluation = receive(user, files, tick=True).submission.evaluation

    assert evaluation.differing_fields == ["sdk"]
    assert not evaluation.comparable
    assert evaluation.comparability_key != snapshot.comparability_key


def test_equal_conditions_have_the_key_of_the_snapshot(user, receive):
    snapshot = make_snapshot()
    snapshot.comparability_key = comparability_key(conditions_of(snapshot))
    snapshot.save()

    evaluation = receive(user, files_for(snapshot)).submission.evaluation

    assert evaluation.comparability_key == snapshot.comparability_key


def test_equal_configurations_share_a_row(snapshot, user, receive):
    first = receive(user, files_for(snapshot)).submission
    other = files_for(snapshot)
    other[f"runs/1/{snapshot.tasks.first().slug}/final.patch"] = b""

    second = receive(user, other).submission

    assert first.evaluation.configuration == second.evaluation.configuration


@pytest.mark.parametrize("status", [SnapshotStatus.FROZEN, SnapshotStatus.DRAFT])
def test_only_an_open_snapshot_takes_submissions(status, user, receive):
    make_snapshot(version="open-1")
    snapshot = make_snapshot(status=status)

    receipt = receive(user, files_for(snapshot))

    frozen = status == SnapshotStatus.FROZEN
    expected = Code.SNAPSHOT_CLOSED if frozen else Code.SNAPSHOT_UNKNOWN
    assert codes(receipt) == {expected}
    assert "open-1" in receipt.report.errors[0].fix
    assert nothing_is_kept()


def test_a_snapshot_that_closes_meanwhile_refuses(snapshot, user, receive, monkeypatch):
    monkeypatch.setattr(intake, "_still_open", lambda snapshot: False)

    receipt = receive(user, files_for(snapshot))

    assert codes(receipt) == {Code.SNAPSHOT_CLOSED}
    assert not Submission.objects.exists()


def test_the_same_archive_is_taken_once(snapshot, user, receive):
    first = receive(user, files_for(snapshot)).submission

    second = receive(user, files_for(snapshot))

    (finding,) = second.report.errors
    assert finding.code == Code.DUPLICATE
    assert first.get_absolute_url() in finding.fix
    assert Submission.objects.count() == 1


def test_the_same_archive_twice_at_once_is_taken_once(
    snapshot, user, receive, monkeypatch
):
    first = receive(user, files_for(snapshot)).submission
    # Both checks ran before either was stored.
    monkeypatch.setattr(intake, "_installation_findings", lambda user, upload: [])

    second = receive(user, files_for(snapshot))

    assert codes(second) == {Code.DUPLICATE}
    assert list(Submission.objects.all()) == [first]
    assert Evaluation.objects.count() == 1


def test_another_user_or_a_cancelled_submission_is_no_duplicate(
    snapshot, user, receive
):
    first = receive(user, files_for(snapshot)).submission

    assert receive(UserFactory(), files_for(snapshot)).submission is not None
    services.cancel(first, by=user, reason="not needed")
    assert receive(user, files_for(snapshot)).submission is not None


def test_without_a_sandbox_only_trusted_bundles_are_taken(
    snapshot, user, maintainer, receive, isolating
):
    isolating(False)

    refused = receive(user, files_for(snapshot))

    assert codes(refused) == {Code.SANDBOX_MISSING}
    assert "doctor" in refused.report.errors[0].fix
    accepted = receive(maintainer, files_for(snapshot)).submission
    assert accepted.trusted
    assert accepted.evaluation.jobs.filter(trusted=True).count() == 4


def test_the_samples_of_the_repository_are_known_by_content(tmp_path):
    folder = settings.BASE_DIR / "fixtures" / "bundles"
    archive = pack_folder(folder / "sample-a", tmp_path / "a.zip")
    members = open_bundle(archive, spool=tmp_path / "spool")
    pairs = [(member.name, member.sha256) for member in members]

    assert content_digest(pairs) in sample_digests(folder)
    changed = [(name, digest.replace("0", "1")) for name, digest in pairs]
    assert content_digest(changed) not in sample_digests(folder)


def test_a_new_submission_is_evaluating_and_its_owner_can_cancel(submission, user):
    assert submission.shown_state == SubmissionState.EVALUATING

    services.cancel(submission, by=user, reason="a mistake")

    assert submission.shown_state == SubmissionState.CANCELLED
    jobs = submission.evaluation.jobs
    assert set(jobs.values_list("state", flat=True)) == {JobState.CANCELLED}
    assert submission.events.last().reason == "a mistake"


def test_a_leased_job_of_a_cancelled_submission_is_told_at_its_next_sign(
    submission, user
):
    lease = claim_one(submission)

    services.cancel(submission, by=user, reason="not needed")

    job = Job.objects.get(pk=lease.job_id)
    assert job.cancel_requested
    assert submission.shown_state == SubmissionState.CANCELLED


def test_nothing_is_published_before_every_task_run_is_scored(submission, maintainer):
    with pytest.raises(NotPossibleError, match="4 task runs are not scored"):
        services.publish(submission, by=maintainer)

    submission.evaluation.refresh_from_db()
    assert submission.evaluation.visibility == Visibility.PRIVATE
    assert submission.events.count() == 1


def test_a_scored_submission_is_evaluated_published_and_withdrawn(
    submission, user, maintainer
):
    fail_all(submission)
    assert submission.shown_state == SubmissionState.EVALUATED

    services.publish(submission, by=maintainer, note="reviewed")
    assert submission.shown_state == SubmissionState.PUBLISHED

    with pytest.raises(NotPossibleError, match="reason"):
        services.withdraw(submission, by=user, reason=" ")
    services.withdraw(submission, by=user, reason="wrong model named")
    assert submission.shown_state == SubmissionState.WITHDRAWN
    assert [event.to_state for event in submission.events.all()] == [
        "evaluating",
        "published",
        "withdrawn",
    ]


def test_a_rejected_submission_has_a_reason_and_is_published_once_taken_up_again(
    submission, maintainer
):
    with pytest.raises(NotPossibleError, match="evaluating"):
        services.reject(submission, by=maintainer, reason="too early")
    fail_all(submission)
    with pytest.raises(NotPossibleError, match="reason"):
        services.reject(submission, by=maintainer, reason="")

    services.reject(submission, by=maintainer, reason="the trajectories are empty")
    assert submission.shown_state == SubmissionState.REJECTED
    with pytest.raises(NotPossibleError, match="this one is rejected"):
        services.publish(submission, by=maintainer)
    reopen(submission, by=maintainer, reason="they came")
    services.publish(submission, by=maintainer)
    assert submission.shown_state == SubmissionState.PUBLISHED


def test_a_scored_or_cancelled_submission_cannot_be_cancelled(submission, user):
    services.cancel(submission, by=user, reason="not needed")

    with pytest.raises(NotPossibleError, match="this one is cancelled"):
        services.cancel(submission, by=user, reason="not needed")


def test_a_cancelled_submission_cannot_be_published(submission, user, maintainer):
    services.cancel(submission, by=user, reason="not needed")

    with pytest.raises(NotPossibleError, match="cancelled"):
        services.publish(submission, by=maintainer)


def test_a_publication_elsewhere_shows_at_once(submission, maintainer):
    fail_all(submission)

    publish_evaluation(submission.evaluation, by=maintainer)

    submission.refresh_from_db()
    assert submission.shown_state == SubmissionState.PUBLISHED


def test_a_manifest_as_from_the_template_needs_no_correction(snapshot):
    text = json.dumps(manifest_for(snapshot))

    assert parse_manifest(text.encode()).benchmark_version == snapshot.version
