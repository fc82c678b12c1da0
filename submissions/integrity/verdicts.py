"""What a curator decides about a signal. No score follows from it by itself."""

from __future__ import annotations

from django.contrib.auth.models import User
from django.db import transaction
from django.utils.translation import gettext as _

from evaluator.errors import NotPossibleError
from leaderboard.models import record
from submissions.models import Decision, IntegritySignal, SignalVerdict
from submissions.notices import Kind, tell


def judge(
    signal: IntegritySignal,
    *,
    by: User,
    decision: str,
    reason: str,
    public_note: str = "",
) -> SignalVerdict:
    """Write a verdict with its audit event; an earlier one stays and counts no more.

    ``decision`` is a value of ``Decision``; ``public_note`` stands on the page of the
    audit, where everybody reads that a signal was confirmed. That ``by`` is a
    maintainer is checked by the caller. Raises ``NotPossibleError`` with a sentence for
    people.
    """
    if decision not in Decision.values:
        raise NotPossibleError(
            _("Say whether the signal is confirmed or dismissed; %(given)s is neither.")
            % {"given": repr(decision[:40])}
        )
    if not reason.strip():
        raise NotPossibleError(_("A verdict needs a reason; it stays on record."))
    with transaction.atomic():
        locked = IntegritySignal.objects.select_for_update().get(pk=signal.pk)
        before = locked.verdicts.order_by("-pk").first()
        verdict = SignalVerdict.objects.create(
            signal=locked,
            decision=decision,
            reason=reason.strip(),
            public_note=public_note.strip(),
            actor_id=by.pk,
        )
        record(
            "judge signal",
            locked.submission.evaluation,
            by=by,
            reason=verdict.reason,
            before={"decision": before.decision} if before else None,
            after={
                "decision": verdict.decision,
                "signal": locked.code,
                "run": locked.run_number,
                "task": locked.task.slug if locked.task else None,
            },
        )
        if verdict.decision == Decision.CONFIRMED:
            tell(
                Kind.SIGNAL_CONFIRMED,
                locked.submission,
                key=verdict.pk,
                by=by,
                text=verdict.reason,
            )
    return verdict
