"""Task runs that trouble of ours holds up: tried again alone, or by a person."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple

from django.urls import reverse
from django.utils import timezone

from evaluator.models import INFRA_BUDGET, Job, JobState, Stage
from evaluator.transitions import STUCK


class Rerun(NamedTuple):
    """A stage that is tried again by itself: attempt ``number`` of ``budget``.

    ``not_before`` is None when a worker may take it at once, or has taken it.
    """

    task: str
    run: int
    stage: Stage
    reason: str
    number: int
    budget: int
    running: bool
    not_before: datetime | None
    href: str


class Stuck(NamedTuple):
    """A task run that waits until an operator runs it again."""

    task: str
    run: int
    stage: Stage
    state: JobState
    reason: str
    href: str


def reruns_of(jobs: Sequence[Job]) -> list[Rerun]:
    """Which stages are being tried again, and why."""
    now = timezone.now()
    return [
        Rerun(
            task=job.task.slug,
            run=job.run.number,
            stage=Stage(job.stage),
            reason=job.reason,
            number=INFRA_BUDGET - job.infra_left + 1,
            budget=INFRA_BUDGET,
            running=job.state == JobState.LEASED,
            not_before=job.available_at
            if job.state == JobState.QUEUED and job.available_at > now
            else None,
            href=work_url(job),
        )
        for job in jobs
        if job.state in {JobState.QUEUED, JobState.LEASED}
        and job.infra_left < INFRA_BUDGET
    ]


def stuck_of(jobs: Sequence[Job]) -> list[Stuck]:
    """What must be run again before anything can be published."""
    return [
        Stuck(
            task=job.task.slug,
            run=job.run.number,
            stage=Stage(job.stage),
            state=JobState(job.state),
            reason=job.reason,
            href=work_url(job),
        )
        for job in jobs
        if job.state in STUCK
    ]


def work_url(job: Job) -> str:
    """The page with every attempt on ``job``."""
    place = [job.evaluation_id, job.run.number, job.task.slug]
    return reverse("task-run-attempts", args=place)
