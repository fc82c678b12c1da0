"""Acts of people on a submission: cancel, publish, reject, withdraw.

Each checks what the present state allows and raises ``NotPossibleError`` with a
sentence for people; who may act is checked by the caller. What only maintainers do
beyond these is in ``submissions/review/``.
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
from submissions.models import Submission, SubmissionState
from submissions.review.independence import may_withdraw, require_act
from submissions.review.proposals import overtake
from submissions.transitions import Act, locked, move, require

__all__ = [
    "NotPossibleError",
    "Origin",
    "Receipt",
    "cancel",
    "check",
    "file_digest",
    "publish",
    "receive",
    "reject",
    "takes_untrusted",
    "with_idempotency_key",
    "withdraw",
]


def cancel(submission: Submission, *, by: User, reason: str) -> None:
    """Stop an evaluation that is not finished; what is scored stays in its tables."""
    with transaction.atomic():
        found = locked(submission)
        require(found, Act.CANCEL, reason=reason)
        evaluations.cancel_evaluation(found.evaluation, by=by, reason=reason)
        move(found, SubmissionState.CANCELLED, by=by, reason=reason)
    submission.refresh_from_db()


def publish(
    submission: Submission,
    *,
    by: User,
    note: str = "",
    public_from: datetime | None = None,
    proposed_by: User | None = None,
) -> None:
    """Show the result to the public, or under embargo from ``public_from`` on.

    Refused while any task run is not scored, and to a maintainer of the submitting
    team who acts alone.
    """
    with transaction.atomic():
        found = locked(submission)
        require_act(found, Act.PUBLISH, by=by, reason=note, proposed_by=proposed_by)
        evaluations.publish_evaluation(
            found.evaluation, by=by, note=note, public_from=public_from
        )
        move(found, found.shown_state, by=by, reason=note)
    submission.refresh_from_db()


def reject(
    submission: Submission, *, by: User, reason: str, proposed_by: User | None = None
) -> None:
    """Decide against publication, or end an embargo; the submitter reads the reason."""
    with transaction.atomic():
        found = locked(submission)
        require_act(found, Act.REJECT, by=by, reason=reason, proposed_by=proposed_by)
        if found.shown_state == SubmissionState.EMBARGOED:
            evaluations.end_embargo(found.evaluation, by=by, reason=reason)
        move(found, SubmissionState.REJECTED, by=by, reason=reason)
        record("reject", found.evaluation, by=by, reason=reason)
    submission.refresh_from_db()


def withdraw(submission: Submission, *, by: User, reason: str) -> None:
    """Take a result out of the ranking, or out of review, for good.

    Of a published one the row stays, struck out, and the reason becomes public; of
    another nothing becomes public. Open to its own people, and for what is not public
    to maintainers as well. What was proposed about it is closed.
    """
    with transaction.atomic():
        found = locked(submission)
        require(found, Act.WITHDRAW, reason=reason)
        if not may_withdraw(by, found):
            raise NotPossibleError(
                _(
                    "Only those who submitted it withdraw a public result. Maintainers "
                    "disqualify it, and that can be appealed against."
                )
            )
        overtake(found.proposals.all(), by=by)
        if found.shown_state == SubmissionState.PUBLISHED:
            evaluations.withdraw_evaluation(found.evaluation, by=by, reason=reason)
        else:
            if found.shown_state == SubmissionState.EMBARGOED:
                evaluations.end_embargo(found.evaluation, by=by, reason=reason)
            record("withdraw unpublished", found.evaluation, by=by, reason=reason)
        move(found, SubmissionState.WITHDRAWN, by=by, reason=reason)
    submission.refresh_from_db()
