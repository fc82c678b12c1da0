"""What curators decide about signals, and who sees which."""

from __future__ import annotations

import pytest
from django.core import mail
from django.db import IntegrityError, transaction

from evaluator.errors import NotPossibleError
from leaderboard import outbox
from leaderboard.models import AuditEvent
from submissions.integrity.summary import (
    confirmed_signals,
    open_signal_count,
    signals_of,
)
from submissions.integrity.verdicts import judge
from submissions.models import SignalVerdict
from tests.factories import IntegritySignalFactory

pytestmark = pytest.mark.django_db


@pytest.fixture
def signal(submission):
    return IntegritySignalFactory(submission=submission)


def test_a_verdict_closes_a_signal_and_names_what_it_was_about(signal, maintainer):
    judge(signal, by=maintainer, decision="confirmed", reason=" Read the answer. ")

    event = AuditEvent.objects.get(act="judge signal")
    assert event.after == {
        "decision": "confirmed",
        "signal": "git_history",
        "run": 1,
        "task": signal.task.slug,
    }
    assert event.reason == "Read the answer."
    assert open_signal_count(signal.submission) == 0


def test_the_submitter_hears_of_a_confirmed_signal_only(signal, user, maintainer):
    outbox.deliver_due()
    mail.outbox.clear()

    judge(signal, by=maintainer, decision="dismissed", reason="an own branch")
    judge(signal, by=maintainer, decision="confirmed", reason="read the answer")
    outbox.deliver_due()

    [told] = [each for each in mail.outbox if each.to == [user.email]]
    assert "An integrity signal was confirmed" in told.subject
    assert "> read the answer" in told.body


def test_the_latest_verdict_counts_and_the_earlier_one_stays(signal, maintainer):
    judge(signal, by=maintainer, decision="confirmed", reason="looks bad")
    judge(signal, by=maintainer, decision="dismissed", reason="an own branch")

    [group] = signals_of(signal.submission).groups
    [shown] = group.signals
    assert (shown.decision, shown.judged_because) == ("dismissed", "an own branch")
    assert SignalVerdict.objects.count() == 2
    event = AuditEvent.objects.filter(act="judge signal").first()
    assert event.before == {"decision": "confirmed"}


@pytest.mark.parametrize(
    ("decision", "reason", "message"),
    [
        ("confirmed", "  ", "needs a reason"),
        ("guilty", "x", "'guilty' is neither"),
    ],
)
def test_a_verdict_without_reason_or_of_another_kind_is_refused(
    signal, maintainer, decision, reason, message
):
    with pytest.raises(NotPossibleError, match=message):
        judge(signal, by=maintainer, decision=decision, reason=reason)

    assert not SignalVerdict.objects.exists()


def test_a_submitter_sees_confirmed_signals_only(signal, maintainer, client):
    submission = signal.submission
    url = submission.get_absolute_url()
    other = IntegritySignalFactory(submission=submission, seen="git fsck")
    client.force_login(submission.user)
    assert "Integrity signals" not in client.get(url).content.decode()

    judge(other, by=maintainer, decision="confirmed", reason="lost commits")
    judge(signal, by=maintainer, decision="dismissed", reason="own branch")
    html = client.get(url).content.decode()

    assert "git fsck" in html
    assert "lost commits" in html
    assert signal.seen not in html
    assert "confirmed by a maintainer" in html
    assert "for a verdict" not in html
    [group] = confirmed_signals(submission).groups
    assert [each.signal for each in group.signals] == [other]


def test_a_submitter_is_not_told_whose_patch_it_is(submission, maintainer):
    signal = IntegritySignalFactory(
        submission=submission, code="patch_repeated", seen="the very patch of secret"
    )
    judge(signal, by=maintainer, decision="confirmed", reason="x")

    [group] = confirmed_signals(submission).groups
    assert "secret" not in group.signals[0].signal.seen
    [group] = signals_of(submission).groups
    assert "secret" in group.signals[0].signal.seen


def test_the_summary_costs_the_same_whatever_there_is(
    submission, maintainer, django_assert_num_queries
):
    for number in range(5):
        signal = IntegritySignalFactory(
            submission=submission, code=["git_history", "device_use"][number % 2]
        )
    judge(signal, by=maintainer, decision="dismissed", reason="x")

    with django_assert_num_queries(3):
        summary = signals_of(submission)
        assert (summary.total, summary.open_count) == (5, 4)
        assert [group.open_count for group in summary.groups] == [2, 2]


def test_a_score_beyond_1_is_no_score(submission):
    with pytest.raises(IntegrityError), transaction.atomic():
        IntegritySignalFactory(submission=submission, score=1.5)
