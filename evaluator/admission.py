"""Admission of a snapshot: the proof that its checks decide what they claim to decide.

The unchanged base must fail every F-point but its regression checks, which it must
pass; the reference solution must pass every one in two independent runs, and each
wrong patch of a task must fail what it is made to fail. All go through the queue as any
evaluation does; what each task run proves is written when its evaluation is scored
(``evaluator/proofs.py``).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from django.contrib.auth.models import User
from django.db import transaction
from django.utils.translation import gettext as _

from evaluator import services
from evaluator.foreground import evaluate
from evaluator.models import AgentKind, Job, JobState
from evaluator.proofs import record_proofs
from leaderboard.curation import (
    CurationError,
    SnapshotAct,
    move,
    task_states,
    why_not,
)
from leaderboard.curation.state import REFERENCE_RUNS_NEEDED
from leaderboard.models import (
    Configuration,
    Evaluation,
    EvaluationSnapshot,
    Provenance,
    SnapshotStatus,
    TaskProof,
    record,
)


@dataclass(frozen=True, slots=True)
class Baseline:
    agent: AgentKind
    model: str
    run_count: int


BASELINES = (
    Baseline(AgentKind.NOOP, "No-op baseline", 1),
    Baseline(AgentKind.REFERENCE, "Reference solution", REFERENCE_RUNS_NEEDED),
)


def baselines_of(snapshot: EvaluationSnapshot) -> list[Baseline]:
    """The two baselines, and the wrong patches where tasks have any, one in a run."""
    counts = [len(task.wrong_patches) for task in snapshot.tasks.all()]
    most = max(counts, default=0)
    wrong = [Baseline(AgentKind.WRONG, "Wrong patches", most)] if most else []
    return [*BASELINES, *wrong]


@dataclass(frozen=True, slots=True)
class Admission:
    """What was found: completed tasks of each baseline, and every fault.

    Of ``wrong_count`` wrong patches ``wrong_found`` failed as they are made to.
    """

    floor_completed: int
    ceiling_completed: int
    task_count: int
    wrong_found: int
    wrong_count: int
    faults: tuple[str, ...]


def begin(
    snapshot: EvaluationSnapshot, *, by: User | None = None, reason: str = ""
) -> list[Evaluation]:
    """Put a draft into admission and queue its proofs; raises CurationError."""
    with transaction.atomic():
        move(snapshot, SnapshotAct.BEGIN, by=by, reason=reason)
        return [_evaluation(snapshot, each) for each in baselines_of(snapshot)]


def prove_again(
    snapshot: EvaluationSnapshot, *, by: User | None = None, reason: str
) -> list[Evaluation]:
    """Set the proofs so far aside, where everybody reads why, and queue new ones."""
    with transaction.atomic():
        found = EvaluationSnapshot.objects.select_for_update().get(pk=snapshot.pk)
        if found.status != SnapshotStatus.ADMISSION:
            raise CurationError(
                _("Only a snapshot in admission is proved; this one is %(state)s.")
                % {"state": found.get_status_display()}
            )
        if not reason.strip():
            raise CurationError(_("Give a reason; it stays on record."))
        for each in baselines_of(found):
            if _jobs_left(_evaluation(found, each)):
                raise CurationError(_("Proofs are still running. Wait for them."))
        proofs = TaskProof.objects.filter(task__snapshot=found, set_aside="")
        proofs.update(set_aside=reason.strip())
        record("prove again", found, by=by, reason=reason)
        return [_evaluation(found, each) for each in baselines_of(found)]


def admit(
    snapshot: EvaluationSnapshot,
    *,
    slots: int,
    on_progress: Callable[[str, dict[str, int]], None] = lambda name, counts: None,
) -> Admission:
    """Run every baseline to the end and open ``snapshot`` if nothing is missing.

    An interrupted admission goes on where it stopped. A snapshot that is open already
    is left as it is.
    """
    if snapshot.status == SnapshotStatus.DRAFT:
        begin(snapshot)
    faults: list[str] = []
    for baseline in baselines_of(snapshot):
        evaluation = _evaluation(snapshot, baseline)
        evaluate(
            evaluation,
            slots=slots,
            on_progress=lambda counts, name=baseline.model: on_progress(name, counts),  # type: ignore[misc]  # the default binds the loop's value
        )
        faults += _undecided(evaluation, baseline)
        record_proofs(evaluation)
    states = task_states(snapshot)
    if not faults and snapshot.status == SnapshotStatus.ADMISSION:
        faults += why_not(snapshot, SnapshotAct.OPEN)
        if not faults:
            move(snapshot, SnapshotAct.OPEN, reason="Proved and approved.")
    return Admission(
        floor_completed=sum(each.base_completed for each in states),
        ceiling_completed=sum(each.reference_completed for each in states),
        task_count=len(states),
        wrong_found=sum(each.wrong_held for each in states),
        wrong_count=sum(len(each.task.wrong_patches) for each in states),
        faults=tuple(faults),
    )


def proofs_running(snapshot: EvaluationSnapshot) -> tuple[int, int]:
    """How many task runs of the proofs are scored, and how many there are."""
    jobs = Job.objects.filter(
        evaluation__snapshot=snapshot, evaluation__provenance=Provenance.BASELINE
    )
    return jobs.filter(state=JobState.SCORED).count(), jobs.count()


def _jobs_left(evaluation: Evaluation) -> bool:
    waiting = (JobState.QUEUED, JobState.LEASED)
    return Job.objects.filter(evaluation=evaluation, state__in=waiting).exists()


def _evaluation(snapshot: EvaluationSnapshot, baseline: Baseline) -> Evaluation:
    """The evaluation whose proofs count, which is made if there is none."""
    configuration, _created = Configuration.objects.get_or_create(
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
        .exclude(runs__results__proof__set_aside__gt="")
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


def _undecided(evaluation: Evaluation, baseline: Baseline) -> Iterator[str]:
    jobs = Job.objects.filter(evaluation=evaluation).exclude(state=JobState.SCORED)
    for job in jobs.select_related("task", "run"):
        yield (
            f"{baseline.model}: {job.task.slug}, run {job.run.number} is {job.state}"
            f" ({job.reason}: {job.detail})"
        )
