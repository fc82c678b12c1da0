"""What people and the upper floor ask of the evaluator, each in one transaction."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from evaluator import hints, queue
from evaluator.errors import NotPossibleError
from evaluator.models import AgentKind, Job, JobState, Stage
from evaluator.reruns import requeue, stuck_jobs, why_not_scored
from evaluator.stages import pool_of
from leaderboard.models import (
    Artifact,
    Configuration,
    Evaluation,
    EvaluationSnapshot,
    Provenance,
    Run,
    Visibility,
    record,
)

__all__ = [
    "InputFile",
    "NotPossibleError",
    "UnitInput",
    "cancel_evaluation",
    "end_embargo",
    "publish_evaluation",
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
) -> Evaluation:
    """Create an evaluation with its runs and all of its k x N jobs, or nothing.

    ``units`` holds one entry per run and task for the ``replay`` agent and is empty for
    the built-in ones. Hints go out when the transaction is committed.
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
                    else {},
                    trusted=trusted,
                    pool=pool,
                    available_at=now,
                )
                for run in runs
                for task in tasks.values()
            ]
        )
        numbers = {run.number: run for run in runs}
        Artifact.objects.bulk_create(
            Artifact(
                run=numbers[unit.run],
                task=tasks[unit.task_slug],
                name=file.name,
                kind=file.kind,
                sha256=file.sha256,
                size_bytes=file.size_bytes,
            )
            for unit in units
            for file in unit.files
        )
        jobs = Job.objects.filter(evaluation=evaluation).values_list("pk", "pool")
        hints.ring_after_commit(jobs)
    return evaluation


def publish_evaluation(
    evaluation: Evaluation,
    *,
    by: User,
    note: str = "",
    public_from: datetime | None = None,
) -> None:
    """Make a scored evaluation public: a maintainer's act.

    With ``public_from`` in the future it is under embargo until then. Refused while
    any job is not scored, naming what is missing.
    """
    with transaction.atomic():
        locked = Evaluation.objects.select_for_update().get(pk=evaluation.pk)
        if locked.is_public:
            raise NotPossibleError(_("The evaluation is public already."))
        counts = queue.counts(locked)
        open_count = sum(counts.values()) - counts[JobState.SCORED]
        if open_count or locked.scored_at is None:
            raise NotPossibleError(why_not_scored(locked, counts))
        if locked.provenance == Provenance.BASELINE:
            raise NotPossibleError(
                _("A baseline proves the tasks; it is never ranked.")
            )
        _publish(locked, public_from, by=by, note=note)
    evaluation.refresh_from_db()


def withdraw_evaluation(evaluation: Evaluation, *, by: User, reason: str) -> None:
    """Take a public evaluation out of the ranking; its row and reason stay visible."""
    if not reason.strip():
        raise NotPossibleError(
            _("A withdrawal needs a reason; it is shown to the public.")
        )
    with transaction.atomic():
        locked = Evaluation.objects.select_for_update().get(pk=evaluation.pk)
        if not locked.is_public:
            raise NotPossibleError(_("Only a public evaluation can be withdrawn."))
        locked.withdrawn_reason = reason
        _set_visibility(
            locked, Visibility.WITHDRAWN, by=by, act="withdraw", reason=reason
        )
    evaluation.refresh_from_db()


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


def end_embargo(evaluation: Evaluation, *, by: User, reason: str) -> None:
    """Make an evaluation under embargo private again; nothing of it was public."""
    with transaction.atomic():
        locked = Evaluation.objects.select_for_update().get(pk=evaluation.pk)
        if locked.shown_visibility != Visibility.EMBARGOED:
            raise NotPossibleError(_("The evaluation is not under embargo."))
        locked.public_from = locked.published_at = None
        _set_visibility(
            locked, Visibility.PRIVATE, by=by, act="end embargo", reason=reason
        )
    evaluation.refresh_from_db()


def _publish(
    evaluation: Evaluation, public_from: datetime | None, *, by: User, note: str
) -> None:
    """Public now, or under embargo: then ``published_at`` tells the day it will be."""
    now = timezone.now()
    later = public_from if public_from is not None and public_from > now else None
    evaluation.public_from = later
    evaluation.published_at = later or now
    visibility = Visibility.EMBARGOED if later else Visibility.PUBLIC
    act = "embargo" if later else "publish"
    _set_visibility(evaluation, visibility, by=by, act=act, reason=note)


def _set_visibility(
    evaluation: Evaluation,
    visibility: Visibility,
    *,
    by: User,
    act: str,
    reason: str,
) -> None:
    before = evaluation.visibility
    evaluation.visibility = visibility
    evaluation.save(
        update_fields=["visibility", "public_from", "published_at", "withdrawn_reason"]
    )
    record(
        act,
        evaluation,
        by=by,
        reason=reason,
        before={"visibility": before},
        after={"visibility": visibility},
    )
