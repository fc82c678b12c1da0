"""Submissions in every state that their page can show, with workers and a history."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from typing import Any

from django.urls import reverse
from django.utils import timezone

from evaluator import queue
from evaluator.models import (
    INFRA_BUDGET,
    Attempt,
    Job,
    JobState,
    PoolPause,
    Stage,
    Worker,
)
from evaluator.queue import ModelOutcome, Passed
from evaluator.stages import ORDER, pool_of
from evaluator.verdicts import FailReason, InfraReason, Trouble
from leaderboard.models import EvaluationSnapshot
from submissions import followups, services
from submissions.accounts.teams import found_team, join
from submissions.models import Submission
from tests.submissions.bundles import files_for, make_snapshot, write_archive
from tests.submissions.jobs import report

TROUBLES = (InfraReason.DEVICE_LOST, InfraReason.WORKER_LOST, InfraReason.DISK_FULL)


def pages_of_submissions(user: Any, maintainer: Any, folder: Path) -> dict[str, str]:
    """Addresses by name; ``user`` owns all submissions, ``maintainer`` may look."""
    snapshot = make_snapshot(version="demo-0.1", task_count=8, run_count=3)
    pools = sorted({pool_of(stage, snapshot.device_profile) for stage in ORDER})
    add_worker("evaluator-1:4021", pools)
    add_worker("evaluator-2:77", ["agent", "build"], silent=True)
    evaluated = submit(user, snapshot, "sample-model-a", folder)
    score(evaluated, Job.objects.filter(evaluation=evaluated.evaluation))
    troubled = submit(user, snapshot, "sample-model-b", folder)
    meet_trouble(troubled)
    running = submit(user, snapshot, "sample-model-c", folder)
    jobs = Job.objects.filter(evaluation=running.evaluation)
    score(running, jobs[:9])
    for job in jobs[9:12]:
        lease(job)
    stretch_attempts()
    queued = submit(user, snapshot, "sample-model-d", folder)
    stuck = Job.objects.filter(state=JobState.INFRA_EXHAUSTED).first()
    assert stuck is not None
    place = [stuck.evaluation_id, stuck.run.number, stuck.task.slug]
    again = followups.rerun(evaluated, by=user, reason="One worker was ill")
    copy = f"{reverse('submit')}?copy_of={evaluated.pk}"
    followups.write_notes(evaluated, by=user, public="On our machines.", private="x")
    team = found_team(user, "Night shift")
    join(maintainer, team)
    return {
        "team": team.get_absolute_url(),
        "copy": copy,
        "rerun": again.get_absolute_url(),
        "filtered": f"{reverse('submission-list')}?state=published&q=none",
        "status": reverse("status"),
        "list": reverse("submission-list"),
        "submit": reverse("submit"),
        "tokens": reverse("token-list"),
        "queued": queued.get_absolute_url(),
        "running": running.get_absolute_url(),
        "troubled": troubled.get_absolute_url(),
        "evaluated": evaluated.get_absolute_url(),
        "attempts": reverse("task-run-attempts", args=place),
    }


def stretch_attempts() -> None:
    """Give attempts that took no time a plausible one, so that estimates exist."""
    seconds = dict(zip(ORDER, (40, 3, 75, 20, 70, 190), strict=True))
    for attempt in Attempt.objects.filter(ended_at__isnull=False):
        spread = 1 + (attempt.pk % 7) / 10
        took = timedelta(seconds=seconds[Stage(attempt.stage)] * spread)
        Attempt.objects.filter(pk=attempt.pk).update(started_at=attempt.ended_at - took)


def add_worker(name: str, pools: list[str], *, silent: bool = False) -> None:
    now = timezone.now()
    Worker.objects.create(
        name=name,
        pools=pools,
        slots=2,
        sandbox="bwrap",
        capabilities={
            "isolates": True,
            "builds": {
                "simulated": True,
                "sdk": {"api_level": 23, "version": "6.1.0.31"},
            },
        },
        versions={"evaluator": "0.1.0", "python": "3.11.2", "system": "Linux-6.1"},
        started_at=now - timedelta(hours=3),
        seen_at=now - timedelta(minutes=40 if silent else 0),
    )


def submit(
    user: Any, snapshot: EvaluationSnapshot, model: str, folder: Path
) -> Submission:
    files = files_for(snapshot)
    files["manifest.json"] = files["manifest.json"].replace(
        b'"identifier": "', f'"identifier": "{model}-'.encode()
    )
    archive = write_archive(folder, files)
    receipt = services.receive(user, archive, origin="page")
    assert receipt.submission is not None, receipt.report
    return receipt.submission


def lease(job: Job) -> queue.Lease:
    found = queue.claim(
        job.pk, owner="evaluator-1:4021", pools=[job.pool], isolated=True
    )
    assert found is not None
    return found


def score(submission: Submission, jobs: Any) -> None:
    """Take ``jobs`` to their end: some apply, build and pass, some do not."""
    for number, job in enumerate(list(jobs)):
        while job.state != JobState.SCORED:
            report(lease(job), _outcome(job, number))
            job.refresh_from_db()
    submission.refresh_from_db()


def _outcome(job: Job, number: int) -> queue.StageOutcome:
    """Each fifth does not build, each third of the others fails its checks."""
    broken, wrong = number % 5 == 4, number % 3 == 2
    if job.stage == Stage.BUILD_FINAL:
        if broken:
            return ModelOutcome(FailReason.BUILD_FAILED)
        return Passed({"final_build_ok": True})
    if job.stage != Stage.CHECKS:
        return Passed()
    points = {point.f_point: {"passed": not wrong} for point in job.task.f_points.all()}
    reason = FailReason.CHECK_FAILED if wrong else None
    return ModelOutcome(reason, facts={"f_points": points})


def meet_trouble(submission: Submission) -> None:
    """Three task runs are stuck, two are tried again, one went silent."""
    jobs = list(Job.objects.filter(evaluation=submission.evaluation))
    for job, reason in zip(jobs[:3], TROUBLES, strict=True):
        for _ in range(INFRA_BUDGET):
            fail(job, reason)
        # So much trouble in a row stops the pool, which spares the budgets.
        Job.objects.filter(pk=job.pk).update(
            state=JobState.INFRA_EXHAUSTED, infra_left=0, reason=reason
        )
    for job in jobs[3:5]:
        fail(job, InfraReason.HDC)
        Job.objects.filter(pk=job.pk).update(infra_left=INFRA_BUDGET - 1)
    silent = lease(jobs[5])
    long_ago = timezone.now() - timedelta(minutes=7)
    Job.objects.filter(pk=silent.job_id).update(updated_at=long_ago)


def fail(job: Job, reason: InfraReason) -> None:
    Job.objects.filter(pk=job.pk).update(available_at=timezone.now())
    queue.finish(lease(job), Trouble(reason, "no answer for 60 s"))
    PoolPause.objects.all().delete()
