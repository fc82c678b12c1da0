"""What may be done with a submission in which state, and the one way to move it.

The table says what is possible at all; who may ask for it is checked by the callers.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from typing import NamedTuple

from django.contrib.auth.models import User
from django.db import models
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from evaluator import queue
from evaluator.errors import NotPossibleError
from evaluator.reruns import why_not_scored
from submissions.models import Submission, SubmissionEvent, SubmissionState
from submissions.notices import tell
from submissions.notices.kinds import kind_of_move

State = SubmissionState


class Act(models.TextChoices):
    """What people do with a submission."""

    CANCEL = "cancel", gettext_lazy("Cancel")
    PUBLISH = "publish", gettext_lazy("Publish")
    ASK = "ask", gettext_lazy("Ask the submitter")
    ANSWER = "answer", gettext_lazy("Answer")
    REJECT = "reject", gettext_lazy("Reject")
    REOPEN = "reopen", gettext_lazy("Take up again")
    WITHDRAW = "withdraw", gettext_lazy("Withdraw")
    DISQUALIFY = "disqualify", gettext_lazy("Disqualify")
    REINSTATE = "reinstate", gettext_lazy("Reinstate")


class Second(Enum):
    """When an act needs a second maintainer who is not of the submitting team."""

    NEVER = "never"
    OF_THE_TEAM = "for a maintainer of the submitting team"
    ALWAYS = "always"


class Rule(NamedTuple):
    """From which states an act leads to which one, and what it asks for.

    ``done`` ends the sentence "A submission that is ... cannot be ...".
    """

    sources: frozenset[State]
    target: State
    done: str | Promise
    needs_reason: bool = False
    second: Second = Second.NEVER


UNDER_REVIEW = frozenset({State.EVALUATED, State.ASKED})

RULES: Mapping[Act, Rule] = {
    Act.CANCEL: Rule(
        frozenset({State.EVALUATING}),
        State.CANCELLED,
        gettext_lazy("cancelled"),
        needs_reason=True,
    ),
    # With a day in the future it leads to EMBARGOED, from where it is moved or lifted.
    Act.PUBLISH: Rule(
        UNDER_REVIEW | {State.EMBARGOED},
        State.PUBLISHED,
        gettext_lazy("published"),
        second=Second.OF_THE_TEAM,
    ),
    Act.ASK: Rule(
        frozenset({State.EVALUATED}),
        State.ASKED,
        gettext_lazy("asked about"),
        needs_reason=True,
    ),
    Act.ANSWER: Rule(
        frozenset({State.ASKED}),
        State.EVALUATED,
        gettext_lazy("answered"),
        needs_reason=True,
    ),
    Act.REJECT: Rule(
        UNDER_REVIEW | {State.EMBARGOED},
        State.REJECTED,
        gettext_lazy("rejected"),
        needs_reason=True,
        second=Second.OF_THE_TEAM,
    ),
    Act.REOPEN: Rule(
        frozenset({State.REJECTED}),
        State.EVALUATED,
        gettext_lazy("taken up again"),
        needs_reason=True,
        second=Second.OF_THE_TEAM,
    ),
    # Before publication too: then nobody else ever hears of the result.
    Act.WITHDRAW: Rule(
        UNDER_REVIEW | {State.EMBARGOED, State.PUBLISHED},
        State.WITHDRAWN,
        gettext_lazy("withdrawn"),
        needs_reason=True,
    ),
    Act.DISQUALIFY: Rule(
        frozenset({State.PUBLISHED}),
        State.DISQUALIFIED,
        gettext_lazy("disqualified"),
        needs_reason=True,
        second=Second.OF_THE_TEAM,
    ),
    Act.REINSTATE: Rule(
        frozenset({State.DISQUALIFIED}),
        State.PUBLISHED,
        gettext_lazy("reinstated"),
        needs_reason=True,
        second=Second.ALWAYS,
    ),
}


def possible_acts(state: State) -> list[Act]:
    """What the table allows in ``state``, in its order."""
    return [act for act, rule in RULES.items() if state in rule.sources]


def locked(submission: Submission) -> Submission:
    """The row as it is now, locked; its evaluation is read anew with it."""
    return Submission.objects.select_for_update().get(pk=submission.pk)


def require(submission: Submission, act: Act, *, reason: str) -> None:
    """Refuse what the table does not allow, in a sentence for people."""
    rule, state = RULES[act], submission.shown_state
    if act == Act.PUBLISH and state == State.EVALUATING:
        evaluation = submission.evaluation
        raise NotPossibleError(why_not_scored(evaluation, queue.counts(evaluation)))
    if state not in rule.sources:
        needed = _(" or ").join(
            str(each.label).lower() for each in State if each in rule.sources
        )
        raise NotPossibleError(
            _(
                "Only a submission that is %(needed)s can be %(done)s; "
                "this one is %(state)s."
            )
            % {
                "needed": needed,
                "done": rule.done,
                "state": str(state.label).lower(),
            }
        )
    if rule.needs_reason and not reason.strip():
        raise NotPossibleError(_("Give a reason; it stays on record."))


def move(
    submission: Submission, state: State, *, by: User, reason: str, told: str = ""
) -> None:
    """Write the new state and its event, and tell those concerned.

    Call inside the transaction of the act. ``told`` takes the place of the reason in
    what they read.
    """
    before = submission.state
    submission.state = state
    submission.save(update_fields=["state"])
    event = SubmissionEvent.objects.create(
        submission=submission,
        actor_id=by.pk,
        from_state=before,
        to_state=state,
        reason=reason,
    )
    kind = kind_of_move(State(before), state)
    tell(kind, submission, key=event.pk, by=by, text=told or reason)
