"""Declaring other conditions comparable: two maintainers, in public, revocable."""

from __future__ import annotations

import pytest
from django.core.exceptions import PermissionDenied
from django.urls import reverse

from leaderboard.models import AuditEvent, ComparabilityDecision, Evaluation
from submissions import services
from submissions.review import decisions
from submissions.services import NotPossibleError
from tests.factories import digest_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def differing(evaluated):
    Evaluation.objects.filter(pk=evaluated.evaluation_id).update(
        comparability_key=digest_of("other"), differing_fields=["sdk"]
    )
    evaluated.refresh_from_db()
    return evaluated


def propose(submission, act, by):
    return decisions.propose_comparability(submission, act, by=by, reason="the same")


def test_it_takes_two_and_can_be_revoked_by_two(differing, maintainer, second):
    proposal = propose(differing, decisions.DECLARE, maintainer)

    assert not ComparabilityDecision.objects.exists()
    with pytest.raises(NotPossibleError, match="Another maintainer"):
        decisions.confirm(proposal, by=maintainer)
    decisions.confirm(proposal, by=second)

    evaluation = Evaluation.objects.get(pk=differing.evaluation_id)
    assert evaluation.comparable
    assert evaluation.decision.proposed_by == maintainer
    assert evaluation.decision.confirmed_by == second
    decisions.confirm(propose(differing, decisions.REVOKE, second), by=maintainer)
    evaluation = Evaluation.objects.get(pk=differing.evaluation_id)
    assert not evaluation.comparable
    acts = AuditEvent.objects.about(evaluation).order_by("pk")
    assert [each.act for each in acts] == [
        "propose",
        "declare comparable",
        "propose",
        "revoke comparable",
    ]


def test_a_maintainer_of_the_team_does_not_confirm(insider, differing, maintainer):
    proposal = propose(differing, decisions.DECLARE, maintainer)

    with pytest.raises(NotPossibleError, match="submitting team"):
        decisions.confirm(proposal, by=insider)


def test_only_maintainers_propose(differing, user):
    with pytest.raises(PermissionDenied):
        propose(differing, decisions.DECLARE, user)


def test_what_is_equal_is_not_declared_and_what_is_not_declared_not_revoked(
    evaluated, maintainer
):
    with pytest.raises(NotPossibleError, match="nothing to declare"):
        propose(evaluated, decisions.DECLARE, maintainer)
    with pytest.raises(NotPossibleError, match="no declaration"):
        propose(evaluated, decisions.REVOKE, maintainer)


def test_a_reason_is_asked_for(differing, maintainer):
    with pytest.raises(NotPossibleError, match="reason"):
        decisions.propose_comparability(
            differing, decisions.DECLARE, by=maintainer, reason=" "
        )


def test_the_review_page_offers_it_and_then_to_revoke_it(
    differing, maintainer, second, client
):
    services.publish(differing, by=maintainer)
    client.force_login(maintainer)
    page = reverse("review", args=[differing.pk])
    assert "Declare comparable" in client.get(page).content.decode()

    answer = client.post(
        reverse("review-comparability", args=[differing.pk]),
        {"act": "comparable", "reason": "Equal packages."},
        follow=True,
    )

    assert "Proposal: Declare comparable" in answer.content.decode()
    proposal = differing.proposals.get()
    client.force_login(second)
    client.post(
        reverse("review-settle", args=[differing.pk, proposal.pk]),
        {"verdict": "confirm"},
    )
    shown = client.get(page).content.decode()
    assert "Declared comparable though it differs in: SDK." in shown
    assert "Revoke the declaration of comparability" in shown
    assert "Equal packages." in client.get("/").content.decode()
