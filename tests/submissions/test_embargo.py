"""Embargoes: nothing before the day, everything from it on, without anybody's act."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from django.db import IntegrityError, transaction
from django.test import Client
from django.utils import timezone

from leaderboard.history import public_history
from leaderboard.models import AuditEvent, Evaluation, OutboxMessage, Visibility
from leaderboard.standings import standings
from submissions import services
from submissions.history import history_of
from submissions.models import SubmissionState
from submissions.services import NotPossibleError
from submissions.tasks import tell_ended_embargoes
from tests.submissions.jobs import fail_all
from tests.tokens import api_client

pytestmark = pytest.mark.django_db
DAY = timedelta(days=1)


@pytest.fixture
def evaluated(submission):
    fail_all(submission)
    return submission


@pytest.fixture
def embargoed(evaluated, maintainer):
    services.publish(evaluated, by=maintainer, public_from=timezone.now() + DAY)
    return evaluated


def let_the_day_come(submission) -> None:
    """As if the embargo had ended a second ago."""
    ended = timezone.now() - timedelta(seconds=1)
    Evaluation.objects.filter(submission=submission).update(public_from=ended)
    submission.refresh_from_db()


def addresses(submission) -> list[str]:
    evaluation = submission.evaluation
    run = evaluation.runs.first()
    artifact = run.artifacts.first()
    return [
        evaluation.get_absolute_url(),
        run.get_absolute_url(),
        f"{run.get_absolute_url()}tasks/{artifact.task.slug}/",
        f"{run.get_absolute_url()}artifacts.zip",
        artifact.get_absolute_url(),
        f"/api/v1/evaluations/{evaluation.pk}/",
        f"/api/v1/evaluations/{evaluation.pk}/runs/",
        f"/api/v1/runs/{run.pk}/results/",
        f"/api/v1/runs/{run.pk}/artifacts.zip",
        f"/api/v1/artifacts/{artifact.pk}/file/",
    ]


def lists(submission) -> list[str]:
    snapshot = submission.snapshot
    slug = snapshot.tasks.first().slug
    return [
        snapshot.get_absolute_url(),
        f"/tasks/{snapshot.version}/{slug}/",
        f"/api/v1/leaderboard/?snapshot={snapshot.version}",
        "/api/v1/evaluations/",
    ]


def status_of(client: Client, path: str) -> int:
    answer = client.get(path)
    if answer.streaming:
        answer.getvalue()
    return answer.status_code


def names_it(client: Client, path: str, submission) -> bool:
    model = submission.evaluation.configuration.model
    return model in client.get(path).content.decode()


def test_before_the_day_nothing_of_it_is_public(client, embargoed):
    assert [status_of(client, path) for path in addresses(embargoed)] == [404] * 10
    for path in lists(embargoed):
        assert not names_it(client, path, embargoed), path
    assert not Evaluation.objects.public().exists()
    assert standings(embargoed.snapshot).withdrawn == ()


def test_from_the_day_on_all_of_it_is(client, embargoed):
    let_the_day_come(embargoed)

    assert [status_of(client, path) for path in addresses(embargoed)] == [200] * 10
    for path in lists(embargoed):
        assert names_it(client, path, embargoed), path
    document = client.get(addresses(embargoed)[5]).json()
    assert document["visibility"] == "public"
    assert embargoed.shown_state == SubmissionState.PUBLISHED
    assert "badge embargoed" not in client.get(addresses(embargoed)[0]).content.decode()


def test_its_submitter_reads_when_it_will_be(signed_in, user, embargoed):
    assert embargoed.shown_state == SubmissionState.EMBARGOED
    page = signed_in.get(embargoed.evaluation.get_absolute_url()).content.decode()
    day = f"{embargoed.evaluation.public_from:%Y-%m-%d %H:%M} UTC"
    assert day in page
    assert "badge embargoed" in page
    document = api_client(user).get(addresses(embargoed)[5]).json()
    assert document["visibility"] == "embargoed"


def test_a_day_in_the_past_is_no_embargo(evaluated, maintainer):
    services.publish(evaluated, by=maintainer, public_from=timezone.now() - DAY)

    assert evaluated.evaluation.visibility == Visibility.PUBLIC
    assert evaluated.evaluation.public_from is None


def test_an_embargo_is_moved_or_lifted_by_publishing_again(embargoed, maintainer):
    later = timezone.now() + 9 * DAY
    services.publish(embargoed, by=maintainer, public_from=later)
    assert embargoed.evaluation.public_from == later

    services.publish(embargoed, by=maintainer)

    assert embargoed.evaluation.is_public
    acts = [each.act for each in AuditEvent.objects.about(embargoed.evaluation)]
    assert acts == ["publish", "embargo", "embargo"]


def test_an_embargo_is_rejected_without_a_trace_in_public(
    client, embargoed, maintainer
):
    with pytest.raises(NotPossibleError, match="Give a reason"):
        services.reject(embargoed, by=maintainer, reason=" ")

    services.reject(embargoed, by=maintainer, reason="a mistake")

    assert embargoed.shown_state == SubmissionState.REJECTED
    assert embargoed.evaluation.visibility == Visibility.PRIVATE
    let_the_day_come(embargoed)
    assert status_of(client, embargoed.evaluation.get_absolute_url()) == 404


def test_what_became_public_by_itself_can_be_withdrawn(embargoed):
    let_the_day_come(embargoed)

    services.withdraw(embargoed, by=embargoed.user, reason="a mistake")

    assert embargoed.shown_state == SubmissionState.WITHDRAWN
    (row,) = standings(embargoed.snapshot).withdrawn
    assert row == embargoed.evaluation


def test_the_database_knows_no_embargo_without_an_end(evaluated):
    with pytest.raises(IntegrityError), transaction.atomic():
        Evaluation.objects.update(visibility=Visibility.EMBARGOED)


def test_the_database_puts_nothing_unscored_under_embargo(submission):
    with pytest.raises(IntegrityError), transaction.atomic():
        Evaluation.objects.update(
            visibility=Visibility.EMBARGOED, public_from=timezone.now()
        )


def test_a_maintainer_names_the_day_on_the_page(client, evaluated, maintainer):
    client.force_login(maintainer)
    day = (timezone.now() + 3 * DAY).date()
    address = evaluated.get_absolute_url()
    decide, act = f"/review/{evaluated.pk}/decide/", {"act": "publish"}

    wrong = client.post(decide, {**act, "public_from": "soon"}, follow=True)
    assert "The day must be a date" in wrong.content.decode()
    client.post(decide, {**act, "public_from": day.isoformat()})

    evaluated.evaluation.refresh_from_db()
    begins = datetime.combine(day, datetime.min.time(), tzinfo=UTC)
    assert evaluated.evaluation.public_from == begins
    assert "Embargoed" in client.get(address).content.decode()


def test_a_maintainer_names_the_moment_in_the_api(evaluated, maintainer):
    path = f"/api/v1/submissions/{evaluated.pk}/publish/"
    client = api_client(maintainer)

    wrong = client.post(path, {"public_from": "soon"})
    right = client.post(path, {"public_from": "2099-01-01T00:00:00Z"})

    assert wrong.json()["errors"][0]["where"] == "public_from"
    assert right.json()["state"] == "embargoed"


def test_the_end_of_an_embargo_needs_no_second_look_at_the_clock(embargoed):
    """Database and application agree on what is public, to the second."""
    let_the_day_come(embargoed)
    evaluation = Evaluation.objects.get(submission=embargoed)

    assert evaluation.is_public
    assert Evaluation.objects.public().filter(pk=evaluation.pk).exists()


def test_the_end_of_an_embargo_is_told_once(embargoed):
    published = OutboxMessage.objects.filter(
        channel="event", kind="submission.published"
    )
    tell_ended_embargoes()
    assert not published.exists()

    let_the_day_come(embargoed)
    for _again in range(2):
        tell_ended_embargoes()

    assert published.get().data["submission"] == str(embargoed.pk)


def test_the_end_of_an_embargo_stands_in_the_histories(embargoed):
    acts = [entry.act for entry in public_history(embargoed.evaluation)]
    assert "embargo ended" not in acts

    let_the_day_come(embargoed)

    entries = public_history(embargoed.evaluation)
    ended = [entry.at for entry in entries if entry.act == "embargo ended"]
    assert ended == [embargoed.evaluation.public_from]
    rows = [(row.state, row.actor, row.reason) for row in history_of(embargoed)]
    assert ("Published", "", "The embargo ended.") in rows
