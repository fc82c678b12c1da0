"""The queue of jobs in the database. Nothing else writes the state of a job.

Every change is one conditional update that must hit exactly one row. A lease carries
the fence it was given; renewing, giving back and finishing need that fence, so a worker
that was thought dead and comes back changes nothing.
"""

from __future__ import annotations

import logging
import random
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.db import transaction
from django.db.models import Case, Count, IntegerField, Value, When
from django.utils import timezone

from evaluator.models import (
    INFRA_BUDGET,
    Attempt,
    AttemptOutcome,
    Job,
    JobEvent,
    JobState,
    Stage,
)
from evaluator.stages import next_stage, pool_of, time_limit
from evaluator.verdicts import FailReason, InfraReason, Trouble
from leaderboard.models import Evaluation

logger = logging.getLogger(__name__)

BACKOFF = (timedelta(seconds=30), timedelta(minutes=2), timedelta(minutes=10))
DEADLINE_GRACE = timedelta(seconds=30)
POISON_HOSTS = 2


class LeaseLostError(Exception):
    """A report came with an old fence or after the lease ended; it changed nothing."""


@dataclass(frozen=True, slots=True)
class Lease:
    """The right to work on one stage of one job until ``deadline``."""

    job_id: int
    stage: Stage
    fence: int
    owner: str
    deadline: datetime


@dataclass(frozen=True, slots=True)
class Passed:
    """A stage did its work; ``facts`` are merged into the job's."""

    facts: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ModelOutcome:
    """The job is decided: completed (``reason`` None) or failed by its own doing."""

    reason: FailReason | None
    detail: str = ""
    facts: Mapping[str, Any] = field(default_factory=dict)


StageOutcome = Passed | ModelOutcome | Trouble


def claim(
    job_id: int, *, owner: str, pools: Collection[str], isolated: bool
) -> Lease | None:
    """Lease the present stage of one job, or return None if it is not to be had.

    ``isolated`` says that the worker has a working sandbox; without one it gets only
    jobs that are trusted.
    """
    return _claim_first(
        Job.objects.filter(pk=job_id), owner=owner, pools=pools, isolated=isolated
    )


def claim_next(
    *,
    owner: str,
    pools: Collection[str],
    isolated: bool,
    evaluation: Evaluation | None = None,
) -> Lease | None:
    """Lease the oldest job that this worker may work on.

    A job that met trouble on this very worker comes last, so that another may try.
    """
    jobs = Job.objects.all()
    if evaluation is not None:
        jobs = jobs.filter(evaluation=evaluation)
    return _claim_first(jobs, owner=owner, pools=pools, isolated=isolated)


def _claim_first(
    jobs: Any, *, owner: str, pools: Collection[str], isolated: bool
) -> Lease | None:
    now = timezone.now()
    candidates = jobs.filter(
        state=JobState.QUEUED,
        pool__in=list(pools),
        available_at__lte=now,
        cancel_requested=False,
    )
    if not isolated:
        candidates = candidates.filter(trusted=True)
    mine_last = Case(
        When(last_worker=owner, infra_left__lt=INFRA_BUDGET, then=Value(1)),
        default=Value(0),
        output_field=IntegerField(),
    )
    # A handful of candidates: others may claim the first ones at the same moment.
    ordered = candidates.order_by(mine_last, "pk").select_related("task")
    for job in ordered.annotate(f_points=Count("task__f_points"))[:8]:
        lease = _lease(job, owner=owner, now=now, f_point_count=job.f_points)
        if lease is not None:
            return lease
    return None


def _lease(job: Job, *, owner: str, now: datetime, f_point_count: int) -> Lease | None:
    stage, fence = Stage(job.stage), job.fence + 1
    deadline = now + time_limit(stage, f_point_count=f_point_count)
    with transaction.atomic():
        claimed = Job.objects.filter(
            pk=job.pk,
            state=JobState.QUEUED,
            stage=stage,
            fence=job.fence,
            cancel_requested=False,
        ).update(
            state=JobState.LEASED,
            owner=owner,
            last_worker=owner,
            fence=fence,
            lease_until=_lease_end(now, deadline),
            deadline=deadline,
            updated_at=now,
        )
        if not claimed:
            return None
        Attempt.objects.create(
            job=job, stage=stage, fence=fence, worker=owner, started_at=now
        )
        _record(job.pk, JobState.QUEUED, JobState.LEASED, stage, fence, owner)
    return Lease(job.pk, stage, fence, owner, deadline)


def _lease_end(now: datetime, deadline: datetime) -> datetime:
    lease = timedelta(seconds=settings.OHB_LEASE_SECONDS)
    return min(now + lease, deadline + DEADLINE_GRACE)


def _held(lease: Lease, now: datetime) -> Any:
    """The row of a lease, if it is still held."""
    return Job.objects.filter(
        pk=lease.job_id,
        state=JobState.LEASED,
        owner=lease.owner,
        fence=lease.fence,
        lease_until__gt=now,
    )


def renew(lease: Lease) -> None:
    """Heartbeat: keep the lease. Raises :class:`LeaseLostError` when it is gone.

    A cancelled job loses its lease here; no heartbeat passes the deadline.
    """
    now = timezone.now()
    renewed = (
        _held(lease, now)
        .filter(cancel_requested=False)
        .update(lease_until=_lease_end(now, lease.deadline), updated_at=now)
    )
    if not renewed:
        raise LeaseLostError(f"The lease {lease} is not held any more.")


def finish(lease: Lease, outcome: StageOutcome) -> Job:
    """Report the end of a stage; returns the job in its new state.

    Raises :class:`LeaseLostError`, and changes nothing, when the lease is not held.
    """
    now = timezone.now()
    with transaction.atomic():
        job = _held(lease, now).select_for_update().first()
        if job is None:
            raise LeaseLostError(f"The lease {lease} is not held any more.")
        if job.cancel_requested:
            return _cancel(job, now, lease.owner)
        match outcome:
            case Passed(facts=facts):
                return _pass_on(job, now, facts)
            case ModelOutcome():
                return _decide(job, now, outcome)
            case Trouble():
                return _trouble(job, now, outcome, AttemptOutcome.INFRASTRUCTURE)


def give_back(lease: Lease) -> None:
    """Return a lease without cost, when a worker is told to stop."""
    now = timezone.now()
    with transaction.atomic():
        job = _held(lease, now).select_for_update().first()
        if job is None:
            return
        _end_attempt(job, now, AttemptOutcome.DRAINED, reason=InfraReason.DRAIN)
        _leave(job, now, JobState.QUEUED, note="worker stops", available_at=now)


def reap(now: datetime | None = None) -> list[int]:
    """Take back every lease that ran out; returns the jobs that are queued again."""
    now = now or timezone.now()
    freed: list[int] = []
    expired = Job.objects.filter(state=JobState.LEASED, lease_until__lte=now)
    for pk in list(expired.values_list("pk", flat=True)):
        with transaction.atomic():
            job = expired.filter(pk=pk).select_for_update().first()
            if job is None:
                continue
            if job.cancel_requested:
                _cancel(job, now, "reaper")
                continue
            hung = job.deadline is not None and job.deadline <= now
            trouble = (
                Trouble(InfraReason.DEADLINE, f"{job.stage} passed its time limit.")
                if hung
                else Trouble(InfraReason.WORKER_LOST, f"{job.owner} went silent.")
            )
            if (
                _trouble(job, now, trouble, AttemptOutcome.LOST).state
                == JobState.QUEUED
            ):
                freed.append(pk)
    return freed


def request_cancel(evaluation: Evaluation, *, actor: str) -> None:
    """Cancel all undecided jobs; leased ones end at their next heartbeat."""
    now = timezone.now()
    undecided = Job.objects.filter(evaluation=evaluation).exclude(
        state__in=[JobState.SCORED, JobState.CANCELLED]
    )
    with transaction.atomic():
        for job in undecided.select_for_update():
            job.cancel_requested = True
            job.save(update_fields=["cancel_requested", "updated_at"])
            if job.state != JobState.LEASED:
                _cancel(job, now, actor)


def requeue(job_id: int, *, actor: str, reason: str) -> Job:
    """Give a job that ended in our own trouble a new budget. A person's act."""
    now = timezone.now()
    with transaction.atomic():
        job = (
            Job.objects.select_for_update()
            .filter(
                pk=job_id,
                state__in=[JobState.INFRA_EXHAUSTED, JobState.QUARANTINED],
            )
            .first()
        )
        if job is None:
            raise ValueError(
                f"Job {job_id} is not waiting for a re-run. Only jobs that ended in "
                "infrastructure trouble or quarantine can be queued again."
            )
        return _move(
            job,
            now,
            JobState.QUEUED,
            actor=actor,
            note=reason,
            infra_left=INFRA_BUDGET,
            available_at=now,
            reason="",
            detail="",
        )


def _pass_on(job: Job, now: datetime, facts: Mapping[str, Any]) -> Job:
    stage = next_stage(Stage(job.stage))
    if stage is None:
        raise ValueError("The last stage ends in a model outcome.")
    _end_attempt(job, now, AttemptOutcome.PASSED, accepted=True)
    profile = job.evaluation.snapshot.device_profile
    return _leave(
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


def _decide(job: Job, now: datetime, outcome: ModelOutcome) -> Job:
    reason = outcome.reason or ""
    _end_attempt(
        job,
        now,
        AttemptOutcome.MODEL,
        reason=reason,
        detail=outcome.detail,
        accepted=True,
    )
    return _leave(
        job,
        now,
        JobState.SCORED,
        note=reason or "completed",
        reason=reason,
        detail=outcome.detail,
        facts={**job.facts, **outcome.facts},
    )


def _trouble(job: Job, now: datetime, trouble: Trouble, outcome: AttemptOutcome) -> Job:
    _end_attempt(job, now, outcome, reason=trouble.reason, detail=trouble.detail)
    left = job.infra_left - 1
    common: dict[str, Any] = {
        "infra_left": left,
        "reason": trouble.reason,
        "detail": trouble.detail,
    }
    if outcome == AttemptOutcome.LOST and _poisonous(job):
        return _leave(job, now, JobState.QUARANTINED, note=trouble.reason, **common)
    if left <= 0:
        return _leave(job, now, JobState.INFRA_EXHAUSTED, note=trouble.reason, **common)
    # Jitter keeps jobs that failed together from coming back together.
    wait = BACKOFF[INFRA_BUDGET - left - 1] * random.uniform(0.8, 1.2)  # noqa: S311
    return _leave(
        job,
        now,
        JobState.QUEUED,
        note=trouble.reason,
        available_at=now + wait * settings.OHB_BACKOFF_FACTOR,
        **common,
    )


def _poisonous(job: Job) -> bool:
    """Whether workers on different hosts died on this stage: a person has to look.

    A worker that is started again has another name on the same host.
    """
    lost = job.attempts.filter(
        stage=job.stage, outcome=AttemptOutcome.LOST, reason=InfraReason.WORKER_LOST
    )
    hosts = {name.partition(":")[0] for name in lost.values_list("worker", flat=True)}
    return len(hosts) >= POISON_HOSTS


def _cancel(job: Job, now: datetime, actor: str) -> Job:
    if job.state == JobState.LEASED:
        _end_attempt(job, now, AttemptOutcome.CANCELLED)
    return _leave(job, now, JobState.CANCELLED, actor=actor)


def _end_attempt(
    job: Job,
    now: datetime,
    outcome: AttemptOutcome,
    *,
    reason: str = "",
    detail: str = "",
    accepted: bool = False,
) -> None:
    Attempt.objects.filter(job=job, fence=job.fence).update(
        ended_at=now, outcome=outcome, reason=reason, detail=detail, accepted=accepted
    )


def _leave(
    job: Job, now: datetime, state: JobState, *, actor: str = "", **changes: Any
) -> Job:
    return _move(
        job,
        now,
        state,
        actor=actor or job.owner or "reaper",
        owner="",
        lease_until=None,
        deadline=None,
        **changes,
    )


def _move(
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
    _record(job.pk, before, state, Stage(job.stage), job.fence, actor, note)
    return job


def _record(
    job_id: int,
    before: JobState | str,
    after: JobState,
    stage: Stage,
    fence: int,
    actor: str,
    note: str = "",
) -> None:
    JobEvent.objects.create(
        job_id=job_id,
        at=timezone.now(),
        from_state=before,
        to_state=after,
        stage=stage,
        fence=fence,
        actor=actor,
        note=note[:200],
    )


def enqueue(jobs: list[Job]) -> None:
    """Put new jobs into the queue, all or none; call inside a transaction."""
    with transaction.atomic():
        created = Job.objects.bulk_create(jobs)
        JobEvent.objects.bulk_create(
            JobEvent(
                job=job,
                at=job.available_at,
                to_state=JobState.QUEUED,
                stage=job.stage,
                fence=0,
                actor="intake",
            )
            for job in created
        )


def queued_ids(limit: int) -> list[tuple[int, str]]:
    """The oldest jobs that wait for a worker, with their pool."""
    waiting = Job.objects.filter(
        state=JobState.QUEUED, available_at__lte=timezone.now(), cancel_requested=False
    )
    return list(waiting.order_by("pk").values_list("pk", "pool")[:limit])


def counts(evaluation: Evaluation) -> dict[str, int]:
    """How many jobs of ``evaluation`` are in each state."""
    rows = Job.objects.filter(evaluation=evaluation).values("state")
    found = {row["state"]: row["n"] for row in rows.annotate(n=Count("pk"))}
    return {state.value: found.get(state.value, 0) for state in JobState}
