"""What the page of a submission tells about its evaluation while it goes on."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import NamedTuple

from django.utils import timezone
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from evaluator.forecast import Forecast, forecast
from evaluator.models import (
    SILENT_AFTER,
    Attempt,
    Job,
    JobEvent,
    JobState,
    Stage,
)
from evaluator.reasons import reason_label
from evaluator.stage_times import StageTimes, stage_times
from evaluator.stages import ORDER
from evaluator.transitions import STUCK
from leaderboard.outcomes import Outcome, outcome
from submissions.models import Submission
from submissions.reruns import Rerun, Stuck, reruns_of, stuck_of, work_url

FRESH_UNTIL = timedelta(minutes=1)
EVENTS_SHOWN = 15

_SQUARES = {
    JobState.QUEUED: "waiting",
    JobState.LEASED: "running",
    JobState.INFRA_EXHAUSTED: "trouble",
    JobState.QUARANTINED: "trouble",
    JobState.CANCELLED: "cancelled",
}


class Square(NamedTuple):
    """One task run: its task, what it is doing in words, how it is drawn.

    ``mark`` is the shape of an outcome, or the kind of an undecided square.
    """

    task: str
    label: str | Promise
    mark: str
    decided: bool
    href: str


class RunRow(NamedTuple):
    """The task runs of one run; ``completed`` is partial while any is undecided."""

    number: int
    squares: Sequence[Square]
    scored: int
    completed: int


class StageRow(NamedTuple):
    """How many task runs have passed a stage, are in it, and wait for it.

    ``median`` is the time that the stage took where it ended well; None before.
    """

    label: str | Promise
    passed: int
    running: int
    waiting: int
    median: timedelta | None


class EventRow(NamedTuple):
    """One step of one task run, in words; ``note`` is the reason where there is one."""

    at: datetime
    run: int
    task: str
    stage: str | Promise
    state: str | Promise
    note: str | Promise


@dataclass(frozen=True, slots=True)
class Progress:
    """Counts of task runs; none of them is a score.

    ``silence`` is how long nothing was heard of what is leased; ``silent`` says that
    this is too long.
    """

    counts: dict[str, int]
    total: int
    scored: int
    completed: int
    stages: Sequence[StageRow]
    runs: Sequence[RunRow]
    last_sign_at: datetime | None
    silence: timedelta
    forecast: Forecast
    reruns: Sequence[Rerun]
    stuck: Sequence[Stuck]
    events: Sequence[EventRow]

    @property
    def task_rows(self) -> list[tuple[Square, ...]]:
        """The squares of each task, one a run: every run has every task."""
        return list(zip(*(run.squares for run in self.runs), strict=True))

    @property
    def running(self) -> int:
        return self.counts[JobState.LEASED]

    @property
    def waiting(self) -> int:
        return self.counts[JobState.QUEUED]

    @property
    def trouble(self) -> int:
        """Task runs that wait for a maintainer: our doing, never scored as failed."""
        return sum(self.counts[state] for state in STUCK)

    @property
    def fresh(self) -> bool:
        return self.silence < FRESH_UNTIL

    @property
    def silent(self) -> bool:
        return self.running > 0 and self.silence >= SILENT_AFTER

    @property
    def silent_minutes(self) -> int:
        return int(self.silence.total_seconds() // 60)

    @property
    def unserved(self) -> Sequence[str]:
        """Pools where task runs wait in vain: nobody is at work on any of them."""
        return () if self._at_work else self.forecast.unserved

    @property
    def unoffered(self) -> Sequence[str]:
        """Agents with their models that task runs wait for and no worker has."""
        return () if self._at_work else self.forecast.unoffered

    @property
    def _at_work(self) -> bool:
        return self.running > 0 and not self.silent

    @property
    def no_worker(self) -> bool:
        return bool(self.unserved) and not self.forecast.worker_count


def progress_of(submission: Submission) -> Progress:
    """Read the jobs once and count; a fixed number of queries at any size."""
    evaluation = submission.evaluation
    evaluation.snapshot = submission.snapshot
    jobs = list(
        Job.objects.filter(evaluation=evaluation)
        .select_related("task", "run")
        .order_by("run__number", "task__position", "task__slug")
    )
    found = Counter(job.state for job in jobs)
    counts = {state.value: found[state] for state in JobState}
    leased = [job for job in jobs if job.state == JobState.LEASED]
    times = stage_times(Attempt.objects.filter(job__evaluation=evaluation))
    last_sign = max((job.updated_at for job in leased or jobs), default=None)
    return Progress(
        counts=counts,
        total=len(jobs),
        scored=counts[JobState.SCORED],
        completed=sum(_completed(job) for job in jobs),
        stages=[_stage_row(stage, jobs, times.get(stage)) for stage in ORDER],
        runs=_run_rows(jobs),
        last_sign_at=last_sign,
        silence=timezone.now() - last_sign if last_sign else timedelta(),
        forecast=forecast(evaluation, jobs),
        reruns=reruns_of(jobs),
        stuck=stuck_of(jobs),
        events=_latest_events(submission),
    )


def _latest_events(submission: Submission) -> list[EventRow]:
    found = (
        JobEvent.objects.filter(job__evaluation=submission.evaluation_id)
        .select_related("job__task", "job__run")
        .order_by("-pk")[:EVENTS_SHOWN]
    )
    return [
        EventRow(
            at=event.at,
            run=event.job.run.number,
            task=event.job.task.slug,
            stage=Stage(event.stage).label,
            state=JobState(event.to_state).label,
            note=reason_label(event.note),
        )
        for event in found
    ]


def _completed(job: Job) -> bool:
    return job.state == JobState.SCORED and not job.reason


def _stage_row(stage: Stage, jobs: Sequence[Job], times: StageTimes | None) -> StageRow:
    place = ORDER.index(stage)
    here = [job for job in jobs if job.stage == stage]
    states = Counter(job.state for job in here)
    beyond = sum(ORDER.index(Stage(job.stage)) > place for job in jobs)
    return StageRow(
        label=stage.label,
        passed=beyond + states[JobState.SCORED],
        running=states[JobState.LEASED],
        waiting=states[JobState.QUEUED],
        median=times.median if times else None,
    )


def _run_rows(jobs: Sequence[Job]) -> list[RunRow]:
    rows = []
    for number in sorted({job.run.number for job in jobs}):
        mine = [job for job in jobs if job.run.number == number]
        rows.append(
            RunRow(
                number=number,
                squares=[_square(job) for job in mine],
                scored=sum(job.state == JobState.SCORED for job in mine),
                completed=sum(_completed(job) for job in mine),
            )
        )
    return rows


def _square(job: Job) -> Square:
    if job.state == JobState.SCORED:
        found: Outcome = outcome(completed=not job.reason, reason=job.reason)
        href = f"{job.run.get_absolute_url()}tasks/{job.task.slug}/"
        return Square(job.task.slug, found.label, found.mark, True, href)
    stage = Stage(job.stage).label
    state = JobState(job.state)
    label = _("%(state)s: %(stage)s") % {"state": state.label, "stage": stage}
    return Square(job.task.slug, label, _SQUARES[state], False, work_url(job))
