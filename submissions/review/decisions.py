"""Decisions of maintainers: at once, or as a proposal that a second one confirms.

Every decision says what its maker had seen. Whoever comes second is told what happened
in between, and nothing is done twice.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime

from django.contrib.auth.models import User
from django.core.exceptions import PermissionDenied
from django.db import transaction
from django.utils.translation import gettext as _

from evaluator.errors import NotPossibleError
from leaderboard.comparability import declare_comparable, revoke_comparable
from leaderboard.models import AuditEvent, ComparabilityDecision, TaskResult, record
from leaderboard.overrulings import lift, overrule
from submissions import services
from submissions.integrity.verdicts import judge
from submissions.models import (
    IntegritySignal,
    Proposal,
    SignalVerdict,
    Submission,
)
from submissions.notices import Kind, tell
from submissions.review import appeals, messages, overrulings, sanctions
from submissions.review.false_failures import (
    FALSE_FAILURE,
    lock_owner,
    open_false_failure,
)
from submissions.review.independence import has_a_stake, needs_second, require_second
from submissions.review.overrulings import LIFT, OVERRULE
from submissions.review.proposals import overtake, settle
from submissions.transitions import RULES, Act, Second, locked, require

# About the conditions of an evaluation, and so about all that share them.
DECLARE = "comparable"
REVOKE = "incomparable"
DECISIONS = (
    *(Act.PUBLISH, Act.ASK, Act.REJECT, Act.REOPEN),
    *(Act.WITHDRAW, Act.DISQUALIFY, Act.REINSTATE),
)


class OvertakenError(NotPossibleError):
    """Somebody else acted after the page of this person was made."""

    def __init__(self, event: AuditEvent) -> None:
        super().__init__(
            _(
                "Somebody was faster: %(act)s, %(time)s UTC. Nothing of yours was "
                "done; look at the page again, then decide."
            )
            % {"act": event.act_label, "time": f"{event.at:%Y-%m-%d %H:%M:%S}"}
        )


def last_act(submission: Submission) -> int:
    """The number of the latest act on record, 0 without any: what a page has seen."""
    event = AuditEvent.objects.about(submission.evaluation).first()
    return event.pk if event else 0


def decide(
    submission: Submission,
    act: Act,
    *,
    by: User,
    reason: str = "",
    public_from: datetime | None = None,
    seen: int | None = None,
) -> Proposal | None:
    """Do ``act``, or return a new proposal where a second maintainer must confirm it.

    ``seen`` is the :func:`last_act` of what the maker looked at; None asks for no such
    check. Raises ``NotPossibleError`` with a sentence for people.
    """
    require_maintainer(by)
    with transaction.atomic():
        found = locked(submission)
        _require_fresh(found, seen)
        require(found, act, reason=reason)
        if needs_second(found, RULES[act].second, by=by):
            return propose(
                found, act.value, by=by, reason=reason, public_from=public_from
            )
        overtake(found.proposals.filter(result=None), by=by)
        _do(found, act, by=by, reason=reason, public_from=public_from)
    submission.refresh_from_db()
    return None


def judge_signal(
    signal: IntegritySignal,
    *,
    by: User,
    decision: str,
    reason: str,
    public_note: str = "",
) -> SignalVerdict:
    """The verdict on a signal, by a maintainer who does not belong to the team."""
    require_maintainer(by)
    if has_a_stake(by, signal.submission):
        raise NotPossibleError(
            _("You are or were of the submitting team; another maintainer must judge.")
        )
    return judge(
        signal, by=by, decision=decision, reason=reason, public_note=public_note
    )


def propose_overruling(
    submission: Submission,
    result: TaskResult,
    *,
    by: User,
    reason: str,
    seen: int | None = None,
) -> Proposal:
    """Propose that a completed task run counts 0; always needs a second maintainer."""
    require_maintainer(by)
    with transaction.atomic():
        found = locked(submission)
        _require_fresh(found, seen)
        if found.evaluation.scored_at is None:
            raise NotPossibleError(_("Wait until every task run is scored."))
        if not result.counts:
            raise NotPossibleError(_("Only a completed task run can be overruled."))
        _require_reason(reason)
        return propose(found, OVERRULE, by=by, reason=reason, result=result)


def propose_lifting(
    submission: Submission,
    *,
    run: int,
    task: str,
    by: User,
    reason: str,
    seen: int | None = None,
) -> Proposal:
    """Propose that an overruled task run counts as measured again, which upholds an
    appeal against the overruling; always needs a second maintainer.
    """
    require_maintainer(by)
    with transaction.atomic():
        found = locked(submission)
        _require_fresh(found, seen)
        _require_reason(reason)
        overrulings.require_liftable(found, run=run, task=task, by=by)
        result = TaskResult.objects.get(
            run__evaluation=found.evaluation, run__number=run, task__slug=task
        )
        return propose(found, LIFT, by=by, reason=reason, result=result)


def propose_comparability(
    submission: Submission,
    act: str,
    *,
    by: User,
    reason: str,
    seen: int | None = None,
) -> Proposal:
    """Propose to ``DECLARE`` its conditions comparable with the snapshot's, or to
    ``REVOKE`` that; always needs a second maintainer.
    """
    require_maintainer(by)
    with transaction.atomic():
        found = locked(submission)
        _require_fresh(found, seen)
        _require_reason(reason)
        _require_comparability(found, act)
        return propose(found, act, by=by, reason=reason)


def _require_reason(reason: str) -> None:
    if not reason.strip():
        raise NotPossibleError(_("Give a reason; it is shown to the public."))


def _require_comparability(
    submission: Submission, act: str
) -> ComparabilityDecision | None:
    """The decision to revoke, or None where one may be made; else a refusal."""
    evaluation = submission.evaluation
    decision = evaluation.decision
    if act == REVOKE:
        if decision is None:
            raise NotPossibleError(_("There is no declaration to be revoked."))
        return decision
    if decision is not None:
        raise NotPossibleError(_("These conditions are declared comparable already."))
    key = evaluation.snapshot.comparability_key
    if not evaluation.differing_fields or evaluation.comparability_key == key:
        raise NotPossibleError(
            _("There is nothing to declare: its comparability key is the snapshot's.")
        )
    return None


def _settle_comparability(
    submission: Submission, proposal: Proposal, *, by: User
) -> None:
    decision = _require_comparability(submission, proposal.act)
    who = {"proposed_by": proposal.proposed_by, "confirmed_by": by}
    if decision is None:
        declare_comparable(submission.evaluation, reason=proposal.reason, **who)
    else:
        revoke_comparable(decision, reason=proposal.reason, **who)


def _settle_result(
    submission: Submission, proposal: Proposal, result: TaskResult, *, by: User
) -> None:
    """Let one task run count 0, or as measured again."""
    first, reason = proposal.proposed_by, proposal.reason
    if proposal.act == LIFT:
        overrulings.uphold(submission, proposal, by=first)
        lift(result, proposed_by=first, confirmed_by=by, reason=reason)
        kind = Kind.LIFTED
    else:
        overrule(result, proposed_by=first, confirmed_by=by, reason=reason)
        kind = Kind.OVERRULED
    tell(kind, submission, key=proposal.pk, by=by, text=reason)


def confirm(proposal: Proposal, *, by: User, seen: int | None = None) -> None:
    """Do what another maintainer proposed; never for those of the submitting team."""
    require_maintainer(by)
    with transaction.atomic():
        if proposal.act == FALSE_FAILURE:
            lock_owner(proposal.submission)
        submission = locked(proposal.submission)
        _require_fresh(submission, seen)
        found = _open(proposal)
        first = found.proposed_by
        require_second(submission, Second.ALWAYS, by=by, proposed_by=first)
        settle(found, by=by, confirmed=True)
        if found.act == FALSE_FAILURE:
            open_false_failure(submission, found, by=by)
            return
        if found.result is not None:
            _settle_result(submission, found, found.result, by=by)
            return
        if found.act in {DECLARE, REVOKE}:
            _settle_comparability(submission, found, by=by)
            return
        _do(
            submission,
            Act(found.act),
            by=by,
            reason=found.reason,
            public_from=found.public_from,
            proposed_by=first,
        )
        found.event = submission.events.last()
        found.save(update_fields=["event"])


def decline(proposal: Proposal, *, by: User, reason: str) -> None:
    """Close a proposal without doing it; its maker may take it back as well."""
    require_maintainer(by)
    if not reason.strip():
        raise NotPossibleError(_("Give a reason; the other maintainers will read it."))
    with transaction.atomic():
        submission = locked(proposal.submission)
        found = _open(proposal)
        settle(found, by=by, confirmed=False, reason=reason)
        record(
            "decline",
            submission.evaluation,
            by=by,
            reason=reason,
            before={"act": found.act},
        )


def require_maintainer(user: User) -> None:
    if not (user.is_active and user.is_staff):
        raise PermissionDenied(_("Only maintainers may do this."))


def _do(
    submission: Submission,
    act: Act,
    *,
    by: User,
    reason: str,
    public_from: datetime | None = None,
    proposed_by: User | None = None,
) -> None:
    if act == Act.PUBLISH:
        services.publish(
            submission,
            by=by,
            note=reason,
            public_from=public_from,
            proposed_by=proposed_by,
        )
    elif act == Act.ASK:
        messages.ask(submission, by=by, question=reason)
    elif act == Act.WITHDRAW:
        services.withdraw(submission, by=by, reason=reason)
    else:
        _WITH_SECOND[act](submission, by=by, reason=reason, proposed_by=proposed_by)


_WITH_SECOND: dict[Act, Callable[..., None]] = {
    Act.REJECT: services.reject,
    Act.REOPEN: sanctions.reopen,
    Act.DISQUALIFY: sanctions.disqualify,
    Act.REINSTATE: sanctions.reinstate,
}


def propose(
    submission: Submission,
    act: str,
    *,
    by: User,
    reason: str,
    public_from: datetime | None = None,
    result: TaskResult | None = None,
) -> Proposal:
    """Keep a proposal and tell the other maintainers; with the submission locked."""
    appeal = appeals.open_appeal(submission)
    if appeal is not None and act in {Act.REOPEN, Act.REINSTATE}:
        appeals.require_other_judge(submission, appeal, by=by)
    waiting = submission.proposals.filter(confirmed=None, result=result).first()
    if waiting is not None:
        raise NotPossibleError(
            _("A proposal of %(name)s waits already; confirm or decline that first.")
            % {"name": waiting.proposed_by}
        )
    record("propose", submission.evaluation, by=by, reason=reason, after={"act": act})
    made = Proposal.objects.create(
        submission=submission,
        act=act,
        result=result,
        reason=reason,
        public_from=public_from,
        proposed_by_id=by.pk,
    )
    tell(Kind.PROPOSED, submission, key=made.pk, by=by, text=reason)
    return made


def _open(proposal: Proposal) -> Proposal:
    """The proposal as it is now; call with its submission locked."""
    found = Proposal.objects.select_related(
        "proposed_by", "result__run", "result__task"
    ).get(pk=proposal.pk)
    if found.confirmed is not None:
        raise NotPossibleError(_("The proposal is settled already."))
    return found


def _require_fresh(submission: Submission, seen: int | None) -> None:
    if seen is None or last_act(submission) == seen:
        return
    event = AuditEvent.objects.about(submission.evaluation).first()
    assert event is not None  # noqa: S101 - something is newer than what was seen
    raise OvertakenError(event)
