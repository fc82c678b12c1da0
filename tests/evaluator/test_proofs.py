"""What the task runs of the baselines prove, and an admission from begin to open."""

from __future__ import annotations

import pytest
from django.core.management import CommandError, call_command

from evaluator import admission
from evaluator.closing import close_evaluation
from evaluator.models import Job, JobState
from evaluator.proofs import record_proofs
from leaderboard.curation import CurationError, approve, task_states
from leaderboard.models import (
    AuditEvent,
    CheckResult,
    Evaluation,
    Provenance,
    SnapshotStatus,
    TaskProof,
    TaskResult,
)
from tests.factories import EvaluationSnapshotFactory, TaskFactory, UserFactory

pytestmark = [pytest.mark.django_db, pytest.mark.database]


@pytest.fixture
def snapshot():
    made = EvaluationSnapshotFactory(
        task_count=0, version="v9", status=SnapshotStatus.DRAFT
    )
    TaskFactory(snapshot=made, slug="pen", digest="a" * 64, f_point_count=2)
    return made


@pytest.fixture
def approved(snapshot):
    for name in ("ada", "grace"):
        user = UserFactory(username=name, is_staff=True)
        approve(snapshot.tasks.get(), by=user)
    return snapshot


def score(evaluation, *passed, built=True):
    """Score every task run alike: whether each F-point passed."""
    completed = built and all(passed)
    for job in Job.objects.filter(evaluation=evaluation).select_related("task"):
        result = TaskResult.objects.create(
            run_id=job.run_id,
            task=job.task,
            completed=completed,
            reason="" if completed else "check_failed" if built else "build_failed",
            final_build_ok=built,
            f_points_passed=sum(passed),
            f_point_count=2,
        )
        for point, ok in zip(job.task.f_points.all(), passed, strict=True):
            CheckResult.objects.create(result=result, f_point=point, passed=ok)
    Job.objects.filter(evaluation=evaluation).update(state=JobState.SCORED)
    record_proofs(evaluation)


def proofs_of(evaluation):
    return TaskProof.objects.filter(result__run__evaluation=evaluation)


def test_admission_begins_with_one_run_of_the_base_and_two_of_the_reference(snapshot):
    base, reference = admission.begin(snapshot)

    assert snapshot.status == SnapshotStatus.ADMISSION
    assert (base.run_count, reference.run_count) == (1, 2)
    assert admission.proofs_running(snapshot) == (0, 3)


def test_task_runs_of_the_baselines_become_proofs_once(snapshot):
    base, reference = admission.begin(snapshot)
    score(base, False, False)
    score(reference, True, True)
    record_proofs(reference)

    assert [proof.holds for proof in proofs_of(base)] == [True]
    assert [proof.holds for proof in proofs_of(reference)] == [True, True]
    assert proofs_of(base).get().verdicts == {"FP-1": False, "FP-2": False}
    assert proofs_of(base).get().digest == "a" * 64


def test_one_f_point_that_passes_on_the_base_spoils_its_proof(snapshot):
    base, _ = admission.begin(snapshot)
    score(base, False, True)

    proof = proofs_of(base).get()
    assert (proof.holds, proof.found) == (False, "FP-2 passes already")


def test_a_base_that_does_not_build_proves_nothing(snapshot):
    base, _ = admission.begin(snapshot)
    score(base, False, False, built=False)

    proof = proofs_of(base).get()
    assert not proof.holds
    assert proof.found.startswith("it does not build")


def test_one_f_point_that_fails_spoils_the_proof_of_a_reference(snapshot):
    _, reference = admission.begin(snapshot)
    score(reference, True, False)

    assert {proof.found for proof in proofs_of(reference)} == {
        "FP-2 fails (check_failed)"
    }


def test_evaluations_of_others_prove_nothing(snapshot):
    _, reference = admission.begin(snapshot)
    Evaluation.objects.update(provenance=Provenance.OFFICIAL)
    reference.refresh_from_db()
    score(reference, True, True)

    assert not TaskProof.objects.exists()


def test_proofs_are_written_when_the_evaluation_is_closed(snapshot):
    base, _ = admission.begin(snapshot)
    score(base, False, False)
    TaskProof.objects.all().delete()
    base.runs.update(finished_at=base.created_at)

    assert close_evaluation(base.pk)

    assert proofs_of(base).count() == 1


@pytest.fixture
def with_wrong_patches(approved):
    """Two tasks: one with two wrong patches, and one with none."""
    wrong = [
        {"patch": "no-ink", "f_points": ["FP-1"], "why": "It draws nothing."},
        {"patch": "no-end", "f_points": ["FP-1", "FP-2"], "why": "It never ends."},
    ]
    approved.tasks.update(wrong_patches=wrong)
    TaskFactory(snapshot=approved, slug="ink", digest="b" * 64, f_point_count=2)
    return approved


def test_each_run_of_the_wrong_patches_proves_one_of_a_task(with_wrong_patches):
    _, _, wrong = admission.begin(with_wrong_patches)
    assert wrong.run_count == 2
    score(wrong, False, True)

    first, second = proofs_of(wrong).order_by("run_number")

    assert (first.task.slug, first.holds, first.found) == ("pen", True, "")
    assert (second.holds, second.found) == (False, "FP-2 passes with no-end")
    pen, ink = sorted(
        task_states(with_wrong_patches), key=lambda each: -each.wrong_held
    )
    assert (pen.wrong_held, ink.wrong_held) == (1, 0)
    assert pen.flaky_points == []
    assert "wrong patch: proved in 1 of 2 runs" in pen.missing()
    assert not [each for each in ink.missing() if "wrong patch" in each]


def test_a_wrong_patch_that_does_not_build_proves_nothing(with_wrong_patches):
    _, _, wrong = admission.begin(with_wrong_patches)
    score(wrong, False, False, built=False)

    assert [each.holds for each in proofs_of(wrong)] == [False, False]
    assert proofs_of(wrong).first().found.startswith("it does not build")


def test_a_proved_and_approved_snapshot_is_opened(approved):
    base, reference = admission.begin(approved)
    score(base, False, False)
    score(reference, True, True)

    found = admission.admit(approved, slots=0)

    assert found == admission.Admission(0, 1, 1, 0, 0, ())
    assert approved.status == SnapshotStatus.OPEN


def test_without_approvals_it_stays_in_admission(snapshot):
    base, reference = admission.begin(snapshot)
    score(base, False, False)
    score(reference, True, True)

    with pytest.raises(CommandError, match="pen: approved by 0 of 2 curators"):
        call_command("admit_snapshot", "v9")

    snapshot.refresh_from_db()
    assert snapshot.status == SnapshotStatus.ADMISSION


def test_proofs_are_set_aside_with_a_reason_and_stay_on_record(approved):
    base, reference = admission.begin(approved)
    with pytest.raises(CurationError, match="still running"):
        admission.prove_again(approved, reason="The emulator was old.")
    score(base, True, True)
    score(reference, True, True)

    again = admission.prove_again(approved, reason="The emulator was old.")

    assert {each.pk for each in again}.isdisjoint({base.pk, reference.pk})
    assert TaskProof.objects.filter(set_aside="The emulator was old.").count() == 3
    assert AuditEvent.objects.about(approved).first().act == "prove again"
    score(again[0], False, False)
    score(again[1], True, True)
    assert [state.missing() for state in task_states(approved)] == [[]]


def test_only_a_snapshot_in_admission_is_proved_again(snapshot):
    with pytest.raises(CurationError, match="this one is draft"):
        admission.prove_again(snapshot, reason="Why not.")


def test_the_command_does_what_the_pages_do(snapshot, capsys):
    for name in ("ada", "grace"):
        UserFactory(username=name, is_staff=True)
        call_command("curate_snapshot", "v9", "approve", task="pen", by=name)
    call_command("curate_snapshot", "v9", "begin", by="ada")

    printed = capsys.readouterr().out
    assert "v9 is admission." in printed
    assert "pen: unchanged base: proved in 0 of 1 runs" in printed


@pytest.mark.parametrize(
    ("act", "options", "says"),
    [
        ("approve", {"task": "pen"}, "Say who approves"),
        ("approve", {"task": "pen", "by": "nobody"}, "No maintainer 'nobody'"),
        ("approve", {"task": "ink", "by": "ada"}, "No task 'ink' in .* Known: pen"),
        ("refuse", {"task": "pen", "by": "ada"}, "Give a reason"),
        ("open", {}, "only for a snapshot that is in admission"),
        ("release", {"reason": "x"}, "not open yet"),
    ],
)
def test_the_command_says_what_is_wrong(snapshot, act, options, says):
    UserFactory(username="ada", is_staff=True)

    with pytest.raises(CommandError, match=says):
        call_command("curate_snapshot", "v9", act, **options)
