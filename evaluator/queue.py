"""The queue of jobs in the database. Nothing else writes the state of a job.

Every change is one conditional update that must hit exactly one row. A lease carries
the fence it was given; renewing, giving back and finishing need that fence, so a worker
that was thought dead and comes back changes nothing. ``evaluator/transitions.py`` holds
the single steps.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.db import transaction
from django.db.models import Case, Count, IntegerField, Q, QuerySet, Value, When
from django.utils import timezone

from evaluator import breaker, news, signatures, transitions
from evaluator.models import (
    INFRA_BUDGET,
    Attempt,
    AttemptOutcome,
    Job,
    JobEvent,
    JobState,
    Stage,
    Worker,
)
from evaluator.stages import control_time, time_limit
from evaluator.transitions import STUCK, ModelOutcome, host_of
from evaluator.verdicts import InfraReason, Trouble
from evaluator.wanted import NEEDS_AGENT, has_agent
from leaderboard.models import Evaluation

__all__ = ["ModelOutcome"]

DEADLINE_GRACE = timedelta(seconds=30)
# So long a job waits for another worker than the one that had the trouble.
LEFT_TO_OTHERS = timedelta(minutes=1)


class LeaseLostError(Exception):
    """A report came with an old fence or after the lease ended; it changed nothing."""


@dataclass(frozen=True, slots=True)
class Lease:
    """The right to work on one stage of one job until ``deadline``.

    ``key`` signs the report (evaluator/evidence.py) and is nowhere to be read again.
    """

    job_id: int
    stage: Stage
    fence: int
    owner: str
    deadline: datetime
    key: bytes = field(repr=False)


@dataclass(frozen=True, slots=True)
class Passed:
    """A stage did its work; ``facts`` are merged into the job's."""

    facts: Mapping[str, Any] = field(default_factory=dict)


StageOutcome = Passed | ModelOutcome | Trouble


def claim(
    job_id: int,
    *,
    owner: str,
    pools: Collection[str],
    isolated: bool,
    leave: Collection[int] = (),
    offers: Collection[str] = (),
) -> Lease | None:
    """Lease the present stage of one job, or return None if it is not to be had.

    ``isolated`` says that the worker has a working sandbox; without one it gets only
    jobs that are trusted, and checks on real devices. It takes no builds of the
    snapshots whose ids ``leave`` holds: others can do them, and it cannot. ``offers``
    are the agents with their models that it can run.
    """
    jobs = _that_can_run(_without(Job.objects.filter(pk=job_id), leave), offers)
    return _claim_first(jobs, owner=owner, pools=pools, isolated=isolated)


def claim_next(
    *,
    owner: str,
    pools: Collection[str],
    isolated: bool,
    leave: Collection[int] = (),
    offers: Collection[str] = (),
    evaluation: Evaluation | None = None,
) -> Lease | None:
    """Lease the oldest job that this worker may work on.

    A job that met trouble on this very worker, or on its host, comes last, and is left
    to other workers for a while if there are any.
    """
    jobs = _that_can_run(_without(Job.objects.all(), leave), offers)
    if evaluation is not None:
        jobs = jobs.filter(evaluation=evaluation)
    return _claim_first(jobs, owner=owner, pools=pools, isolated=isolated)


def _without(jobs: QuerySet[Job], snapshots: Collection[int]) -> QuerySet[Job]:
    if not snapshots:
        return jobs
    builds = (Stage.BUILD_FIRST, Stage.BUILD_FINAL)
    return jobs.exclude(stage__in=builds, task__snapshot__in=list(snapshots))


def _that_can_run(jobs: QuerySet[Job], offers: Collection[str]) -> QuerySet[Job]:
    """Leave out the stages of agents that the worker does not have."""
    return jobs.filter(~NEEDS_AGENT | Q(inputs__offer__in=list(offers)))


def _claim_first(
    jobs: QuerySet[Job], *, owner: str, pools: Collection[str], isolated: bool
) -> Lease | None:
    now = timezone.now()
    candidates = _claimable(jobs.filter(pool__in=list(pools), available_at__lte=now))
    if not isolated:
        # On a real device the app runs there, and nothing of it on this machine.
        on_a_device = Q(
            stage=Stage.CHECKS, task__snapshot__device_profile_simulated=False
        )
        candidates = candidates.filter(Q(trusted=True) | on_a_device)
    troubled = {"infra_left__lt": INFRA_BUDGET}
    mine_last = Case(
        When(last_worker=owner, **troubled, then=Value(2)),
        When(last_worker__startswith=f"{host_of(owner)}:", **troubled, then=Value(1)),
        default=Value(0),
        output_field=IntegerField(),
    )
    # A handful of candidates: others may claim the first ones at the same moment.
    ordered = candidates.order_by(mine_last, "pk").select_related("task__snapshot")
    for job in ordered.annotate(f_points=Count("task__f_points"))[:8]:
        if _is_left_to_others(job, owner, now):
            continue
        lease = _lease(job, owner=owner, now=now, f_point_count=job.f_points)
        if lease is not None:
            return lease
    return None


def _claimable(jobs: QuerySet[Job]) -> QuerySet[Job]:
    return jobs.filter(state=JobState.QUEUED, cancel_requested=False).exclude(
        pool__in=breaker.open_pauses().values("pool")
    )


def _is_left_to_others(job: Job, owner: str, now: datetime) -> bool:
    """Whether a living worker elsewhere is the better one for a troubled job."""
    if job.infra_left == INFRA_BUDGET or host_of(job.last_worker) != host_of(owner):
        return False
    if job.available_at + LEFT_TO_OTHERS * settings.OHB_BACKOFF_FACTOR <= now:
        return False
    simulated = job.task.snapshot.device_profile_simulated
    on_a_device = job.stage == Stage.CHECKS and not simulated
    others = [
        worker.name
        for worker in Worker.objects.living(now).exclude(name=owner)
        if job.pool in worker.pools
        and has_agent(worker, job)
        and (job.trusted or on_a_device or worker.capabilities.get("isolates"))
    ]
    if any(host_of(name) != host_of(owner) for name in others):
        return True
    return job.last_worker == owner and bool(others)


def _lease(job: Job, *, owner: str, now: datetime, f_point_count: int) -> Lease | None:
    stage, fence = Stage(job.stage), job.fence + 1
    deadline = (
        now
        + time_limit(stage, f_point_count=f_point_count)
        + control_time(stage, f_point_count=f_point_count)
    )
    with transaction.atomic():
        unclaimed = _claimable(
            Job.objects.filter(pk=job.pk, stage=stage, fence=job.fence)
        )
        claimed = unclaimed.update(
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
        job.fence = fence
        salt = signatures.new_salt()
        Attempt.objects.create(
            job=job,
            stage=stage,
            fence=fence,
            pool=job.pool,
            worker=owner,
            started_at=now,
            key_salt=salt,
        )
        transitions.record(job, JobState.QUEUED, JobState.LEASED, actor=owner)
        if fence == 1:
            news.began(job.evaluation_id)
    key = signatures.attempt_key(salt, job_id=job.pk, fence=fence)
    return Lease(job.pk, stage, fence, owner, deadline, key)


def _lease_end(now: datetime, deadline: datetime) -> datetime:
    lease = timedelta(seconds=settings.OHB_LEASE_SECONDS)
    return min(now + lease, deadline + DEADLINE_GRACE)


def _held(lease: Lease, now: datetime) -> QuerySet[Job]:
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
            return transitions.cancel(job, now, lease.owner)
        match outcome:
            case Passed(facts=facts):
                return transitions.pass_on(job, now, facts)
            case ModelOutcome():
                return transitions.decide(job, now, outcome)
            case Trouble():
                return transitions.trouble(
                    job, now, outcome, AttemptOutcome.INFRASTRUCTURE
                )


def give_back(lease: Lease) -> None:
    """Return a lease without cost, when a worker is told to stop."""
    now = timezone.now()
    with transaction.atomic():
        job = _held(lease, now).select_for_update().first()
        if job is None:
            return
        if job.cancel_requested:
            transitions.cancel(job, now, lease.owner)
            return
        transitions.end_attempt(
            job, now, AttemptOutcome.DRAINED, reason=InfraReason.DRAIN
        )
        transitions.leave(
            job, now, JobState.QUEUED, note="worker stops", available_at=now
        )


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
                transitions.cancel(job, now, "reaper")
                continue
            hung = job.deadline is not None and job.deadline <= now
            found = (
                Trouble(InfraReason.DEADLINE, f"{job.stage} passed its time limit.")
                if hung
                else Trouble(InfraReason.WORKER_LOST, f"{job.owner} went silent.")
            )
            after = transitions.trouble(job, now, found, AttemptOutcome.LOST)
            if after.state == JobState.QUEUED:
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
                transitions.cancel(job, now, actor)


def requeue(job_id: int, *, actor: str, reason: str) -> Job:
    """Give a job that ended in our own trouble a new budget. A person's act."""
    now = timezone.now()
    with transaction.atomic():
        job = Job.objects.select_for_update().filter(pk=job_id, state__in=STUCK).first()
        if job is None:
            raise ValueError(
                f"Job {job_id} is not waiting for a re-run. Only jobs that ended in "
                "infrastructure trouble or quarantine can be queued again."
            )
        return transitions.move(
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
    waiting = _claimable(Job.objects.filter(available_at__lte=timezone.now()))
    return list(waiting.order_by("pk").values_list("pk", "pool")[:limit])


def counts(evaluation: Evaluation) -> dict[str, int]:
    """How many jobs of ``evaluation`` are in each state."""
    rows = Job.objects.filter(evaluation=evaluation).values("state")
    found = {row["state"]: row["n"] for row in rows.annotate(n=Count("pk"))}
    return {state.value: found.get(state.value, 0) for state in JobState}
