"""The table of states: every act in every state, allowed or refused with a sentence."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.utils import timezone

from leaderboard.models import AuditEvent
from submissions import services
from submissions.models import SubmissionEvent, SubmissionState
from submissions.review import messages, sanctions
from submissions.services import NotPossibleError
from submissions.transitions import RULES, Act, possible_acts
from tests.factories import UserFactory
from tests.submissions.jobs import fail_all

pytestmark = pytest.mark.django_db
State = SubmissionState

WANTED = {
    State.EVALUATING: {Act.CANCEL},
    State.EVALUATED: {Act.PUBLISH, Act.ASK, Act.REJECT, Act.WITHDRAW},
    State.ASKED: {Act.PUBLISH, Act.ANSWER, Act.REJECT, Act.WITHDRAW},
    State.EMBARGOED: {Act.PUBLISH, Act.REJECT, Act.WITHDRAW},
    State.PUBLISHED: {Act.WITHDRAW, Act.DISQUALIFY},
    State.REJECTED: {Act.REOPEN},
    State.CANCELLED: set(),
    State.WITHDRAWN: set(),
    State.DISQUALIFIED: {Act.REINSTATE},
}


@pytest.fixture
def do(submission, user, maintainer):
    """Does one act with a reason, by whoever may do it."""
    first = UserFactory(is_staff=True)

    def doing(act: Act, reason: str = "because") -> None:
        known = {
            Act.CANCEL: lambda: services.cancel(submission, by=user, reason=reason),
            Act.PUBLISH: lambda: services.publish(
                submission, by=maintainer, note=reason
            ),
            Act.ASK: lambda: messages.ask(submission, by=maintainer, question=reason),
            Act.ANSWER: lambda: messages.answer(submission, by=user, text=reason),
            Act.REJECT: lambda: services.reject(
                submission, by=maintainer, reason=reason
            ),
            Act.REOPEN: lambda: sanctions.reopen(
                submission, by=maintainer, reason=reason
            ),
            Act.WITHDRAW: lambda: services.withdraw(submission, by=user, reason=reason),
            Act.DISQUALIFY: lambda: sanctions.disqualify(
                submission, by=maintainer, reason=reason
            ),
            Act.REINSTATE: lambda: sanctions.reinstate(
                submission, by=maintainer, reason=reason, proposed_by=first
            ),
        }
        known[act]()

    return doing


def bring_to(state: State, submission, maintainer, do) -> None:
    if state == State.CANCELLED:
        do(Act.CANCEL)
        return
    if state == State.EVALUATING:
        return
    fail_all(submission)
    if state == State.EMBARGOED:
        tomorrow = timezone.now() + timedelta(days=1)
        services.publish(submission, by=maintainer, public_from=tomorrow)
        return
    ways = {
        State.EVALUATED: [],
        State.ASKED: [Act.ASK],
        State.PUBLISHED: [Act.PUBLISH],
        State.REJECTED: [Act.REJECT],
        State.WITHDRAWN: [Act.PUBLISH, Act.WITHDRAW],
        State.DISQUALIFIED: [Act.PUBLISH, Act.DISQUALIFY],
    }
    for act in ways[state]:
        do(act)


def test_the_table_is_the_one_that_was_meant():
    assert {state: set(possible_acts(state)) for state in State} == WANTED
    assert set(RULES) == set(Act)


@pytest.mark.parametrize("state", State)
@pytest.mark.parametrize("act", Act)
def test_each_act_in_each_state_does_what_the_table_says(
    act, state, submission, maintainer, do
):
    bring_to(state, submission, maintainer, do)
    assert submission.shown_state == state
    trace = (SubmissionEvent.objects.count(), AuditEvent.objects.count())

    if state in RULES[act].sources:
        do(act)
        assert submission.shown_state == RULES[act].target
        assert submission.events.last().to_state == RULES[act].target
        latest = AuditEvent.objects.about(submission.evaluation).first()
        assert latest.act in {act.value, f"{act.value} unpublished"}
        return

    with pytest.raises(NotPossibleError) as refusal:
        do(act)
    # While it is evaluating, a refusal to publish names what is not scored.
    evaluating = act == Act.PUBLISH and state == State.EVALUATING
    words = "not scored yet" if evaluating else str(state.label).lower()
    assert words in str(refusal.value)
    assert submission.shown_state == state
    assert (SubmissionEvent.objects.count(), AuditEvent.objects.count()) == trace


@pytest.mark.parametrize(
    "act", [act for act, rule in RULES.items() if rule.needs_reason]
)
def test_what_harms_somebody_or_asks_something_needs_words(
    act, submission, maintainer, do
):
    bring_to(min(RULES[act].sources), submission, maintainer, do)
    before = submission.shown_state

    with pytest.raises(NotPossibleError):
        do(act, " ")

    assert submission.shown_state == before
