"""Striking a result out in public, and taking such a decision back."""

from __future__ import annotations

from django.contrib.auth.models import User
from django.db import transaction

from evaluator import services as evaluations
from leaderboard.models import record
from submissions.models import AppealOutcome, Submission, SubmissionState
from submissions.review import appeals
from submissions.review.independence import require_act
from submissions.transitions import Act, locked, move


def disqualify(
    submission: Submission, *, by: User, reason: str, proposed_by: User | None = None
) -> None:
    """Strike a public result out of the ranking; everybody reads the reason."""
    with transaction.atomic():
        found = locked(submission)
        require_act(
            found, Act.DISQUALIFY, by=by, reason=reason, proposed_by=proposed_by
        )
        evaluations.disqualify_evaluation(found.evaluation, by=by, reason=reason)
        move(found, SubmissionState.DISQUALIFIED, by=by, reason=reason)
    submission.refresh_from_db()


def reinstate(
    submission: Submission, *, by: User, reason: str, proposed_by: User | None = None
) -> None:
    """Rank a disqualified result again, which upholds an appeal against it.

    Always needs two maintainers.
    """
    with transaction.atomic():
        found = locked(submission)
        require_act(found, Act.REINSTATE, by=by, reason=reason, proposed_by=proposed_by)
        appeals.settle(found, AppealOutcome.UPHELD, by=proposed_by or by, answer=reason)
        evaluations.reinstate_evaluation(found.evaluation, by=by, reason=reason)
        move(found, SubmissionState.PUBLISHED, by=by, reason=reason)
    submission.refresh_from_db()


def reopen(
    submission: Submission, *, by: User, reason: str, proposed_by: User | None = None
) -> None:
    """Review a rejected submission again, which upholds an appeal against it."""
    with transaction.atomic():
        found = locked(submission)
        require_act(found, Act.REOPEN, by=by, reason=reason, proposed_by=proposed_by)
        appeals.settle(found, AppealOutcome.UPHELD, by=proposed_by or by, answer=reason)
        move(found, SubmissionState.EVALUATED, by=by, reason=reason)
        record("reopen", found.evaluation, by=by, reason=reason)
    submission.refresh_from_db()
