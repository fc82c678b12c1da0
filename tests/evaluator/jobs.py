"""Evaluations with queued jobs, and how tests bring those to an end."""

from __future__ import annotations

from datetime import datetime

from django.utils import timezone

from evaluator import closing, evidence, queue
from evaluator.models import AgentKind, Job, Stage
from evaluator.pipeline.work import StageReport
from evaluator.queue import Lease, ModelOutcome, StageOutcome
from evaluator.stages import pool_of
from evaluator.verdicts import FailReason
from leaderboard.models import Evaluation, Run
from tests.factories import EvaluationFactory, EvaluationSnapshotFactory

POOLS = ["agent", "build", "device.simulated-phone"]


def make_jobs(
    *, task_count: int = 1, run_count: int = 1, now: datetime | None = None
) -> Evaluation:
    """An evaluation whose k x N jobs are all queued for their first stage."""
    snapshot = EvaluationSnapshotFactory(task_count=task_count, run_count=run_count)
    evaluation = EvaluationFactory(snapshot=snapshot)
    queue.enqueue(
        [
            Job(
                evaluation=evaluation,
                run=run,
                task=task,
                agent=AgentKind.NOOP,
                trusted=True,
                pool=pool_of(Stage.AGENT, snapshot.device_profile),
                available_at=now or timezone.now(),
            )
            for run in [
                Run.objects.create(evaluation=evaluation, number=number)
                for number in range(1, run_count + 1)
            ]
            for task in snapshot.tasks.all()
        ]
    )
    return evaluation


def take(job: Job, owner: str = "host-1:1") -> Lease:
    """Lease the present stage of ``job``."""
    lease = queue.claim(job.pk, owner=owner, pools=POOLS, isolated=True)
    assert lease is not None
    return lease


def report(lease: Lease, outcome: StageOutcome) -> Job:
    """Report as a worker does that holds ``lease``."""
    job = Job.objects.get(pk=lease.job_id)
    bound = evidence.bound(StageReport(outcome), job, lease)
    return closing.close_stage(lease, bound, ring=False)


def completed(job: Job) -> ModelOutcome:
    """The outcome of a job all of whose F-points passed."""
    points = job.task.f_points.values_list("f_point", flat=True)
    facts = {"f_points": {point: {"passed": True} for point in points}}
    return ModelOutcome(None, facts={"final_build_ok": True, **facts})


def score(job: Job, *, fully: bool = False) -> Job:
    """Decide ``job`` in its present stage: completed, or not built."""
    outcome = completed(job) if fully else ModelOutcome(FailReason.BUILD_FAILED)
    return report(take(job), outcome)


def everybody(user: object, evaluation: object) -> bool:
    """A viewer rule that lets every signed-in user read an evaluation."""
    return True
