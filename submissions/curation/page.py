"""What the curation pages show."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import NamedTuple

from django.contrib.auth.models import User
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from evaluator.admission import proofs_running
from leaderboard.curation import (
    RULES,
    TaskState,
    task_states,
    why_not,
    why_not_released,
)
from leaderboard.curation.transitions import successors
from leaderboard.models import (
    UNLISTED,
    AuditEvent,
    CuratorVerdict,
    EvaluationSnapshot,
    FPoint,
    SnapshotStatus,
    Task,
    TaskProof,
)
from leaderboard.presenters.hidden import (
    CheckFile,
    Reference,
    WrongPatch,
    check_files,
    reference_patch,
    wrong_patches,
)
from leaderboard.statement import statement_html
from submissions.curation.forms import AGAIN, RELEASE


class SnapshotRow(NamedTuple):
    """A snapshot whose tasks are held, with how many of them are how far."""

    snapshot: EvaluationSnapshot
    task_count: int
    approved: int
    proved: int
    flaky: int


class OfferedAct(NamedTuple):
    """A button, or the reasons why there is none; ``kind`` chooses its explanation."""

    kind: str
    label: str
    needs_reason: bool
    reasons: Sequence[str]


@dataclass(frozen=True, slots=True)
class CurationPage:
    snapshot: EvaluationSnapshot
    states: Sequence[TaskState]
    approved: int
    proved: int
    flaky: Sequence[TaskState]
    proofs_scored: int
    proofs_total: int
    acts: Sequence[OfferedAct]
    successors: Sequence[EvaluationSnapshot]
    record: Sequence[AuditEvent]


@dataclass(frozen=True, slots=True)
class TaskCuration:
    state: TaskState
    statement: SafeString
    scenarios: Sequence[tuple[str, Sequence[FPoint]]]
    verdicts: Sequence[CuratorVerdict]
    proofs: Sequence[TaskProof]
    checks: Sequence[CheckFile]
    reference: Reference
    wrong_patches: Sequence[WrongPatch]
    open_to_words: bool
    mine: CuratorVerdict | None


def snapshot_rows() -> list[SnapshotRow]:
    """Snapshots with held tasks, those in preparation first."""
    snapshots = EvaluationSnapshot.objects.exclude(package_path="").select_related(
        "benchmark"
    )
    rows = [_row(each, task_states(each)) for each in snapshots.order_by("-pk")]
    return sorted(rows, key=lambda row: row.snapshot.status not in UNLISTED)


def _row(snapshot: EvaluationSnapshot, states: Sequence[TaskState]) -> SnapshotRow:
    return SnapshotRow(
        snapshot=snapshot,
        task_count=len(states),
        approved=sum(each.approved for each in states),
        proved=sum(each.proved for each in states),
        flaky=sum(bool(each.flaky_points) for each in states),
    )


def curation_page(snapshot: EvaluationSnapshot) -> CurationPage:
    states = task_states(snapshot)
    row = _row(snapshot, states)
    scored, total = proofs_running(snapshot)
    return CurationPage(
        snapshot=snapshot,
        states=states,
        approved=row.approved,
        proved=row.proved,
        flaky=[each for each in states if each.flaky_points],
        proofs_scored=scored,
        proofs_total=total,
        acts=list(_acts(snapshot)),
        successors=list(successors(snapshot))
        if snapshot.status == SnapshotStatus.FROZEN
        else [],
        record=list(AuditEvent.objects.about(snapshot).select_related("actor")),
    )


def _acts(snapshot: EvaluationSnapshot) -> list[OfferedAct]:
    """The acts of the present status, and the release once it may be thought of."""
    found = [
        OfferedAct(act.value, str(act.label), rule.needs_reason, why_not(snapshot, act))
        for act, rule in RULES.items()
        if rule.source == snapshot.status
    ]
    if snapshot.status == SnapshotStatus.ADMISSION:
        found.append(OfferedAct(AGAIN, _("Prove again"), True, []))
    if snapshot.status not in UNLISTED and snapshot.artifacts_released_at is None:
        reasons = why_not_released(snapshot)
        found.append(OfferedAct(RELEASE, _("Release the hidden files"), True, reasons))
    return found


def task_curation(task: Task, *, reader: User) -> TaskCuration:
    state = next(s for s in task_states(task.snapshot) if s.task.pk == task.pk)
    verdicts = CuratorVerdict.objects.filter(slug=task.slug).select_related("user")
    words = [*state.approvals, *state.refusals]
    proofs = task.proofs.select_related("result__run", "result__task").order_by("-pk")
    return TaskCuration(
        state=state,
        statement=statement_html(task.statement),
        scenarios=by_scenario(list(task.f_points.all())),
        verdicts=list(verdicts.order_by("-pk")),
        proofs=list(proofs),
        checks=check_files(task),
        reference=reference_patch(task),
        wrong_patches=wrong_patches(task),
        open_to_words=task.snapshot.status in UNLISTED,
        mine=next((each for each in words if each.user_id == reader.pk), None),
    )


def by_scenario(points: Sequence[FPoint]) -> list[tuple[str, Sequence[FPoint]]]:
    """F-points that follow one another with the same scenario, together."""
    return [
        (scenario, list(group))
        for scenario, group in groupby(points, key=lambda point: point.scenario)
    ]
