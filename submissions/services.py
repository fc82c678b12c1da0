"""Acts of people on a submission: cancel, publish, withhold, withdraw.

Each checks what the present state allows and raises ``NotPossibleError`` with a
sentence for people; who may act is checked by the caller.
"""

from __future__ import annotations

from datetime import datetime

from django.contrib.auth.models import User
from django.db import transaction
from django.utils.translation import gettext as _

from evaluator import services as evaluations
from evaluator.services import NotPossibleError
from leaderboard.models import record
from submissions.acceptance import Origin
from submissions.intake import (
    Receipt,
    check,
    file_digest,
    receive,
    takes_untrusted,
    with_idempotency_key,
)
from submissions.models import Submission, SubmissionEvent, SubmissionState

__all__ = [
    "NotPossibleError",
    "Origin",
    "Receipt",
    "cancel",
    "check",
    "file_digest",
    "publish",
    "receive",
    "takes_untrusted",
    "with_idempotency_key",
    "withdraw",
    "withhold",
]


def cancel(submission: Submission, *, by: User, reason: str = "") -> None:
    """Stop an evaluation that is not finished; what is scored stays in its tables."""
    with transaction.atomic():
        locked = _locked(submission)
        _require(
            locked,
            SubmissionState.EVALUATING,
            text=_(
                "Only a submission that is evaluating can be cancelled; "
                "this one is %(state)s."
            ),
        )
        evaluations.cancel_evaluation(locked.evaluation, by=by, reason=reason)
        _move(locked, SubmissionState.CANCELLED, by=by, reason=reason)
    submission.refresh_from_db()


def publish(
    submission: Submission,
    *,
    by: User,
    note: str = "",
    public_from: datetime | None = None,
) -> None:
    """Show the result to the public, or under embargo from ``public_from`` on.

    Refused while any task run is not scored.
    """
    with transaction.atomic():
        locked = _locked(submission)
        if locked.shown_state == SubmissionState.CANCELLED:
            raise NotPossibleError(
                _("A cancelled submission has no full result to show.")
            )
        evaluations.publish_evaluation(
            locked.evaluation, by=by, note=note, public_from=public_from
        )
        _move(locked, locked.shown_state, by=by, reason=note)
    submission.refresh_from_db()


def withhold(submission: Submission, *, by: User, reason: str) -> None:
    """Decide against publication, or end an embargo; the submitter reads the reason."""
    with transaction.atomic():
        locked = _locked(submission)
        embargoed = locked.shown_state == SubmissionState.EMBARGOED
        if not embargoed:
            _require(
                locked,
                SubmissionState.EVALUATED,
                text=_(
                    "Only a submission that is evaluated can be withheld; "
                    "this one is %(state)s."
                ),
            )
        if not reason.strip():
            raise NotPossibleError(_("Give a reason; the submitter will read it."))
        if embargoed:
            evaluations.end_embargo(locked.evaluation, by=by, reason=reason)
        _move(locked, SubmissionState.WITHHELD, by=by, reason=reason)
        record("withhold", locked.evaluation, by=by, reason=reason)
    submission.refresh_from_db()


def withdraw(submission: Submission, *, by: User, reason: str) -> None:
    """Take a published result out of the ranking; the reason becomes public."""
    with transaction.atomic():
        locked = _locked(submission)
        evaluations.withdraw_evaluation(locked.evaluation, by=by, reason=reason)
        _move(locked, SubmissionState.WITHDRAWN, by=by, reason=reason)
    submission.refresh_from_db()


def _locked(submission: Submission) -> Submission:
    """The row as it is now; its evaluation is read anew with it."""
    return Submission.objects.select_for_update().get(pk=submission.pk)


def _require(submission: Submission, state: SubmissionState, *, text: str) -> None:
    shown = submission.shown_state
    if shown != state:
        raise NotPossibleError(text % {"state": shown.label.lower()})


def _move(
    submission: Submission,
    state: SubmissionState,
    *,
    by: User,
    reason: str,
) -> None:
    before = submission.state
    submission.state = state
    submission.save(update_fields=["state"])
    SubmissionEvent.objects.create(
        submission=submission,
        actor_id=by.pk,
        from_state=before,
        to_state=state,
        reason=reason,
    )
