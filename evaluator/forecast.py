"""When an evaluation may end: its place in the queue and a range, never a promise."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import NamedTuple

from django.db.models import Count
from django.utils import timezone

from evaluator.breaker import open_pauses
from evaluator.models import Attempt, Job, JobState, PoolPause, Stage, Worker
from evaluator.stage_times import StageTimes, stage_times
from evaluator.stages import ORDER, pool_of
from evaluator.wanted import offers_nobody_has
from leaderboard.models import Evaluation

# Times of the same device profile tell what to expect, the latest first.
HISTORY = timedelta(days=30)
HISTORY_ATTEMPTS = 3000

UNDECIDED = (JobState.QUEUED, JobState.LEASED)

Work = Counter[tuple[str, Stage]]
"""How many stages are still to be run, by pool and stage."""


class Range(NamedTuple):
    """The shortest and the longest time that is likely."""

    low: timedelta
    high: timedelta


@dataclass(frozen=True, slots=True)
class Forecast:
    """Where an evaluation stands.

    ``pool`` is where its first queued task run waits; it is empty, and ``jobs_ahead``
    None, when nothing waits. ``unserved`` are pools where task runs wait and that no
    living worker serves; ``unoffered`` are agents with their models that task runs wait
    for and that none of them has. ``until_end`` is None without a history or without
    workers.
    """

    pool: str
    jobs_ahead: int | None
    unserved: Sequence[str]
    unoffered: Sequence[str]
    pauses: Sequence[PoolPause]
    until_end: Range | None
    worker_count: int


def forecast(evaluation: Evaluation, jobs: Sequence[Job]) -> Forecast:
    """What is ahead of ``jobs``, all those of ``evaluation``; five queries at most."""
    workers = [
        worker
        for worker in Worker.objects.living(timezone.now())
        if _may_take(worker, evaluation, jobs)
    ]
    waiting = [job for job in jobs if job.state == JobState.QUEUED]
    pauses = list(open_pauses().filter(pool__in={job.pool for job in waiting}))
    served = {pool for worker in workers for pool in worker.pools}
    unoffered = offers_nobody_has(waiting, workers)
    first = min(waiting, key=lambda job: job.pk, default=None)
    return Forecast(
        pool=first.pool if first else "",
        jobs_ahead=_ahead_of(first) if first else None,
        unserved=sorted({job.pool for job in waiting} - served),
        unoffered=unoffered,
        pauses=pauses,
        until_end=None
        if pauses or unoffered
        else _until_end(evaluation, jobs, workers),
        worker_count=len(workers),
    )


def _may_take(worker: Worker, evaluation: Evaluation, jobs: Sequence[Job]) -> bool:
    """A worker without walls takes only what somebody vouches for.

    One with nothing but real devices needs none: no app runs on the machine itself.
    """
    if worker.capabilities.get("isolates") or all(job.trusted for job in jobs):
        return True
    snapshot = evaluation.snapshot
    devices = {pool_of(Stage.CHECKS, snapshot.device_profile)}
    return not snapshot.device_profile_simulated and set(worker.pools) <= devices


def _ahead_of(job: Job) -> int:
    """Queued task runs of others that are taken before ``job`` in its pool."""
    older = Job.objects.filter(
        state=JobState.QUEUED,
        pool=job.pool,
        pk__lt=job.pk,
        cancel_requested=False,
    )
    return older.exclude(evaluation=job.evaluation_id).count()


def _until_end(
    evaluation: Evaluation, jobs: Sequence[Job], workers: Sequence[Worker]
) -> Range | None:
    undecided = [job for job in jobs if job.state in UNDECIDED]
    if not undecided or not workers:
        return None
    work = _work_ahead(evaluation, last=max(job.pk for job in undecided))
    return time_left(work, times=_history(evaluation), workers=workers)


def _work_ahead(evaluation: Evaluation, *, last: int) -> Work:
    """The stages that are left of ours and of everybody older, by pool."""
    rows = (
        Job.objects.filter(state__in=UNDECIDED, pk__lte=last, cancel_requested=False)
        .values_list("stage", "evaluation__snapshot__device_profile")
        .annotate(Count("pk"))
        .order_by()
    )
    work: Work = Counter()
    for stage, profile, count in rows:
        for later in ORDER[ORDER.index(Stage(stage)) :]:
            work[pool_of(later, profile), later] += count
    return work


def _history(evaluation: Evaluation) -> Mapping[Stage, StageTimes]:
    profile = evaluation.snapshot.device_profile
    latest = (
        Attempt.objects.filter(
            accepted=True,
            ended_at__gte=timezone.now() - HISTORY,
            job__evaluation__snapshot__device_profile=profile,
        )
        .order_by("-ended_at")
        .values("pk")[:HISTORY_ATTEMPTS]
    )
    return stage_times(Attempt.objects.filter(pk__in=latest))


def time_left(
    work: Work, *, times: Mapping[Stage, StageTimes], workers: Iterable[Worker]
) -> Range | None:
    """How long ``work`` takes, or None where a stage has no history or no worker.

    Low: median times, and no slot is ever idle. High: 90th percentiles, one pool after
    the other, and at the end one task run goes through its stages alone.
    """
    slots: Counter[str] = Counter()
    all_slots = 0
    wanted = {pool for pool, _ in work}
    for worker in workers:
        all_slots += worker.slots if wanted & set(worker.pools) else 0
        for pool in worker.pools:
            slots[pool] += worker.slots
    stages = {stage for _, stage in work}
    if not work or stages - set(times) or any(not slots[pool] for pool in wanted):
        return None
    least: dict[str, float] = defaultdict(float)
    most: dict[str, float] = defaultdict(float)
    for (pool, stage), count in work.items():
        least[pool] += times[stage].median.total_seconds() * count
        most[pool] += times[stage].ninetieth.total_seconds() * count
    low = max(sum(least.values()) / all_slots, *(least[p] / slots[p] for p in wanted))
    alone = sum(times[stage].ninetieth.total_seconds() for stage in stages)
    high = sum(most[pool] / slots[pool] for pool in wanted) + alone
    return Range(timedelta(seconds=low), timedelta(seconds=high))
