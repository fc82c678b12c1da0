"""The two-person rule: nobody decides alone about what is their own.

A maintainer of the submitting team may propose; somebody else, who does not belong to
it, confirms. Leaving the team changes nothing for what it had submitted by then. A few
acts need two persons whoever begins.
"""

from __future__ import annotations

from django.contrib.auth.models import AnonymousUser, User
from django.utils.translation import gettext as _

from evaluator.errors import NotPossibleError
from leaderboard.models import AuditEvent
from submissions.accounts import teams
from submissions.models import Submission, SubmissionState
from submissions.transitions import RULES, Act, Second, require


def is_of_the_team(user: User | AnonymousUser, submission: Submission) -> bool:
    """Whether ``user`` made the submission or belongs to the team that owns it."""
    if submission.user_id == user.pk:
        return True
    team = submission.team
    return team is not None and team.memberships.filter(user=user.pk).exists()


def has_a_stake(user: User | AnonymousUser, submission: Submission) -> bool:
    """Whether ``user`` is of the team, or was at any time since it was submitted."""
    if is_of_the_team(user, submission):
        return True
    if submission.team is None:
        return False
    ended = AuditEvent.objects.about(submission.team).filter(act__in=teams.ENDS)
    return ended.filter(
        at__gte=submission.created_at, before__member_id=user.pk
    ).exists()


def may_withdraw(user: User | AnonymousUser, submission: Submission) -> bool:
    """Whether ``user``, who may act on it at all, may withdraw it as it is now.

    A withdrawal is final, so nobody but its own people takes a public result back.
    """
    public = submission.shown_state == SubmissionState.PUBLISHED
    return not public or is_of_the_team(user, submission)


def needs_second(submission: Submission, second: Second, *, by: User) -> bool:
    """Whether an act by this maintainer waits until another one confirms it."""
    if second == Second.OF_THE_TEAM:
        return has_a_stake(by, submission)
    return second == Second.ALWAYS


def require_act(
    submission: Submission,
    act: Act,
    *,
    by: User,
    reason: str,
    proposed_by: User | None,
) -> None:
    """Refuse what the table does not allow, and what ``by`` must not do alone."""
    require(submission, act, reason=reason)
    require_second(submission, RULES[act].second, by=by, proposed_by=proposed_by)


def require_second(
    submission: Submission, second: Second, *, by: User, proposed_by: User | None
) -> None:
    """Refuse what one person alone must not do; ``by`` confirms another's proposal."""
    if proposed_by is None:
        if needs_second(submission, second, by=by):
            raise NotPossibleError(
                _("This needs a second maintainer who is not of the submitting team.")
            )
        return
    if proposed_by.pk == by.pk:
        raise NotPossibleError(
            _("Another maintainer must confirm; you made the proposal.")
        )
    if has_a_stake(by, submission):
        raise NotPossibleError(
            _(
                "You are or were of the submitting team; another maintainer must "
                "confirm."
            )
        )
