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


def test_it_begins_with_acceptance_and_evaluation(client, evaluation):
    record("publish", evaluation, reason="reviewed")

    entries = client.get(f"/api/v1/evaluations/{evaluation.pk}/history/").json()

    acts = {entry["act"] for entry in entries["results"]}
    assert acts == {"accepted", "evaluated", "publish"}
    page = page_of(client, evaluation)
    assert "Accepted" in page
    assert "Evaluated" in page


def test_figures_of_a_report_were_not_accepted_here(client):
    evaluation = EvaluationFactory(public=True, provenance="published")

    assert "history-heading" not in page_of(client, evaluation)


@pytest.mark.parametrize("visibility", ["withdrawn", "disqualified"])
def test_what_is_struck_out_keeps_its_reason_and_history_in_public(client, visibility):
    evaluation = EvaluationFactory(
        public=True, visibility=visibility, withdrawn_reason="wrong model named"
    )
    record("publish", evaluation, reason="reviewed")
    record("withhold", evaluation, reason="secret doubts")

    page = page_of(client, evaluation)

    assert "wrong model named" in page
    assert "reviewed" in page
    assert "secret doubts" not in page
    assert "Task Completion" not in page
    history = client.get(f"/api/v1/evaluations/{evaluation.pk}/history/")
    assert history.status_code == 200
    assert client.get(f"/api/v1/evaluations/{evaluation.pk}/").status_code == 404
    leaderboard = client.get(
        f"/api/v1/leaderboard/?snapshot={evaluation.snapshot.version}"
    ).json()
    assert leaderboard["results"] == []
    (row,) = leaderboard["withdrawn"]
    assert (row["visibility"], row["reason"]) == (visibility, "wrong model named")
    table = client.get(evaluation.snapshot.get_absolute_url()).content.decode()
    assert f'<a href="{evaluation.get_absolute_url()}"><del>' in table


def test_the_history_of_a_private_one_is_not_there(client, user):
    evaluation = EvaluationFactory()

    path = f"/api/v1/evaluations/{evaluation.pk}/history/"
    assert client.get(path).status_code == 404
