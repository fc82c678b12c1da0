"""Admission of a snapshot: the proof that its checks decide what they claim to decide.

The no-op baseline must fail every F-point, and the reference solution must pass every
one in two independent runs. Only then is the snapshot opened for submissions.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from django.db import transaction
from django.utils import timezone

from evaluator import services
from evaluator.foreground import evaluate
from evaluator.models import AgentKind, Job, JobState
from leaderboard.models import (
    CheckResult,
    Configuration,
    Evaluation,
    EvaluationSnapshot,
    Provenance,
    SnapshotStatus,
    TaskResult,
    record,
)

REFERENCE_RUNS = 2


@dataclass(frozen=True, slots=True)
class Baseline:
    agent: AgentKind
    model: str
    run_count: int
    must_pass: bool


BASELINES = (
    Baseline(AgentKind.NOOP, "No-op baseline", 1, must_pass=False),
    Baseline(AgentKind.REFERENCE, "Reference solution", REFERENCE_RUNS, must_pass=True),
)


@dataclass(frozen=True, slots=True)
class Admission:
    """What the proof found: completed tasks of each baseline, and every fault."""

    floor_completed: int
    ceiling_completed: int
    task_count: int
    faults: tuple[str, ...]


def admit(
    snapshot: EvaluationSnapshot,
    *,
    slots: int,
    on_progress: Callable[[str, dict[str, int]], None] = lambda name, counts: None,
) -> Admission:
    """Run both baselines to the end and open ``snapshot`` if they prove it.

    An interrupted admission goes on where it stopped. A snapshot that is open already
    is left as it is.
    """
    faults: list[str] = []
    for baseline in BASELINES:
        evaluation = _evaluation(snapshot, baseline)
        evaluate(
            evaluation,
            slots=slots,
            on_progress=lambda counts, name=baseline.model: on_progress(name, counts),  # type: ignore[misc]  # the default binds the loop's value
        )
        faults += _faults(evaluation, baseline)
    admission = Admission(
        floor_completed=_completed_tasks(snapshot, AgentKind.NOOP, 1),
        ceiling_completed=_completed_tasks(
            snapshot, AgentKind.REFERENCE, REFERENCE_RUNS
        ),
        task_count=snapshot.tasks.count(),
        faults=tuple(faults),
    )
    if not faults:
        _open(snapshot, admission)
    return admission


def _evaluation(snapshot: EvaluationSnapshot, baseline: Baseline) -> Evaluation:
    configuration, _ = Configuration.objects.get_or_create(
        model=baseline.model,
        provider="OpenHarmony Bench",
        agent_name=baseline.agent.value,
        agent_version="1",
    )
    found = (
        Evaluation.objects.filter(
            snapshot=snapshot,
            configuration=configuration,
            provenance=Provenance.BASELINE,
        )
        .exclude(jobs__state=JobState.CANCELLED)
        .order_by("-pk")
        .first()
    )
    return found or services.start_evaluation(
        snapshot=snapshot,
        configuration=configuration,
        provenance=Provenance.BASELINE,
        run_count=baseline.run_count,
        trusted=True,
        comparability_key=snapshot.comparability_key,
        agent=baseline.agent,
    )


def _faults(evaluation: Evaluation, baseline: Baseline) -> Iterator[str]:
    undecided = Job.objects.filter(evaluation=evaluation).exclude(state=JobState.SCORED)
    for job in undecided.select_related("task", "run"):
        yield (
            f"{baseline.model}: {job.task.slug}, run {job.run.number} is {job.state}"
            f" ({job.reason}: {job.detail})"
        )
    wrong = CheckResult.objects.filter(
        result__run__evaluation=evaluation, passed=not baseline.must_pass
    ).select_related("result__task", "result__run", "f_point")
    for check in wrong:
        verb = "passes already" if check.passed else "fails"
        result = check.result
        yield (
            f"{baseline.model}: {result.task.slug}, run {result.run.number}: "
            f"{check.f_point.f_point} {verb} ({check.message or result.detail})"
        )


def _completed_tasks(
    snapshot: EvaluationSnapshot, agent: AgentKind, run_count: int
) -> int:
    """How many tasks the baseline completed in every one of its runs."""
    completed: dict[int, int] = {}
    results = TaskResult.objects.filter(
        run__evaluation__snapshot=snapshot,
        run__evaluation__provenance=Provenance.BASELINE,
        run__evaluation__configuration__agent_name=agent.value,
        completed=True,
    )
    for task_id in results.values_list("task_id", flat=True):
        completed[task_id] = completed.get(task_id, 0) + 1
    return sum(count >= run_count for count in completed.values())


def _open(snapshot: EvaluationSnapshot, admission: Admission) -> None:
    with transaction.atomic():
        opened = EvaluationSnapshot.objects.filter(
            pk=snapshot.pk, status=SnapshotStatus.DRAFT
        ).update(
            status=SnapshotStatus.OPEN,
            floor_completed=admission.floor_completed,
            ceiling_completed=admission.ceiling_completed,
        )
        if opened:
            record(
                "open snapshot",
                snapshot,
                reason=f"Proved at {timezone.now():%Y-%m-%d %H:%M} UTC.",
                before={"status": SnapshotStatus.DRAFT},
                after={"status": SnapshotStatus.OPEN},
            )
    snapshot.refresh_from_db()
