"""Curators approve and refuse tasks as they are at that moment."""

from __future__ import annotations

from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from leaderboard.curation.errors import CurationError
from leaderboard.models import (
    UNLISTED,
    CuratorVerdict,
    EvaluationSnapshot,
    Opinion,
    Task,
    record,
)


def approve(
    task: Task, *, by: User, reason: str = "", seen: str = ""
) -> CuratorVerdict:
    """Approve ``task``; ``seen`` is the digest that the curator looked at."""
    return _give(task, Opinion.APPROVED, by=by, reason=reason, seen=seen)


def refuse(task: Task, *, by: User, reason: str, seen: str = "") -> CuratorVerdict:
    """Keep ``task`` out of its snapshot until it changes, or until ``by`` approves."""
    if not reason.strip():
        raise CurationError(_("Give a reason; it stays on record."))
    return _give(task, Opinion.REFUSED, by=by, reason=reason, seen=seen)


def _give(
    task: Task, opinion: Opinion, *, by: User, reason: str, seen: str
) -> CuratorVerdict:
    with transaction.atomic():
        # Waits for an opening that has already looked at the words there are.
        snapshot = EvaluationSnapshot.objects.select_for_update().get(
            pk=task.snapshot_id
        )
        task.refresh_from_db()
        if snapshot.status not in UNLISTED:
            raise CurationError(
                _("%(snapshot)s is %(state)s: its tasks do not change any more.")
                % {"snapshot": snapshot, "state": snapshot.get_status_display()}
            )
        if not task.digest:
            raise CurationError(_("Import the package again: the digest is not known."))
        if seen and seen != task.digest:
            raise CurationError(
                _("The task changed since you looked at it. Look at it again.")
            )
        verdict = CuratorVerdict.objects.create(
            slug=task.slug,
            digest=task.digest,
            curator=by.get_username(),
            curator_name=by.get_full_name()[:100],
            user=by,
            opinion=opinion,
            reason=reason.strip(),
            given_on=timezone.now().date(),
        )
        record(
            "approve task" if opinion == Opinion.APPROVED else "refuse task",
            snapshot,
            by=by,
            reason=reason,
            after={"task": task.slug, "digest": task.digest},
        )
    return verdict
