"""An overruled task run: one appeal, somebody else's answer, two to take it back."""

from __future__ import annotations

import pytest
from django.urls import reverse

from leaderboard.history import public_history
from leaderboard.models import (
    AuditEvent,
    LiftedOverruling,
    Overruling,
    ShownReason,
    TaskResult,
)
from leaderboard.recount import differences, rewrite
from submissions.integrity.audit import audit_page
from submissions.models import Appeal, Proposal
from submissions.review import appeals, decisions, overrulings
from submissions.services import NotPossibleError
from submissions.transitions import Act
from tests.factories import UserFactory
from tests.submissions.jobs import fail_all
from tests.tokens import token_for

pytestmark = pytest.mark.django_db


@pytest.fixture
def counted(submission) -> TaskResult:
    """The one completed task run of a public result."""
    fail_all(submission)
    result = TaskResult.objects.filter(run__evaluation=submission.evaluation)[0]
    TaskResult.objects.filter(pk=result.pk).update(
        completed=True, reason="", final_build_ok=True, f_points_passed=1
    )
    rewrite(submission.evaluation)
    return TaskResult.objects.select_related("run", "task").get(pk=result.pk)


@pytest.fixture
def overruled(submission, counted, maintainer, second) -> Proposal:
    decisions.decide(submission, Act.PUBLISH, by=maintainer)
    proposal = decisions.propose_overruling(
        submission, counted, by=maintainer, reason="a copied patch"
    )
    decisions.confirm(proposal, by=second)
    proposal.refresh_from_db()
    return proposal


def place(result: TaskResult) -> dict[str, object]:
    return {"run": result.run.number, "task": result.task.slug}


def completed(submission) -> int:
    return submission.evaluation.totals.get(scope="overall", run=None).completed_count


def appeal(submission, counted, by=None) -> Appeal:
    by = by or submission.user
    return overrulings.appeal(submission, **place(counted), by=by, text="It is ours.")


def lifting(submission, counted, by) -> Proposal:
    return decisions.propose_lifting(
        submission, **place(counted), by=by, reason="it was written before"
    )


def test_only_the_team_appeals_and_only_once(
    submission, overruled, counted, second, third
):
    for somebody in (UserFactory(), second):
        with pytest.raises(NotPossibleError, match="Only those who submitted it"):
            appeal(submission, counted, by=somebody)
    with pytest.raises(NotPossibleError, match="No such task run is overruled"):
        overrulings.appeal(submission, run=9, task="x", by=submission.user, text="x")

    appeal(submission, counted)

    with pytest.raises(NotPossibleError, match="There was an appeal"):
        appeal(submission, counted)
    assert appeals.open_appeal(submission) is None
    assert overrulings.appealable(submission) == []


def test_neither_of_the_two_answers(submission, overruled, counted, maintainer, second):
    found = appeal(submission, counted)

    for one in (maintainer, second):
        with pytest.raises(NotPossibleError, match="You took the decision"):
            overrulings.dismiss(submission, found.pk, by=one, reason="no")
        with pytest.raises(NotPossibleError, match="You took the decision"):
            lifting(submission, counted, one)


def test_a_dismissed_appeal_leaves_it_at_0(submission, overruled, counted, third):
    found = appeal(submission, counted)

    overrulings.dismiss(submission, found.pk, by=third, reason="the digests agree")

    assert completed(submission) == 0
    with pytest.raises(NotPossibleError, match="No appeal waits"):
        overrulings.dismiss(submission, found.pk, by=third, reason="once more")
    [shown] = audit_page(submission.evaluation, reader=UserFactory()).overrulings
    assert (shown.appeal.outcome, shown.appeal.answer) == (
        "dismissed",
        "the digests agree",
    )


def test_upholding_lets_the_task_run_count_as_measured_again(
    submission, overruled, counted, maintainer, third
):
    found = appeal(submission, counted)
    assert completed(submission) == 0
    assert ShownReason.objects.get(result=counted).reason == "cheating"

    proposal = lifting(submission, counted, third)
    assert completed(submission) == 0
    decisions.confirm(proposal, by=maintainer)

    found.refresh_from_db()
    assert (found.outcome, found.answered_by) == ("upheld", third)
    assert completed(submission) == 1
    assert not ShownReason.objects.filter(result=counted).exists()
    assert list(differences(submission.evaluation)) == []
    assert not Overruling.objects.exists()
    lifted = LiftedOverruling.objects.get()
    assert (lifted.reason, lifted.lifted_because) == (
        "a copied patch",
        "it was written before",
    )
    acts = [entry.act for entry in public_history(submission.evaluation)]
    assert acts[:4] == ["lift overruling", "uphold appeal", "appeal", "overrule"]
    assert AuditEvent.objects.get(act="lift overruling").before["overruled_by"] == [
        overruled.proposed_by_id,
        overruled.settled_by_id,
    ]


def test_what_was_taken_back_can_be_overruled_and_appealed_against_anew(
    submission, overruled, counted, maintainer, second, third
):
    appeal(submission, counted)
    decisions.confirm(lifting(submission, counted, third), by=maintainer)
    with pytest.raises(NotPossibleError, match="No such task run is overruled"):
        lifting(submission, counted, third)
    again = TaskResult.objects.select_related("run", "task").get(pk=counted.pk)

    decisions.confirm(
        decisions.propose_overruling(
            submission, again, by=second, reason="found the source"
        ),
        by=third,
    )

    assert completed(submission) == 0
    assert len(overrulings.appealable(submission)) == 1
    shown = audit_page(submission.evaluation, reader=UserFactory()).overrulings
    assert [(each.lifted_because, bool(each.appeal)) for each in shown] == [
        ("it was written before", True),
        ("", False),
    ]


def test_it_is_taken_back_without_an_appeal_by_two_whoever_they_are(
    submission, overruled, counted, maintainer, second
):
    proposal = lifting(submission, counted, maintainer)
    with pytest.raises(NotPossibleError, match="you made the proposal"):
        decisions.confirm(proposal, by=maintainer)

    decisions.confirm(proposal, by=second)

    assert completed(submission) == 1


def test_the_pages_lead_from_appeal_to_answer(
    submission, overruled, counted, client, third, second
):
    client.force_login(submission.user)
    assert (
        "A task run counts 0"
        in client.get(submission.get_absolute_url()).content.decode()
    )
    client.post(
        reverse("submission-appeal", args=[submission.pk]),
        {**place(counted), "text": "It is ours."},
    )
    found = Appeal.objects.get()
    assert found.proposal == overruled

    client.force_login(third)
    review = reverse("review", args=[submission.pk])
    assert "Appeal against an overruling" in client.get(review).content.decode()
    client.post(
        reverse("review-appeal", args=[submission.pk]),
        {
            **place(counted),
            "appeal": found.pk,
            "outcome": "upheld",
            "reason": "it was written before",
        },
    )
    client.force_login(second)
    proposal = submission.proposals.get(act="lift")
    assert "Let a task run count again" in client.get(review).content.decode()
    client.post(
        reverse("review-settle", args=[submission.pk, proposal.pk]),
        {"verdict": "confirm"},
    )

    assert completed(submission) == 1
    assert "Upheld" in client.get(submission.get_absolute_url()).content.decode()
    audit = client.get(reverse("evaluation-audit", args=[submission.evaluation_id]))
    assert "as measured again" in audit.content.decode()


def test_the_api_takes_an_appeal_against_an_overruling(
    submission, overruled, counted, client
):
    url = reverse("api-submission-appeal", args=[submission.pk])
    token = {"HTTP_AUTHORIZATION": f"Token {token_for(submission.user)}"}

    half = client.post(
        url, {"text": "x", "run": 1}, content_type="application/json", **token
    )
    assert half.status_code == 400
    whole = client.post(
        url,
        {"text": "It is ours.", **place(counted)},
        content_type="application/json",
        **token,
    )

    assert whole.status_code == 200
    assert Appeal.objects.get().proposal == overruled
