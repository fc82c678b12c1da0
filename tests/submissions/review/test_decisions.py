"""Decisions: who may take them alone, who must confirm, and who comes second."""

from __future__ import annotations

import pytest
from django.core.exceptions import PermissionDenied
from django.db import IntegrityError, transaction
from django.utils import timezone

from leaderboard.models import AuditEvent, OutboxMessage, TaskResult, Visibility
from submissions import services
from submissions.accounts import teams
from submissions.models import Proposal, Submission, SubmissionState
from submissions.notices import Kind
from submissions.review import decisions, sanctions
from submissions.services import NotPossibleError
from submissions.transitions import Act
from tests.factories import UserFactory

pytestmark = pytest.mark.django_db


def decide(submission, act, by, **more):
    return decisions.decide(submission, act, by=by, reason="because", **more)


def acts(submission) -> list[str]:
    found = AuditEvent.objects.about(submission.evaluation).order_by("pk")
    return list(found.values_list("act", flat=True))


@pytest.mark.parametrize("act", decisions.DECISIONS)
def test_nobody_but_maintainers_decides(act, evaluated, user):
    retired = UserFactory(is_staff=True, is_active=False)
    for somebody in (user, UserFactory(), retired):
        with pytest.raises(PermissionDenied):
            decide(evaluated, act, somebody)

    assert evaluated.shown_state == SubmissionState.EVALUATED
    assert acts(evaluated) == []


def test_a_maintainer_of_no_team_decides_alone(evaluated, maintainer):
    assert decide(evaluated, Act.PUBLISH, maintainer) is None

    assert evaluated.shown_state == SubmissionState.PUBLISHED


@pytest.mark.parametrize("act", [Act.PUBLISH, Act.REJECT])
def test_one_of_the_team_only_proposes(act, evaluated, insider, second):
    proposal = decide(evaluated, act, insider)

    assert proposal is not None
    assert evaluated.shown_state == SubmissionState.EVALUATED
    decisions.confirm(proposal, by=second)
    evaluated.refresh_from_db()
    assert evaluated.shown_state != SubmissionState.EVALUATED
    assert acts(evaluated) == ["propose", act.value]
    proposal.refresh_from_db()
    assert proposal.event == evaluated.events.last()
    assert proposal.event.actor == second


def test_whoever_made_the_submission_only_proposes_without_a_team_too(evaluated):
    evaluated.user.is_staff = True
    evaluated.user.save()

    assert decide(evaluated, Act.PUBLISH, evaluated.user) is not None
    assert evaluated.evaluation.visibility == Visibility.PRIVATE


def test_the_other_maintainers_are_told_of_a_proposal(evaluated, insider):
    proposal = decide(evaluated, Act.PUBLISH, insider)

    told = OutboxMessage.objects.get(kind=Kind.PROPOSED.value)
    assert told.key.endswith(f"/{proposal.pk}")
    assert told.data["text"] == "because"


def test_neither_its_maker_nor_the_team_confirms(evaluated, insider, maintainer):
    mate = UserFactory(is_staff=True)
    evaluated.team.memberships.create(user=mate)
    proposal = decide(evaluated, Act.PUBLISH, insider)

    with pytest.raises(NotPossibleError, match="you made the proposal"):
        decisions.confirm(proposal, by=insider)
    with pytest.raises(NotPossibleError, match="of the submitting team"):
        decisions.confirm(proposal, by=mate)
    with pytest.raises(PermissionDenied):
        decisions.confirm(proposal, by=UserFactory())

    evaluated.refresh_from_db()
    assert evaluated.shown_state == SubmissionState.EVALUATED
    decisions.confirm(proposal, by=maintainer)


def test_no_service_takes_a_decision_of_the_team_alone(evaluated, insider):
    with pytest.raises(NotPossibleError, match="needs a second maintainer"):
        services.publish(evaluated, by=insider)
    with pytest.raises(NotPossibleError, match="needs a second maintainer"):
        services.reject(evaluated, by=insider, reason="x")


def test_the_database_knows_no_proposal_confirmed_by_its_maker(evaluated, insider):
    proposal = decide(evaluated, Act.PUBLISH, insider)
    with pytest.raises(IntegrityError), transaction.atomic():
        Proposal.objects.filter(pk=proposal.pk).update(
            confirmed=True, settled_by=insider
        )


def test_asking_needs_nobody_else(evaluated, insider):
    assert decide(evaluated, Act.ASK, insider) is None
    assert evaluated.shown_state == SubmissionState.ASKED


def test_disqualifying_ones_own_is_not_to_be_decided_alone_either(
    evaluated, insider, second
):
    decide(evaluated, Act.PUBLISH, second)

    proposal = decide(evaluated, Act.DISQUALIFY, insider)

    assert evaluated.shown_state == SubmissionState.PUBLISHED
    decisions.confirm(proposal, by=second)
    evaluated.refresh_from_db()
    assert evaluated.shown_state == SubmissionState.DISQUALIFIED


def test_reinstating_always_takes_two(evaluated, maintainer, second):
    decide(evaluated, Act.PUBLISH, maintainer)
    decide(evaluated, Act.DISQUALIFY, maintainer)
    assert evaluated.evaluation.withdrawn_reason == "because"

    with pytest.raises(NotPossibleError, match="needs a second maintainer"):
        sanctions.reinstate(evaluated, by=maintainer, reason="x")
    proposal = decide(evaluated, Act.REINSTATE, maintainer)
    with pytest.raises(NotPossibleError, match="you made the proposal"):
        decisions.confirm(proposal, by=maintainer)
    decisions.confirm(proposal, by=second)

    evaluated.refresh_from_db()
    assert evaluated.shown_state == SubmissionState.PUBLISHED
    assert evaluated.evaluation.withdrawn_reason == ""


def test_a_declined_proposal_changes_nothing_and_is_settled(evaluated, insider, second):
    proposal = decide(evaluated, Act.PUBLISH, insider)
    with pytest.raises(NotPossibleError, match="Give a reason"):
        decisions.decline(proposal, by=second, reason=" ")

    decisions.decline(proposal, by=second, reason="too early")

    assert evaluated.shown_state == SubmissionState.EVALUATED
    with pytest.raises(NotPossibleError, match="settled already"):
        decisions.confirm(proposal, by=second)
    assert decide(evaluated, Act.PUBLISH, insider) is not None


def test_a_second_proposal_waits_for_the_first(evaluated, insider):
    decide(evaluated, Act.PUBLISH, insider)

    with pytest.raises(NotPossibleError, match="insider waits already"):
        decide(evaluated, Act.REJECT, insider)


def test_a_decision_at_once_overtakes_a_proposal(evaluated, insider, second):
    proposal = decide(evaluated, Act.PUBLISH, insider)

    decide(evaluated, Act.REJECT, second)

    proposal.refresh_from_db()
    assert proposal.confirmed is False
    assert evaluated.shown_state == SubmissionState.REJECTED


def test_who_decides_on_an_old_page_is_told_what_happened(
    evaluated, maintainer, second
):
    seen = decisions.last_act(evaluated)
    decide(evaluated, Act.REJECT, maintainer, seen=seen)
    decide(evaluated, Act.REOPEN, maintainer)

    with pytest.raises(decisions.OvertakenError, match="Taken up again"):
        decide(evaluated, Act.PUBLISH, second, seen=seen)

    assert evaluated.shown_state == SubmissionState.EVALUATED
    decide(evaluated, Act.PUBLISH, second, seen=decisions.last_act(evaluated))


def test_a_task_run_is_overruled_by_two(evaluated, maintainer, second):
    result = TaskResult.objects.filter(run__evaluation=evaluated.evaluation).first()
    with pytest.raises(NotPossibleError, match="Only a completed task run"):
        decisions.propose_overruling(evaluated, result, by=maintainer, reason="x")
    TaskResult.objects.filter(pk=result.pk).update(
        completed=True,
        reason="",
        final_build_ok=True,
        f_points_passed=result.f_point_count,
    )
    result = TaskResult.objects.get(pk=result.pk)
    with pytest.raises(NotPossibleError, match="Give a reason"):
        decisions.propose_overruling(evaluated, result, by=maintainer, reason=" ")

    proposal = decisions.propose_overruling(
        evaluated, result, by=maintainer, reason="the answer was fetched"
    )
    assert not TaskResult.objects.get(pk=result.pk).is_overruled
    with pytest.raises(NotPossibleError, match="you made the proposal"):
        decisions.confirm(proposal, by=maintainer)
    decisions.confirm(proposal, by=second)

    found = TaskResult.objects.get(pk=result.pk)
    assert found.completed
    assert not found.counts
    assert acts(evaluated) == ["propose", "overrule"]
    told = OutboxMessage.objects.get(channel="event", kind=Kind.OVERRULED)
    assert told.data["text"] == "the answer was fetched"
    assert (
        evaluated.evaluation.totals.get(scope="overall", run=None).completed_count == 0
    )


def test_leaving_the_team_does_not_free_from_the_two_person_rule(
    evaluated, insider, second
):
    membership = evaluated.team.memberships.get(user=insider)
    teams.leave(membership, by=insider)

    proposal = decide(evaluated, Act.PUBLISH, insider)

    assert proposal is not None
    assert evaluated.shown_state == SubmissionState.EVALUATED
    with pytest.raises(NotPossibleError, match="of the submitting team"):
        decisions.confirm(_proposed_anew(proposal, by=second), by=insider)


def _proposed_anew(proposal, *, by):
    decisions.decline(proposal, by=by, reason="mine instead")
    return Proposal.objects.create(
        submission=proposal.submission, act=proposal.act, proposed_by=by
    )


def test_who_left_before_the_submission_decides_alone(evaluated, insider):
    teams.leave(evaluated.team.memberships.get(user=insider), by=evaluated.user)
    Submission.objects.filter(pk=evaluated.pk).update(created_at=timezone.now())
    evaluated.refresh_from_db()

    assert decide(evaluated, Act.PUBLISH, insider) is None


def test_a_maintainer_does_not_withdraw_the_public_result_of_others(
    evaluated, maintainer, client
):
    decide(evaluated, Act.PUBLISH, maintainer)

    with pytest.raises(NotPossibleError, match="disqualify it"):
        decide(evaluated, Act.WITHDRAW, maintainer)

    evaluated.refresh_from_db()
    assert evaluated.shown_state == SubmissionState.PUBLISHED
    client.force_login(maintainer)
    page = client.get(f"/review/{evaluated.pk}/").content.decode()
    assert 'value="disqualify"' in page
    assert 'value="withdraw"' not in page


def test_a_withdrawal_by_its_people_closes_what_was_proposed(
    evaluated, user, maintainer, insider
):
    proposal = decide(evaluated, Act.PUBLISH, insider)

    services.withdraw(evaluated, by=user, reason="the wrong model")

    proposal.refresh_from_db()
    assert (proposal.confirmed, proposal.settled_by) == (False, user)
    with pytest.raises(NotPossibleError, match="settled already"):
        decisions.confirm(proposal, by=maintainer)


def test_the_form_says_that_a_withdrawal_is_final_and_its_reason_public(
    evaluated, user, maintainer, client
):
    client.force_login(user)
    address = evaluated.get_absolute_url()
    private = "A withdrawal is final. Nothing of the result becomes public"
    public = "A withdrawal is final: the row stays, struck out, and everybody reads"
    page = client.get(address).content.decode()
    assert private in page
    assert public not in page

    decide(evaluated, Act.PUBLISH, maintainer)

    assert public in client.get(address).content.decode()
