"""Bringing the jobs of a submission to an end without running anything."""

from __future__ import annotations

from evaluator import closing, evidence, queue
from evaluator.models import Job, Stage
from evaluator.pipeline.work import StageReport
from evaluator.queue import ModelOutcome, Passed
from evaluator.stages import pool_of
from evaluator.verdicts import FailReason
from submissions.models import Submission

WORKER = "test-worker:1"


def claim_one(submission: Submission) -> queue.Lease:
    """Lease the oldest queued job of the submission."""
    profile = submission.snapshot.device_profile
    lease = queue.claim_next(
        owner=WORKER,
        pools=[pool_of(stage, profile) for stage in Stage],
        isolated=True,
        offers=[
            job.inputs["offer"]
            for job in submission.evaluation.jobs.all()
            if "offer" in job.inputs
        ],
        evaluation=submission.evaluation,
    )
    assert lease is not None
    return lease


def report(lease: queue.Lease, outcome: queue.StageOutcome) -> None:
    job = Job.objects.get(pk=lease.job_id)
    bound = evidence.bound(StageReport(outcome), job, lease)
    closing.close_stage(lease, bound, ring=False)


def fail_all(submission: Submission) -> None:
    """Score every task run as not applied, which ends the evaluation."""
    waiting = Job.objects.filter(evaluation=submission.evaluation)
    outcome = ModelOutcome(FailReason.PATCH_DOES_NOT_APPLY)
    for _ in range(waiting.count()):
        report(claim_one(submission), outcome)
    submission.refresh_from_db()


def pass_one_stage(submission: Submission) -> None:
    report(claim_one(submission), Passed())
