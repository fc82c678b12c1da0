"""The state of the evaluator as everybody may see it, in a fixed number of queries."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, NamedTuple

from django.core.cache import cache
from django.db.models import Count, Min, QuerySet
from django.utils import timezone
from django.utils.functional import Promise

from evaluator import serving
from evaluator.breaker import open_pauses
from evaluator.models import (
    SILENT_AFTER,
    Attempt,
    AttemptOutcome,
    Job,
    JobState,
    PoolPause,
    Stage,
    SuspectDevice,
    Worker,
)
from evaluator.reasons import reason_label
from evaluator.registration import REMEMBERED
from evaluator.stage_times import StageTimes, stage_times
from evaluator.stages import ORDER, pool_of
from evaluator.wanted import Unoffered, unoffered
from leaderboard import __version__
from leaderboard.models import EvaluationSnapshot, Provenance, SnapshotStatus
from leaderboard.outbox import Waiting, waiting

WINDOW = timedelta(days=7)
# Reading a week of attempts takes a second where there are many.
WEEK_KEY, WEEK_SECONDS = "evaluator-week", 30
UNDECIDED = (
    JobState.QUEUED,
    JobState.LEASED,
    JobState.INFRA_EXHAUSTED,
    JobState.QUARANTINED,
)

_OURS = (AttemptOutcome.INFRASTRUCTURE, AttemptOutcome.LOST)


class WorkerRow(NamedTuple):
    """A worker; ``silent`` ones were not heard of for two minutes.

    ``snapshots`` are the open ones whose checks it runs, by the device of its pools;
    ``builds`` those that it can build for, with ``sdk`` or the simulator.
    """

    worker: Worker
    silent: bool
    snapshots: Sequence[EvaluationSnapshot]
    builds: Sequence[EvaluationSnapshot]

    @property
    def offers(self) -> Sequence[str]:
        """The agents with their models that it runs for configurations."""
        return sorted(self.worker.offers)

    @property
    def sdk(self) -> Mapping[str, Any] | None:
        """``api_level`` and ``version`` of the SDK that it builds with, if any."""
        told: Mapping[str, Any] | None = serving.builds_of(self.worker).get("sdk")
        return told


class PoolRow(NamedTuple):
    """One pool of workers: ``slots`` are those of living workers that serve it."""

    name: str
    queued: int
    running: int
    oldest_wait: timedelta | None
    slots: int
    pause: PoolPause | None

    @property
    def unserved(self) -> bool:
        return self.queued > 0 and not self.slots


@dataclass(frozen=True, slots=True)
class ReasonRow:
    reason: str
    count: int

    @property
    def label(self) -> str | Promise:
        return reason_label(self.reason)


@dataclass(frozen=True, slots=True)
class Failures:
    """What went wrong in the window, by whose doing and reason, the most first.

    ``ours`` are attempts, of ``ended`` in all. ``theirs`` are task runs that were not
    completed, of ``scored`` in all; baselines are in neither.
    """

    ended: int
    ours: Sequence[ReasonRow]
    scored: int
    theirs: Sequence[ReasonRow]

    @property
    def ours_count(self) -> int:
        return sum(row.count for row in self.ours)

    @property
    def theirs_count(self) -> int:
        return sum(row.count for row in self.theirs)


class Week(NamedTuple):
    """What the window shows; the same for everybody for half a minute."""

    stages: Sequence[StageTimes]
    failures: Failures


@dataclass(frozen=True, slots=True)
class Status:
    """``states`` counts jobs that are not decided, of this moment."""

    at: datetime
    version: str
    workers: Sequence[WorkerRow]
    pools: Sequence[PoolRow]
    unoffered: Sequence[Unoffered]
    states: Mapping[JobState, int]
    stages: Sequence[StageTimes]
    failures: Failures
    suspects: Sequence[SuspectDevice]
    snapshots: Sequence[EvaluationSnapshot]
    outbox: Waiting

    @property
    def window_days(self) -> int:
        return WINDOW.days

    @property
    def living(self) -> Sequence[WorkerRow]:
        return [row for row in self.workers if not row.silent]

    @property
    def silent(self) -> Sequence[WorkerRow]:
        return [row for row in self.workers if row.silent]

    @property
    def paused(self) -> Sequence[PoolRow]:
        return [pool for pool in self.pools if pool.pause]

    @property
    def unserved(self) -> Sequence[PoolRow]:
        return [pool for pool in self.pools if pool.unserved]

    @property
    def queued(self) -> int:
        return self.states[JobState.QUEUED]

    @property
    def running(self) -> int:
        return self.states[JobState.LEASED]

    @property
    def stuck(self) -> int:
        """Task runs that wait for an operator."""
        return self.states[JobState.INFRA_EXHAUSTED] + self.states[JobState.QUARANTINED]

    @property
    def oldest_wait(self) -> timedelta | None:
        waits = [pool.oldest_wait for pool in self.pools if pool.oldest_wait]
        return max(waits, default=None)


def current_status() -> Status:
    """Read the queue, the workers and the attempts of the last seven days."""
    now = timezone.now()
    rows = (
        Job.objects.filter(state__in=UNDECIDED)
        .order_by()
        .values_list("state", "pool")
        .annotate(Count("pk"), Min("available_at"))
    )
    found = [_Group(JobState(state), *rest) for state, *rest in rows]
    counted = Counter[JobState]()
    for group in found:
        counted[group.state] += group.count
    snapshots = list(
        EvaluationSnapshot.objects.filter(status=SnapshotStatus.OPEN)
        .select_related("benchmark")
        .order_by("benchmark__name", "version")
    )
    workers = _workers(now, snapshots)
    week: Week = cache.get_or_set(WEEK_KEY, _week, WEEK_SECONDS) or _week()
    return Status(
        at=now,
        version=__version__,
        workers=workers,
        pools=_pools(found, workers, snapshots, now=now),
        unoffered=unoffered(row.worker for row in workers if not row.silent),
        states={state: counted[state] for state in UNDECIDED},
        stages=week.stages,
        failures=week.failures,
        suspects=list(SuspectDevice.objects.filter(cleared_at=None)),
        snapshots=snapshots,
        outbox=waiting(),
    )


@dataclass(frozen=True, slots=True)
class _Group:
    """The jobs of one state in one pool."""

    state: JobState
    pool: str
    count: int
    since: datetime


def _workers(now: datetime, snapshots: Sequence[EvaluationSnapshot]) -> list[WorkerRow]:
    known = Worker.objects.filter(seen_at__gte=now - REMEMBERED)
    pools = [(each, pool_of(Stage.CHECKS, each.device_profile)) for each in snapshots]
    rows = [
        WorkerRow(
            worker,
            silent=worker.seen_at < now - SILENT_AFTER,
            snapshots=[each for each, pool in pools if pool in worker.pools],
            builds=[each for each in snapshots if serving.can_build(worker, each)],
        )
        for worker in known
    ]
    return sorted(rows, key=lambda row: (row.silent, row.worker.name))


def _pools(
    groups: Sequence[_Group],
    workers: Sequence[WorkerRow],
    snapshots: Sequence[EvaluationSnapshot],
    *,
    now: datetime,
) -> list[PoolRow]:
    """Pools with work, with workers, with a pause, or needed by an open snapshot."""
    pauses = {pause.pool: pause for pause in open_pauses()}
    queued = {each.pool: each for each in groups if each.state == JobState.QUEUED}
    running = {each.pool: each for each in groups if each.state == JobState.LEASED}
    slots = Counter[str]()
    for row in workers:
        for pool in row.worker.pools:
            slots[pool] += 0 if row.silent else row.worker.slots
    needed = {
        pool_of(stage, snapshot.device_profile)
        for snapshot in snapshots
        for stage in ORDER
    }
    return [
        PoolRow(
            name=name,
            queued=queued[name].count if name in queued else 0,
            running=running[name].count if name in running else 0,
            oldest_wait=_wait(queued.get(name), now),
            slots=slots[name],
            pause=pauses.get(name),
        )
        for name in sorted({*queued, *running, *slots, *pauses, *needed})
    ]


def _wait(group: _Group | None, now: datetime) -> timedelta | None:
    """How long the oldest job of a pool has been ready; None if none is yet."""
    if group is None or group.since > now:
        return None
    return now - group.since


def _week() -> Week:
    recent = Attempt.objects.filter(ended_at__gte=timezone.now() - WINDOW)
    times = stage_times(recent)
    return Week(
        stages=[times[stage] for stage in ORDER if stage in times],
        failures=_failures(recent),
    )


def _failures(attempts: QuerySet[Attempt]) -> Failures:
    rows = (
        attempts.order_by()
        .values_list("outcome", "reason", "job__evaluation__provenance")
        .annotate(Count("pk"))
    )
    ended = scored = 0
    ours, theirs = Counter[str](), Counter[str]()
    for outcome, reason, provenance, count in rows:
        ended += count
        if outcome in _OURS:
            ours[reason] += count
        elif outcome == AttemptOutcome.MODEL and provenance != Provenance.BASELINE:
            scored += count
            theirs[reason] += count if reason else 0
    return Failures(ended, _reason_rows(ours), scored, _reason_rows(theirs))


def _reason_rows(counts: Counter[str]) -> list[ReasonRow]:
    return [ReasonRow(reason, count) for reason, count in counts.most_common() if count]
