"""How a job changes its state. Called by ``evaluator/queue.py`` alone.

Each function needs a job that is locked, inside the caller's transaction, and leaves
one :class:`JobEvent` behind.
"""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.utils import timezone

from evaluator import breaker, devices, news
from evaluator.models import (
    INFRA_BUDGET,
    Attempt,
    AttemptOutcome,
    Job,
    JobEvent,
    JobState,
    Stage,
)
from evaluator.stages import next_stage, pool_of
from evaluator.verdicts import FailReason, InfraReason, Trouble

BACKOFF = (timedelta(seconds=30), timedelta(minutes=2), timedelta(minutes=10))
# A stage that killed so many hosts, or lost so many devices, is looked at by a person.
POISON_PLACES = 2
STUCK = (JobState.INFRA_EXHAUSTED, JobState.QUARANTINED)


@dataclass(frozen=True, slots=True)
class ModelOutcome:
    """The job is decided: completed (``reason`` None) or failed by its own doing."""

    reason: FailReason | None
    detail: str = ""
    facts: Mapping[str, Any] = field(default_factory=dict)


def host_of(worker: str) -> str:
    """The host in a worker's name; a worker that is started again stays on it."""
    return worker.partition(":")[0]


def pass_on(job: Job, now: datetime, facts: Mapping[str, Any]) -> Job:
    """The stage did its work: queue the next one with a budget of its own."""
    stage = next_stage(Stage(job.stage))
    if stage is None:
        raise ValueError("The last stage ends in a model outcome.")
    end_attempt(job, now, AttemptOutcome.PASSED, accepted=True)
    profile = job.evaluation.snapshot.device_profile
    return leave(
        job,
        now,
        JobState.QUEUED,
        stage=stage,
        pool=pool_of(stage, profile),
        infra_left=INFRA_BUDGET,
        available_at=now,
        last_worker="",
        facts={**job.facts, **facts},
    )


def decide(job: Job, now: datetime, outcome: ModelOutcome) -> Job:
    """The configuration decided the job by what it did: final."""
    reason = outcome.reason or ""
    end_attempt(
        job,
        now,
        AttemptOutcome.MODEL,
        reason=reason,
        detail=outcome.detail,
        accepted=True,
    )
    return leave(
        job,
        now,
        JobState.SCORED,
        note=reason or "completed",
        reason=reason,
        detail=outcome.detail,
        facts={**job.facts, **outcome.facts},
    )


def trouble(job: Job, now: datetime, found: Trouble, outcome: AttemptOutcome) -> Job:
    """Our own trouble: try again later, or stop and wait for a person.

    In a pool that is paused for its trouble the job is not to blame and pays nothing.
    """
    end_attempt(job, now, outcome, reason=found.reason, detail=found.detail)
    if outcome == AttemptOutcome.LOST:
        _suspect_device(job, found)
    paused = breaker.note_trouble(job.pool, now)
    left = job.infra_left if paused else job.infra_left - 1
    common: dict[str, Any] = {
        "infra_left": left,
        "reason": found.reason,
        "detail": found.detail,
        "note": found.reason,
    }
    if not paused and _poisonous(job):
        return leave(job, now, JobState.QUARANTINED, **common)
    if left <= 0:
        return leave(job, now, JobState.INFRA_EXHAUSTED, **common)
    # Jitter keeps jobs that failed together from coming back together.
    step = max(0, INFRA_BUDGET - left - 1)
    wait = BACKOFF[step] * random.uniform(0.8, 1.2)  # noqa: S311 - no secret
    return leave(
        job,
        now,
        JobState.QUEUED,
        available_at=now + wait * settings.OHB_BACKOFF_FACTOR,
        **common,
    )


def cancel(job: Job, now: datetime, actor: str) -> Job:
    if job.state == JobState.LEASED:
        end_attempt(job, now, AttemptOutcome.CANCELLED)
    return leave(job, now, JobState.CANCELLED, actor=actor)


def _suspect_device(job: Job, found: Trouble) -> None:
    """Nobody knows what a silent worker left on its device. A simulated one is gone."""
    attempt = job.attempts.get(fence=job.fence)
    if attempt.device and not job.evaluation.simulated:
        devices.suspect(attempt.device, reason=found.detail)


def _poisonous(job: Job) -> bool:
    """Whether this stage killed workers on several hosts or lost several devices."""
    attempts = job.attempts.filter(stage=job.stage)
    again = job.events.filter(from_state__in=STUCK, to_state=JobState.QUEUED).last()
    if again is not None:
        attempts = attempts.filter(fence__gt=again.fence)
    died = attempts.filter(
        outcome=AttemptOutcome.LOST, reason=InfraReason.WORKER_LOST
    ).values_list("worker", flat=True)
    lost = attempts.filter(reason=InfraReason.DEVICE_LOST).exclude(device="")
    hosts = {host_of(worker) for worker in died}
    serials = set(lost.values_list("device", flat=True))
    return max(len(hosts), len(serials)) >= POISON_PLACES


def end_attempt(
    job: Job,
    now: datetime,
    outcome: AttemptOutcome,
    *,
    reason: str = "",
    detail: str = "",
    accepted: bool = False,
) -> None:
    Attempt.objects.filter(job=job, fence=job.fence).update(
        ended_at=now,
        outcome=outcome,
        reason=reason,
        detail=detail,
        accepted=accepted,
        key_salt="",
    )


def leave(
    job: Job, now: datetime, state: JobState, *, actor: str = "", **changes: Any
) -> Job:
    """Move a job out of its lease, if it has one."""
    return move(
        job,
        now,
        state,
        actor=actor or job.owner or "reaper",
        owner="",
        lease_until=None,
        deadline=None,
        **changes,
    )


def move(
    job: Job,
    now: datetime,
    state: JobState,
    *,
    actor: str,
    note: str = "",
    **changes: Any,
) -> Job:
    before = JobState(job.state)
    for name, value in {**changes, "state": state}.items():
        setattr(job, name, value)
    job.save(update_fields=[*changes, "state", "updated_at"])
    record(job, before, state, actor=actor, note=note)
    if state in STUCK:
        again = JobEvent.objects.filter(
            job__evaluation=job.evaluation_id,
            from_state__in=STUCK,
            to_state=JobState.QUEUED,
        )
        news.stuck(job, requeued=again.count())
    return job


def record(
    job: Job, before: JobState | str, after: JobState, *, actor: str, note: str = ""
) -> None:
    JobEvent.objects.create(
        job=job,
        at=timezone.now(),
        from_state=before,
        to_state=after,
        stage=job.stage,
        fence=job.fence,
        actor=actor,
        note=note[:200],
    )
