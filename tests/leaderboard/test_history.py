"""The public part of the audit trail on the page of an evaluation."""

from __future__ import annotations

import pytest

from leaderboard.models import AuditEvent, record, subject_of
from tests.factories import EvaluationFactory, EvaluationSnapshotFactory

pytestmark = pytest.mark.django_db


@pytest.fixture
def evaluation():
    return EvaluationFactory(public=True)


def page_of(client, evaluation, prefix: str = "") -> str:
    return client.get(f"{prefix}{evaluation.get_absolute_url()}").content.decode()


def test_publication_reruns_and_withdrawal_are_public_with_date_and_reason(
    client, evaluation, maintainer
):
    record("requeue", evaluation, by=maintainer, reason="the device was replaced")
    event = record("publish", evaluation, by=maintainer, reason="reviewed")

    page = page_of(client, evaluation)

    assert "Queued again" in page
    assert "the device was replaced" in page
    assert page.index("reviewed") < page.index("the device was replaced")
    assert f"{event.at:%Y-%m-%d %H:%M}" in page


def test_who_acted_is_not_public(client, evaluation, maintainer):
    record("publish", evaluation, by=maintainer, reason="reviewed")

    assert maintainer.username not in page_of(client, evaluation)


def test_other_acts_and_other_evaluations_are_not_shown(client, evaluation):
    record("reject", evaluation, reason="secret doubts")
    record("publish", EvaluationFactory(public=True), reason="another one")

    page = page_of(client, evaluation)

    assert "secret doubts" not in page
    assert "another one" not in page
    assert "history-heading" not in page


def test_a_reason_is_escaped(client, evaluation):
    record("publish", evaluation, reason="<b>good</b>")

    assert "<b>good</b>" not in page_of(client, evaluation)


def test_the_history_is_there_in_chinese(client, evaluation):
    record("requeue", evaluation, reason="x")

    assert "重新排队" in page_of(client, evaluation, "/zh-hans")


def test_one_number_is_not_the_beginning_of_another(evaluation):
    AuditEvent.objects.create(act="publish", subject=f"{subject_of(evaluation)}7")

    assert not AuditEvent.objects.about(evaluation).exists()


def test_a_snapshot_is_named_with_its_benchmark():
    snapshot = EvaluationSnapshotFactory(version="demo-9")

    assert subject_of(snapshot) == "snapshot OpenHarmony Bench demo-9"


def test_an_act_without_a_name_is_shown_as_it_is():
    assert AuditEvent(act="something new").act_label == "something new"
