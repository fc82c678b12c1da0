"""Appeals: one against each rejection or disqualification, answered by somebody else.

To uphold one is to reinstate, or to take the submission up again. Those against the
overruling of a task run are in ``overrulings.py``.
"""

from __future__ import annotations

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import F
from django.utils import timezone
from django.utils.translation import gettext as _

from evaluator.errors import NotPossibleError
from leaderboard.models import record
from submissions.models import (
    Appeal,
    AppealOutcome,
    Proposal,
    Submission,
    SubmissionEvent,
    SubmissionState,
)
from submissions.notices import Kind, tell
from submissions.review.independence import has_a_stake, is_of_the_team
from submissions.transitions import locked

AGAINST = {SubmissionState.REJECTED, SubmissionState.DISQUALIFIED}


def appealable(submission: Submission) -> SubmissionEvent | None:
    """The decision that may be appealed against now; None if there is none."""
    decision = _decision(submission)
    if decision is None or Appeal.objects.filter(decision=decision).exists():
        return None
    return decision


def open_appeal(submission: Submission) -> Appeal | None:
    """The appeal that waits for an answer; its decision still stands."""
    decision = _decision(submission)
    if decision is None:
        return None
    return Appeal.objects.filter(decision=decision, outcome="").first()


def appeal(submission: Submission, *, by: User, text: str) -> Appeal:
    """Appeal against the last decision, once; for those whose submission it is."""
    if not text.strip():
        raise NotPossibleError(_("Say why the decision is wrong."))
    with transaction.atomic():
        found = locked(submission)
        if not is_of_the_team(by, found):
            raise NotPossibleError(_("Only those who submitted it can appeal."))
        if _decision(found) is None:
            raise NotPossibleError(
                _(
                    "Only a submission that is rejected or disqualified has a "
                    "decision to appeal against; this one is %(state)s."
                )
                % {"state": str(found.shown_state.label).lower()}
            )
        decision = appealable(found)
        if decision is None:
            raise NotPossibleError(_("There was an appeal against this decision."))
        record("appeal", found.evaluation, by=by)
        made = Appeal.objects.create(
            submission=found, decision=decision, by_id=by.pk, text=text
        )
        tell(Kind.APPEALED, found, key=made.pk, by=by, text=text)
        return made


def dismiss(submission: Submission, *, by: User, reason: str) -> None:
    """Let the decision stand; the answer is public where the result is or was."""
    if not reason.strip():
        raise NotPossibleError(_("Give a reason; the submitter will read it."))
    with transaction.atomic():
        found = locked(submission)
        if open_appeal(found) is None:
            raise NotPossibleError(_("No appeal waits for an answer."))
        settle(found, AppealOutcome.DISMISSED, by=by, answer=reason)
    submission.refresh_from_db()


def settle(
    submission: Submission, outcome: AppealOutcome, *, by: User, answer: str
) -> None:
    """Close the open appeal, if there is one; call inside a transaction.

    Refused to those who decided and to those of the submitting team.
    """
    found = open_appeal(submission)
    if found is None:
        return
    require_other_judge(submission, found, by=by)
    close(found, outcome, by=by, answer=answer)


def close(appeal: Appeal, outcome: AppealOutcome, *, by: User, answer: str) -> None:
    """Write the outcome; who may is checked by the caller, in its transaction."""
    appeal.outcome = outcome
    appeal.answer = answer
    appeal.answered_by_id = by.pk
    appeal.answered_at = timezone.now()
    appeal.save()
    submission = appeal.submission
    act = "uphold appeal" if outcome == AppealOutcome.UPHELD else "dismiss appeal"
    record(act, submission.evaluation, by=by, reason=answer)
    tell(Kind.APPEAL_ANSWERED, submission, key=appeal.pk, by=by, text=answer)


def require_other_judge(submission: Submission, found: Appeal, *, by: User) -> None:
    """Refuse an answer by whoever decided, or by the submitting team."""
    if by.pk in _deciders(found):
        raise NotPossibleError(
            _("You took the decision; another maintainer must answer the appeal.")
        )
    if has_a_stake(by, submission):
        raise NotPossibleError(
            _("You are or were of the submitting team; another maintainer must answer.")
        )


def _deciders(appeal: Appeal) -> set[int | None]:
    """Who took what is appealed against; both, where another confirmed a proposal."""
    if appeal.proposal is not None:
        return {appeal.proposal.proposed_by_id, appeal.proposal.settled_by_id}
    decision = appeal.decision
    confirmed = Proposal.objects.filter(event=decision).first() if decision else None
    return {
        decision.actor_id if decision else None,
        confirmed.proposed_by_id if confirmed else None,
    }


def _decision(submission: Submission) -> SubmissionEvent | None:
    state = submission.shown_state
    if state not in AGAINST:
        return None
    moves = submission.events.filter(to_state=state).exclude(from_state=F("to_state"))
    return moves.order_by("-pk").first()
