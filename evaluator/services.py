"""What people and the upper floor ask of the evaluator, each in one transaction."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import astuple, dataclass
from typing import Any

from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from evaluator import hints, queue
from evaluator.errors import NotPossibleError
from evaluator.incomplete import leave_incomplete
from evaluator.models import AgentKind, Job, Stage
from evaluator.publication import (
    disqualify_evaluation,
    end_embargo,
    publish_evaluation,
    reinstate_evaluation,
    withdraw_evaluation,
)
from evaluator.reruns import requeue, stuck_jobs
from evaluator.stages import pool_of
from leaderboard import bulk
from leaderboard.models import (
    Artifact,
    Configuration,
    Evaluation,
    EvaluationSnapshot,
    Provenance,
    Run,
    record,
)

__all__ = [
    "InputFile",
    "NotPossibleError",
    "UnitInput",
    "cancel_evaluation",
    "disqualify_evaluation",
    "end_embargo",
    "leave_incomplete",
    "publish_evaluation",
    "reinstate_evaluation",
    "requeue",
    "start_evaluation",
    "stuck_jobs",
    "withdraw_evaluation",
]


@dataclass(frozen=True, slots=True)
class InputFile:
    """A stored file of the submission that is kept as an artifact of its task run."""

    name: str
    kind: str
    sha256: str
    size_bytes: int


@dataclass(frozen=True, slots=True)
class UnitInput:
    """What was submitted for one task of one run; None = not reported."""

    run: int
    task_slug: str
    first_patch: str | None
    final_patch: str
    files: tuple[InputFile, ...] = ()
    total_tokens: int | None = None
    agent_milliseconds: int | None = None
    repair_rounds: int | None = None

    def as_inputs(self) -> dict[str, Any]:
        return {
            "first_patch": self.first_patch,
            "final_patch": self.final_patch,
            "total_tokens": self.total_tokens,
            "agent_milliseconds": self.agent_milliseconds,
            "repair_rounds": self.repair_rounds,
        }


def start_evaluation(
    *,
    snapshot: EvaluationSnapshot,
    configuration: Configuration,
    provenance: Provenance,
    run_count: int,
    trusted: bool,
    comparability_key: str,
    agent: AgentKind = AgentKind.REPLAY,
    units: Sequence[UnitInput] = (),
    differing_fields: Sequence[str] = (),
    inputs: Mapping[str, Any] | None = None,
) -> Evaluation:
    """Create an evaluation with its runs and all of its k x N jobs, or nothing.

    ``units`` holds one entry per run and task for the ``replay`` agent and is empty for
    the others; ``inputs`` is what every job of these is given. Hints go out when the
    transaction is committed.
    """
    tasks = {task.slug: task for task in snapshot.tasks.all()}
    if not tasks:
        raise NotPossibleError(
            f"Snapshot {snapshot.version} holds no tasks here; it cannot be evaluated."
        )
    by_place = {(unit.run, unit.task_slug): unit for unit in units}
    wanted = {(number, slug) for number in range(1, run_count + 1) for slug in tasks}
    if agent == AgentKind.REPLAY and (
        set(by_place) != wanted or len(units) != len(wanted)
    ):
        raise NotPossibleError(
            f"An evaluation needs each of {len(tasks)} tasks once in each of "
            f"{run_count} runs; {len(units)} task runs were given."
        )
    with transaction.atomic():
        evaluation = Evaluation.objects.create(
            snapshot=snapshot,
            configuration=configuration,
            provenance=provenance,
            comparability_key=comparability_key,
            differing_fields=list(differing_fields),
            run_count=run_count,
            simulated=snapshot.device_profile_simulated,
        )
        runs = [
            Run.objects.create(evaluation=evaluation, number=number)
            for number in range(1, run_count + 1)
        ]
        now = timezone.now()
        pool = pool_of(Stage.AGENT, snapshot.device_profile)
        queue.enqueue(
            [
                Job(
                    evaluation=evaluation,
                    run=run,
                    task=task,
                    agent=agent,
                    inputs=by_place[run.number, task.slug].as_inputs()
                    if agent == AgentKind.REPLAY
                    else dict(inputs or {}),
                    trusted=trusted,
                    pool=pool,
                    available_at=now,
                )
                for run in runs
                for task in tasks.values()
            ]
        )
        numbers = {run.number: run for run in runs}
        bulk.insert(
            Artifact,
            ("run_id", "task_id", "name", "kind", "sha256", "size_bytes"),
            (
                (numbers[unit.run].pk, tasks[unit.task_slug].pk, *astuple(file))
                for unit in units
                for file in unit.files
            ),
        )
        jobs = Job.objects.filter(evaluation=evaluation).values_list("pk", "pool")
        hints.ring_after_commit(jobs)
    return evaluation


def cancel_evaluation(evaluation: Evaluation, *, by: User, reason: str = "") -> None:
    """Stop the undecided jobs of an evaluation; what is scored stays scored."""
    with transaction.atomic():
        locked = Evaluation.objects.select_for_update().get(pk=evaluation.pk)
        if locked.scored_at is not None:
            raise NotPossibleError(
                _("Every task run is scored; nothing is left to cancel.")
            )
        queue.request_cancel(locked, actor=str(by))
        record("cancel", locked, by=by, reason=reason)
