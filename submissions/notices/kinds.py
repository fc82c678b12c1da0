"""What may be told about submissions: the kinds of news, and how a mail puts them."""

from __future__ import annotations

from enum import StrEnum
from typing import NamedTuple

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from evaluator import news
from submissions.models import SubmissionState


class Group(StrEnum):
    """Kinds that a person switches on and off together; see ``MailPreference``."""

    PROGRESS = "progress"
    RESULTS = "results"
    REVIEW = "review"
    OPERATIONS = "operations"


class Kind(StrEnum):
    """The names are part of the webhooks; scripts of others rely on them."""

    ACCEPTED = "submission.accepted"
    REFUSED = "submission.refused"
    BEGAN = news.BEGAN
    SCORED = news.SCORED
    STUCK = news.STUCK
    CANCELLED = "submission.cancelled"
    ASKED = "submission.asked"
    MESSAGE = "submission.message"
    ANSWERED = "submission.answered"
    EMBARGOED = "submission.embargoed"
    PUBLISHED = "submission.published"
    REJECTED = "submission.rejected"
    REOPENED = "submission.reopened"
    WITHDRAWN = "submission.withdrawn"
    DISQUALIFIED = "submission.disqualified"
    REINSTATED = "submission.reinstated"
    OVERRULED = "submission.overruled"
    LIFTED = "submission.overruling_lifted"
    SIGNAL_CONFIRMED = "submission.signal_confirmed"
    PROPOSED = "submission.proposed"
    APPEALED = "submission.appealed"
    APPEAL_ANSWERED = "submission.appeal_answered"
    POOL_PAUSED = news.POOL_PAUSED
    DEVICE_SUSPECT = news.DEVICE_SUSPECT
    TEST = "webhook.test"


class Notice(NamedTuple):
    """How mail tells a kind: the subject goes before the name, a sentence explains."""

    group: Group
    subject: str | Promise
    sentence: str | Promise


FOR_SUBMITTERS: dict[Kind, Notice] = {
    Kind.ACCEPTED: Notice(
        Group.PROGRESS,
        _("Accepted"),
        _("The submission was accepted; its task runs wait in the queue."),
    ),
    Kind.REFUSED: Notice(
        Group.PROGRESS,
        _("Refused"),
        _("An upload was refused: no submission was made, and no quota was used."),
    ),
    Kind.BEGAN: Notice(
        Group.PROGRESS,
        _("Evaluation began"),
        _("The first task run is at work."),
    ),
    Kind.SCORED: Notice(
        Group.RESULTS,
        _("Evaluated"),
        _("Every task run is scored. Maintainers look at the result before it counts."),
    ),
    Kind.STUCK: Notice(
        Group.RESULTS,
        _("Held up by trouble of ours"),
        _(
            "A task run ended in trouble of the evaluator too often and waits for an "
            "operator. You need not do anything; it is never scored as failed."
        ),
    ),
    Kind.CANCELLED: Notice(
        Group.RESULTS, _("Cancelled"), _("The submission was cancelled.")
    ),
    Kind.ASKED: Notice(
        Group.REVIEW,
        _("A question from the maintainers"),
        _("The review waits for your answer. You give it on the page."),
    ),
    Kind.MESSAGE: Notice(
        Group.REVIEW,
        _("A message from the maintainers"),
        _("The maintainers wrote about the submission."),
    ),
    Kind.EMBARGOED: Notice(
        Group.REVIEW,
        _("Accepted for publication"),
        _("The result becomes public on the day that the page tells."),
    ),
    Kind.PUBLISHED: Notice(
        Group.REVIEW, _("Published"), _("The result is public now.")
    ),
    Kind.REJECTED: Notice(
        Group.REVIEW,
        _("Rejected"),
        _("The maintainers decided not to publish the result. You may appeal once."),
    ),
    Kind.REOPENED: Notice(
        Group.REVIEW,
        _("Under review again"),
        _("The maintainers took the submission up again."),
    ),
    Kind.WITHDRAWN: Notice(
        Group.REVIEW,
        _("Withdrawn"),
        _(
            "The result is withdrawn for good. One that was public stays visible, "
            "struck out, with the reason."
        ),
    ),
    Kind.DISQUALIFIED: Notice(
        Group.REVIEW,
        _("Disqualified"),
        _("The result was struck out; the reason is public. You may appeal once."),
    ),
    Kind.REINSTATED: Notice(
        Group.REVIEW, _("Reinstated"), _("The result is ranked again.")
    ),
    Kind.OVERRULED: Notice(
        Group.REVIEW,
        _("A task run counts 0"),
        _(
            "Two maintainers decided that a completed task run counts as not "
            "completed. The raw verdict stays beside it. You may appeal once, on the "
            "page of the submission."
        ),
    ),
    Kind.LIFTED: Notice(
        Group.REVIEW,
        _("A task run counts again"),
        _("Two maintainers took back that it counts 0; it counts as measured."),
    ),
    Kind.SIGNAL_CONFIRMED: Notice(
        Group.REVIEW,
        _("An integrity signal was confirmed"),
        _(
            "A maintainer looked at it and confirmed it. No score changes by that "
            "alone; the signal is on the page."
        ),
    ),
    Kind.APPEAL_ANSWERED: Notice(
        Group.REVIEW,
        _("Your appeal was answered"),
        _("The answer is on the page."),
    ),
}
FOR_MAINTAINERS: dict[Kind, Notice] = {
    Kind.STUCK: Notice(
        Group.OPERATIONS,
        _("A task run waits for an operator"),
        _(
            "It ended in trouble of ours too often. Look at its attempts, remove the "
            "cause, and run it again; the evaluation cannot be published before."
        ),
    ),
    Kind.POOL_PAUSED: Notice(
        Group.OPERATIONS,
        _("A pool is paused"),
        _("Nobody claims its task runs until a canary passes or a person resumes it."),
    ),
    Kind.DEVICE_SUSPECT: Notice(
        Group.OPERATIONS,
        _("A device is out of use"),
        _("No verdict comes from it until a canary passes or a person clears it."),
    ),
    Kind.ANSWERED: Notice(
        Group.OPERATIONS,
        _("The submitter answered"),
        _("The submission is under review again."),
    ),
    Kind.PROPOSED: Notice(
        Group.OPERATIONS,
        _("A proposal waits for a second maintainer"),
        _("A maintainer who does not belong to the submitting team has to confirm it."),
    ),
    Kind.APPEALED: Notice(
        Group.OPERATIONS,
        _("An appeal"),
        _("A maintainer who did not take the decision has to answer it."),
    ),
}

_BY_WAY = {
    (SubmissionState.ASKED, SubmissionState.EVALUATED): Kind.ANSWERED,
    (SubmissionState.REJECTED, SubmissionState.EVALUATED): Kind.REOPENED,
    (SubmissionState.DISQUALIFIED, SubmissionState.PUBLISHED): Kind.REINSTATED,
}


def kind_of_move(before: SubmissionState, after: SubmissionState) -> Kind:
    """What it is called when people move a submission from one state to another."""
    return _BY_WAY.get((before, after)) or Kind(f"submission.{after.value}")
