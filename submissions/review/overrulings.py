"""Overrulings afterwards: appealed against by the submitter, taken back by two.

An appeal is against what became of one confirmed proposal, once. Somebody answers who
neither proposed nor confirmed it nor belongs to the team. To uphold it is to propose
that the task run counts again, which another maintainer confirms.
"""

from __future__ import annotations

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Max
from django.utils.translation import gettext as _

from evaluator.errors import NotPossibleError
from leaderboard.models import record
from submissions.models import Appeal, AppealOutcome, Proposal, Submission
from submissions.notices import Kind, tell
from submissions.review.appeals import close, require_other_judge
from submissions.review.independence import is_of_the_team
from submissions.transitions import locked

OVERRULE = "overrule"
LIFT = "lift"


def in_force(submission: Submission) -> list[Proposal]:
    """The confirmed proposals by which task runs count 0 now, in their order."""
    confirmed = submission.proposals.filter(
        act=OVERRULE, confirmed=True, result__overruling__isnull=False
    ).order_by()
    latest = confirmed.values("result").annotate(latest=Max("pk")).values("latest")
    found = Proposal.objects.filter(pk__in=latest).select_related(
        "result__run", "result__task", "appeal"
    )
    return list(found.order_by("result__run__number", "result__task__position", "pk"))


def appealable(submission: Submission) -> list[Proposal]:
    """Those of them that nobody appealed against."""
    return [each for each in in_force(submission) if not hasattr(each, "appeal")]


def open_appeals(submission: Submission) -> list[Appeal]:
    """Appeals that wait for an answer while their overruling stands."""
    return [
        each.appeal
        for each in in_force(submission)
        if hasattr(each, "appeal") and not each.appeal.outcome
    ]


def appeal(
    submission: Submission, *, run: int, task: str, by: User, text: str
) -> Appeal:
    """Appeal against the overruling of a task run; for those whose submission it is."""
    if not text.strip():
        raise NotPossibleError(_("Say why the decision is wrong."))
    with transaction.atomic():
        found = locked(submission)
        if not is_of_the_team(by, found):
            raise NotPossibleError(_("Only those who submitted it can appeal."))
        decision = _of(found, run=run, task=task)
        if hasattr(decision, "appeal"):
            raise NotPossibleError(_("There was an appeal against this decision."))
        record("appeal", found.evaluation, by=by, after={"run": run, "task": task})
        made = Appeal.objects.create(
            submission=found, proposal=decision, by_id=by.pk, text=text
        )
        tell(Kind.APPEALED, found, key=made.pk, by=by, text=text)
        return made


def dismiss(submission: Submission, number: int, *, by: User, reason: str) -> None:
    """Let the overruling stand; ``number`` is that of the appeal."""
    if not reason.strip():
        raise NotPossibleError(_("Give a reason; the submitter will read it."))
    with transaction.atomic():
        found = locked(submission)
        waiting = {each.pk: each for each in open_appeals(found)}.get(number)
        if waiting is None:
            raise NotPossibleError(_("No appeal waits for an answer."))
        require_other_judge(found, waiting, by=by)
        close(waiting, AppealOutcome.DISMISSED, by=by, answer=reason)


def require_liftable(submission: Submission, *, run: int, task: str, by: User) -> None:
    """Refuse to take back what is not overruled, or an own decision under appeal."""
    decision = _of(submission, run=run, task=task)
    if hasattr(decision, "appeal") and not decision.appeal.outcome:
        require_other_judge(submission, decision.appeal, by=by)


def uphold(submission: Submission, proposal: Proposal, *, by: User) -> None:
    """Close the appeal that taking back answers; call before the overruling goes."""
    for each in open_appeals(submission):
        if each.proposal is not None and each.proposal.result_id == proposal.result_id:
            close(each, AppealOutcome.UPHELD, by=by, answer=proposal.reason)


def _of(submission: Submission, *, run: int, task: str) -> Proposal:
    for each in in_force(submission):
        result = each.result
        if result and (result.run.number, result.task.slug) == (run, task):
            return each
    raise NotPossibleError(_("No such task run is overruled."))
