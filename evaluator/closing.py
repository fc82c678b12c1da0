"""The end of a stage, of a job, of a run, of an evaluation: one transaction each time.

The last job to be scored closes its run, and the last run its evaluation. The reaper
closes what a killed worker left open; closing twice is harmless.
"""

from __future__ import annotations

import logging

from django.db import transaction
from django.utils import timezone

from evaluator import artifacts, evidence, hints, news, queue
from evaluator.models import Job, JobState
from evaluator.pipeline.grade import grade
from evaluator.pipeline.visual import visual_scores
from evaluator.pipeline.work import StageReport
from evaluator.proofs import record_proofs
from evaluator.queue import Lease
from leaderboard.models import CheckResult, Evaluation, Run, VisualScore
from leaderboard.models.results import EVALUATOR
from leaderboard.totals import write_run_totals, write_summary
from leaderboard.totals_errors import TotalsError
from leaderboard.verification import lacks_trajectories

logger = logging.getLogger(__name__)


def close_stage(lease: Lease, report: StageReport, *, ring: bool = True) -> Job:
    """Report a stage with its artifacts; scores the job where the stage decides it.

    Raises :class:`queue.LeaseLostError` and changes nothing when the lease is gone or
    the report belongs to another one.
    """
    stored = artifacts.store(lease.job_id, report.artifacts)
    with transaction.atomic():
        proof = evidence.check(lease, report, stored)
        job = queue.finish(lease, report.outcome)
        evidence.record(lease, proof)
        artifacts.register(job, stored)
        if job.state == JobState.SCORED:
            result, checks = grade(job)
            result.save()
            for check in checks:
                check.result = result
            CheckResult.objects.bulk_create(checks)
            VisualScore.objects.bulk_create(visual_scores(job, result))
            close_run(job.run_id)
        elif job.state == JobState.QUEUED and ring:
            hints.ring_after_commit([(job.pk, job.pool)])
    return job


def close_run(run_id: int) -> bool:
    """Write the totals of a run once every task has its result; True if it is closed.

    The tasks are those of the snapshot, whatever jobs there are. The lock on the run
    lets the second of two last reports see the first one.
    """
    try:
        with transaction.atomic():
            return _close_run(Run.objects.select_for_update().get(pk=run_id))
    except TotalsError:
        # The last report stands all the same; the reaper tries again.
        logger.exception("run %s cannot be closed", run_id)
        return False


def _close_run(run: Run) -> bool:
    if run.finished_at is not None:
        return True
    if run.results.count() < run.evaluation.snapshot.tasks.count():
        return False
    write_run_totals(run)
    run.finished_at = timezone.now()
    run.save(update_fields=["finished_at"])
    hints.call_after_commit("submissions.tasks.label_failures")
    close_evaluation(run.evaluation_id)
    return True


def close_evaluation(evaluation_id: int) -> bool:
    """Write the summary of an evaluation once all of its runs are closed."""
    with transaction.atomic():
        evaluation = Evaluation.objects.select_for_update().get(pk=evaluation_id)
        if evaluation.scored_at is not None:
            return True
        finished = evaluation.runs.filter(finished_at__isnull=False).count()
        if finished < evaluation.run_count:
            return False
        write_summary(evaluation)
        evaluation.unverified = lacks_trajectories(evaluation)
        evaluation.scored_at = timezone.now()
        if versions := evidence.evaluator_versions(evaluation):
            evaluation.toolchain_facts |= {EVALUATOR: ", ".join(versions)}
        evaluation.save(update_fields=["unverified", "scored_at", "toolchain_facts"])
        record_proofs(evaluation)
        news.scored(evaluation)
    return True


def close_left_open() -> None:
    """Close runs whose jobs are all scored but that nobody closed."""
    waiting = Run.objects.filter(finished_at=None, jobs__isnull=False)
    undecided = Job.objects.exclude(state=JobState.SCORED).values("run")
    for run_id in (
        waiting.exclude(pk__in=undecided).values_list("pk", flat=True).distinct()
    ):
        close_run(run_id)
