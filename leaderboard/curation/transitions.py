"""The life of a snapshot: which act leads from where to where, and what it asks for."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from django.contrib.auth.models import AbstractBaseUser
from django.db import models, transaction
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from leaderboard.curation.errors import CurationError
from leaderboard.curation.state import missing_for, task_states
from leaderboard.models import UNLISTED, EvaluationSnapshot, SnapshotStatus, record

Status = SnapshotStatus


class SnapshotAct(models.TextChoices):
    BEGIN = "begin", gettext_lazy("Begin admission")
    RETURN = "return", gettext_lazy("Return to draft")
    OPEN = "open", gettext_lazy("Open for submissions")
    FREEZE = "freeze", gettext_lazy("Freeze")
    SUPERSEDE = "supersede", gettext_lazy("Supersede")


class Rule(NamedTuple):
    """``audit`` is the act's name in the audit trail."""

    source: SnapshotStatus
    target: SnapshotStatus
    audit: str
    needs_reason: bool = False


RULES: Mapping[SnapshotAct, Rule] = {
    SnapshotAct.BEGIN: Rule(Status.DRAFT, Status.ADMISSION, "begin admission"),
    SnapshotAct.RETURN: Rule(
        Status.ADMISSION,
        Status.DRAFT,
        "return snapshot",
        needs_reason=True,
    ),
    SnapshotAct.OPEN: Rule(Status.ADMISSION, Status.OPEN, "open snapshot"),
    SnapshotAct.FREEZE: Rule(
        Status.OPEN,
        Status.FROZEN,
        "freeze snapshot",
        needs_reason=True,
    ),
    SnapshotAct.SUPERSEDE: Rule(
        Status.FROZEN,
        Status.SUPERSEDED,
        "supersede snapshot",
        needs_reason=True,
    ),
}


def why_not(snapshot: EvaluationSnapshot, act: SnapshotAct) -> list[str]:
    """What forbids ``act`` now, in sentences; empty if nothing does."""
    rule = RULES[act]
    if snapshot.status != rule.source:
        return [
            _("%(act)s: only for a snapshot that is %(needed)s; this one is %(state)s.")
            % {
                "act": act.label,
                "needed": rule.source.label,
                "state": snapshot.get_status_display(),
            }
        ]
    if act == SnapshotAct.OPEN:
        return missing_for(task_states(snapshot))
    if act == SnapshotAct.BEGIN and not snapshot.tasks.exists():
        return [_("Its tasks are not held here.")]
    if act == SnapshotAct.SUPERSEDE and not successors(snapshot).exists():
        return [_("There is no later version that is or was open.")]
    return []


def successors(snapshot: EvaluationSnapshot) -> models.QuerySet[EvaluationSnapshot]:
    """Public versions of the same benchmark and kind of device that came later."""
    return (
        EvaluationSnapshot.objects.filter(
            benchmark=snapshot.benchmark_id,
            device_profile_simulated=snapshot.device_profile_simulated,
            task_snapshot_date__gte=snapshot.task_snapshot_date,
        )
        .exclude(status__in=UNLISTED)
        .exclude(pk=snapshot.pk)
        .exclude(superseded_by=snapshot)
    )


def move(
    snapshot: EvaluationSnapshot,
    act: SnapshotAct,
    *,
    by: AbstractBaseUser | None = None,
    reason: str = "",
    successor: str = "",
) -> None:
    """Do ``act`` with its audit event, or raise CurationError with every reason not to.

    ``by`` is None on the command line; ``successor`` is the version that supersedes.
    """
    rule = RULES[act]
    with transaction.atomic():
        found = EvaluationSnapshot.objects.select_for_update().get(pk=snapshot.pk)
        reasons = why_not(found, act)
        if rule.needs_reason and not reason.strip():
            reasons = [*reasons, _("Give a reason; it stays on record.")]
        if reasons:
            raise CurationError("\n".join(reasons))
        if act == SnapshotAct.SUPERSEDE:
            found.superseded_by = _successor(found, successor)
        if act == SnapshotAct.OPEN:
            _write_bounds(found)
            found.opened_at = timezone.now()
        found.status = rule.target
        found.save(
            update_fields=[
                *("status", "opened_at", "superseded_by"),
                *("floor_completed", "ceiling_completed"),
            ]
        )
        after: dict[str, object] = {"status": rule.target}
        if found.superseded_by is not None:
            after["superseded_by"] = found.superseded_by.version
        record(
            rule.audit,
            found,
            by=by,
            reason=reason,
            before={"status": rule.source},
            after=after,
        )
    snapshot.refresh_from_db()


def _successor(snapshot: EvaluationSnapshot, version: str) -> EvaluationSnapshot:
    later = list(successors(snapshot))
    for each in later:
        if each.version == version:
            return each
    names = ", ".join(each.version for each in later)
    raise CurationError(
        _("No later version %(version)s. Known: %(names)s.")
        % {"version": version or _("(none given)"), "names": names}
    )


def _write_bounds(snapshot: EvaluationSnapshot) -> None:
    """Floor and ceiling as the proofs have them: 0 and all tasks, or it is not open."""
    states = task_states(snapshot)
    snapshot.floor_completed = sum(each.base_completed for each in states)
    snapshot.ceiling_completed = sum(each.reference_completed for each in states)
