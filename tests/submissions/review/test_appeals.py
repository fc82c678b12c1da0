"""Appeals: once, by those whose submission it is, answered by somebody else."""

from __future__ import annotations

import pytest

from leaderboard.history import public_history
from submissions import followups
from submissions.history import history_of
from submissions.models import SubmissionState
from submissions.review import appeals, decisions, messages
from submissions.services import NotPossibleError
from submissions.transitions import Act
from tests.factories import UserFactory
from tests.submissions.jobs import fail_all

pytestmark = pytest.mark.django_db


def decide(submission, act, by):
    return decisions.decide(submission, act, by=by, reason="a copied patch")


@pytest.fixture
def rejected(evaluated, maintainer):
    decide(evaluated, Act.REJECT, maintainer)
    return evaluated


@pytest.fixture
def disqualified(evaluated, maintainer):
    decide(evaluated, Act.PUBLISH, maintainer)
    decide(evaluated, Act.DISQUALIFY, maintainer)
    return evaluated


def appeal(submission, by=None):
    return appeals.appeal(submission, by=by or submission.user, text="It is our own.")


def test_there_is_no_appeal_without_a_decision(evaluated):
    with pytest.raises(NotPossibleError, match="this one is evaluated"):
        appeal(evaluated)


def test_only_those_who_submitted_it_appeal(rejected, second):
    for somebody in (UserFactory(), second):
        with pytest.raises(NotPossibleError, match="Only those who submitted it"):
            appeal(rejected, by=somebody)
    with pytest.raises(NotPossibleError, match="Say why"):
        appeals.appeal(rejected, by=rejected.user, text="  ")


def test_a_decision_is_appealed_against_once(rejected, second):
    appeal(rejected)
    with pytest.raises(NotPossibleError, match="There was an appeal"):
        appeal(rejected)

    appeals.dismiss(rejected, by=second, reason="the digests are equal")

    with pytest.raises(NotPossibleError, match="There was an appeal"):
        appeal(rejected)
    with pytest.raises(NotPossibleError, match="No appeal waits"):
        appeals.dismiss(rejected, by=second, reason="once more")
    assert rejected.shown_state == SubmissionState.REJECTED


def test_whoever_decided_does_not_answer(rejected, maintainer):
    appeal(rejected)

    with pytest.raises(NotPossibleError, match="You took the decision"):
        appeals.dismiss(rejected, by=maintainer, reason="no")
    with pytest.raises(NotPossibleError, match="You took the decision"):
        decide(rejected, Act.REOPEN, maintainer)

    assert rejected.shown_state == SubmissionState.REJECTED
    assert appeals.open_appeal(rejected) is not None


def test_neither_of_two_who_decided_answers(evaluated, insider, second):
    decisions.confirm(decide(evaluated, Act.REJECT, insider), by=second)
    evaluated.refresh_from_db()
    appeal(evaluated)

    for one in (insider, second):
        with pytest.raises(NotPossibleError, match="You took the decision"):
            appeals.dismiss(evaluated, by=one, reason="no")


def test_upholding_takes_a_rejection_back(rejected, second):
    found = appeal(rejected)

    decide(rejected, Act.REOPEN, second)

    found.refresh_from_db()
    assert (found.outcome, found.answered_by) == ("upheld", second)
    assert rejected.shown_state == SubmissionState.EVALUATED


def test_upholding_takes_a_disqualification_back_with_two(disqualified, second, third):
    found = appeal(disqualified)

    proposal = decide(disqualified, Act.REINSTATE, second)
    found.refresh_from_db()
    assert found.outcome == ""
    decisions.confirm(proposal, by=third)

    found.refresh_from_db()
    disqualified.refresh_from_db()
    assert (found.outcome, found.answered_by) == ("upheld", second)
    assert disqualified.shown_state == SubmissionState.PUBLISHED


def test_whoever_disqualified_may_confirm_but_not_propose_to_reinstate(
    disqualified, maintainer, second
):
    appeal(disqualified)
    with pytest.raises(NotPossibleError, match="You took the decision"):
        decide(disqualified, Act.REINSTATE, maintainer)

    decisions.confirm(decide(disqualified, Act.REINSTATE, second), by=maintainer)

    disqualified.refresh_from_db()
    assert disqualified.shown_state == SubmissionState.PUBLISHED


def test_a_new_decision_may_be_appealed_against_again(rejected, second, third):
    appeal(rejected)
    decide(rejected, Act.REOPEN, second)
    decide(rejected, Act.REJECT, third)

    assert appeals.appealable(rejected) is not None


def test_the_public_reads_appeal_and_outcome_but_not_its_text_or_names(
    disqualified, second
):
    appeal(disqualified)
    appeals.dismiss(disqualified, by=second, reason="the digests are equal")

    entries = public_history(disqualified.evaluation)

    assert [entry.act for entry in entries] == [
        *("dismiss appeal", "appeal", "disqualify", "publish"),
        *("evaluated", "accepted"),
    ]
    assert [entry.reason for entry in entries[:3]] == [
        *("the digests are equal", "", "a copied patch"),
    ]


def test_a_question_is_answered_and_read_by_the_submitter_only(
    evaluated, maintainer, user
):
    messages.write_note(evaluated, by=maintainer, text="looks odd")
    messages.ask(evaluated, by=maintainer, question="Which seed?")
    messages.answer(evaluated, by=user, text="Seed 7.")
    messages.write_message(evaluated, by=maintainer, text="Thank you.")

    texts = [each.text for each in evaluated.messages.for_submitter()]
    assert texts == ["Which seed?", "Seed 7.", "Thank you."]
    assert evaluated.shown_state == SubmissionState.EVALUATED


def test_running_a_rejected_one_again_opens_no_second_appeal(
    rejected, maintainer, second
):
    first = appeal(rejected)

    fail_all(followups.rerun(rejected, by=rejected.user, reason="another seed"))

    rejected.refresh_from_db()
    assert appeals.open_appeal(rejected) == first
    assert appeals.appealable(rejected) is None
    with pytest.raises(NotPossibleError, match="There was an appeal"):
        appeal(rejected)
    with pytest.raises(NotPossibleError, match="You took the decision"):
        appeals.dismiss(rejected, by=maintainer, reason="no")
    appeals.dismiss(rejected, by=second, reason="the digests are equal")
    first.refresh_from_db()
    assert first.outcome == "dismissed"
    states = [row.state for row in history_of(rejected)]
    assert states.count("Rejected") == 1
    assert states[-1] == "Note"
