"""Standings of an earlier day, on the page, in the API and in files."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta

import pytest
from django.utils import timezone

from evaluator.services import (
    disqualify_evaluation,
    reinstate_evaluation,
    withdraw_evaluation,
)
from leaderboard.as_of import AsOf, AsOfError, day_from, standings_day, today
from leaderboard.models import Visibility
from leaderboard.standings import standings
from tests.factories import (
    EvaluationFactory,
    EvaluationSnapshotFactory,
    ScopeTotalsFactory,
    UserFactory,
)

pytestmark = pytest.mark.django_db

FIRST, SECOND = datetime(2024, 5, 3, 9, tzinfo=UTC), datetime(2024, 5, 5, tzinfo=UTC)


@pytest.fixture
def snapshot():
    """Public on 3 May: steady, and gone (withdrawn on the 5th); late on the 5th."""
    found = EvaluationSnapshotFactory(
        version="v9.0", task_count=0, scopes={"overall": (10, 12)}
    )
    add(found, "steady", [5, 5, 5], published_at=FIRST)
    add(
        found,
        "gone",
        [9, 9, 9],
        published_at=FIRST,
        visibility=Visibility.WITHDRAWN,
        struck_out_at=SECOND + timedelta(hours=3),
        withdrawn_reason="Checks were copied.",
    )
    add(found, "late", [7, 7, 7], published_at=SECOND)
    return found


def add(snapshot, model, completed, **fields):
    evaluation = EvaluationFactory(
        public=True, snapshot=snapshot, configuration__model=model, **fields
    )
    ScopeTotalsFactory(evaluation=evaluation, completed_by_run=completed)
    return evaluation


def on(snapshot, day: date) -> tuple[list[str], list[str]]:
    """Ranked and withdrawn models of ``day``."""
    table = standings(snapshot, until=AsOf(day).until)
    return (
        [
            f"{row.rank_label} {row.evaluation.configuration.model}"
            for row in table.rows
        ],
        [evaluation.configuration.model for evaluation in table.withdrawn],
    )


def test_a_day_shows_what_was_public_at_its_end(snapshot):
    assert on(snapshot, date(2024, 5, 2)) == ([], [])
    assert on(snapshot, date(2024, 5, 3)) == (["1 gone", "2 steady"], [])
    assert on(snapshot, date(2024, 5, 4)) == (["1 gone", "2 steady"], [])
    assert on(snapshot, date(2024, 5, 5)) == (["1 late", "2 steady"], ["gone"])


def test_a_withdrawal_of_unknown_date_counts_as_one_from_the_start(snapshot):
    snapshot.evaluations.update(struck_out_at=None)

    assert on(snapshot, date(2024, 5, 4)) == (["1 steady"], ["gone"])


def test_what_is_private_now_is_in_no_table_of_the_past(snapshot):
    snapshot.evaluations.exclude(visibility=Visibility.WITHDRAWN).update(
        visibility=Visibility.PRIVATE
    )

    assert on(snapshot, date(2024, 5, 4)) == (["1 gone"], [])


def test_a_withdrawal_keeps_its_time(snapshot):
    evaluation = snapshot.evaluations.get(configuration__model="late")
    before = timezone.now()

    withdraw_evaluation(evaluation, by=UserFactory(is_staff=True), reason="Mistaken.")

    assert before <= evaluation.struck_out_at <= timezone.now()
    assert on(snapshot, date(2024, 5, 5))[0] == ["1 late", "2 steady"]


def test_a_disqualification_that_was_taken_back_still_shows_on_its_days(snapshot):
    evaluation = snapshot.evaluations.get(configuration__model="late")
    maintainer = UserFactory(is_staff=True)
    disqualify_evaluation(evaluation, by=maintainer, reason="Copied checks.")
    reinstate_evaluation(evaluation, by=maintainer, reason="They were its own.")
    (start, end, reason) = evaluation.past_strikes[0]
    begun, ended = datetime.fromisoformat(start), datetime.fromisoformat(end)

    before = standings(snapshot, until=begun)
    while_it_held = standings(snapshot, until=ended)
    after = standings(snapshot, until=ended + timedelta(seconds=1))

    assert reason == "Copied checks."
    assert before.rows[0].evaluation == evaluation
    assert (evaluation, "Copied checks.") in [
        (found, strike.reason) for found, strike in while_it_held.strikes
    ]
    assert after.rows[0].evaluation == evaluation
    assert evaluation not in standings(snapshot).withdrawn


@pytest.mark.parametrize(
    "text", ["", "yesterday", "2024-13-01", "20240503", "2024-05-3", "9999-12-31"]
)
def test_only_a_day_in_full_is_a_day(text):
    assert day_from(text) is None


def test_a_day_has_standings_from_the_first_publication_to_today(snapshot):
    assert standings_day(snapshot, date(2024, 5, 3)).is_over
    assert not standings_day(snapshot, today()).is_over
    for day in (date(2024, 5, 2), today() + timedelta(days=1)):
        with pytest.raises(AsOfError) as caught:
            standings_day(snapshot, day)
        assert caught.value.first == date(2024, 5, 3)


def test_the_page_of_a_day_says_so_and_names_later_withdrawals(client, snapshot):
    html = client.get(
        f"{snapshot.get_absolute_url()}?as_of=2024-05-04"
    ).content.decode()

    assert "Frozen at the end of <b>2024-05-04</b> (UTC)" in html
    assert "gone was struck out later, on 2024-05-05: Checks were copied." in html
    assert "struck out later</span>" in html
    assert ">late<" not in html


def test_the_page_of_a_later_day_strikes_the_withdrawn_row_out(client, snapshot):
    html = client.get(
        f"{snapshot.get_absolute_url()}?as_of=2024-05-05"
    ).content.decode()

    assert "<del>DevEco Code with gone</del>" in html
    assert "struck out later" not in html


def test_the_permalink_is_the_snapshot_at_a_day(client, snapshot):
    address = snapshot.get_absolute_url()

    html = client.get(f"{address}?as_of=2024-05-04&q=st").content.decode()
    current = client.get(address).content.decode()

    assert f'href="{address}?as_of=2024-05-04"' in html
    assert f'href="{address}?as_of={today()}"' in current


def test_the_day_of_today_is_said_to_be_open(client, snapshot):
    html = client.get(f"{snapshot.get_absolute_url()}?as_of={today()}").content.decode()

    assert "That day is not over yet" in html


@pytest.mark.parametrize("language", ["", "/zh-hans"])
@pytest.mark.parametrize("day", ["2024-05-02", "9999-12-30"])
def test_a_day_without_standings_has_a_page_that_helps(client, snapshot, day, language):
    response = client.get(f"{language}{snapshot.get_absolute_url()}?as_of={day}")

    assert response.status_code == 404
    html = response.content.decode()
    assert day in html
    assert "?as_of=2024-05-03" in html


def test_a_snapshot_without_results_has_no_day_to_offer(client, db):
    empty = EvaluationSnapshotFactory(version="v8.0")

    response = client.get(f"{empty.get_absolute_url()}?as_of=2024-05-03")

    assert response.status_code == 404
    assert "nothing is so far" in response.content.decode()


def test_what_is_no_day_is_ignored_and_named(client, snapshot):
    html = client.get(f"{snapshot.get_absolute_url()}?as_of=soon").content.decode()

    assert "<code>as_of=soon</code> is not known here" in html


def test_the_api_answers_for_a_day(client, snapshot):
    answer = client.get("/api/v1/leaderboard/?snapshot=v9.0&as_of=2024-05-04").json()

    assert answer["as_of"] == "2024-05-04"
    first = answer["results"][0]
    assert first["configuration"]["model"] == "gone"
    assert first["struck_out_at"] == "2024-05-05T03:00:00Z"
    assert first["withdrawn_reason"] == "Checks were copied."
    assert answer["withdrawn"] == []


@pytest.mark.parametrize(
    ("day", "status", "code"),
    [
        ("soon", 400, "not_a_day"),
        ("2024-05-02", 404, "no_standings_of_that_day"),
        ("9999-12-30", 404, "no_standings_of_that_day"),
    ],
)
def test_the_api_names_a_day_it_cannot_answer_for(client, snapshot, day, status, code):
    response = client.get(f"/api/v1/leaderboard/?snapshot=v9.0&as_of={day}")

    assert response.status_code == status
    (error,) = response.json()["errors"]
    assert (error["code"], error["where"], error["saw"]) == (code, "?as_of", day)
    assert str(today()) in error["fix"]


def test_a_day_costs_as_few_queries(client, snapshot, django_assert_max_num_queries):
    with django_assert_max_num_queries(4):
        client.get(f"{snapshot.get_absolute_url()}?as_of=2024-05-04")


@pytest.mark.parametrize("language", ["", "/zh-hans"])
def test_the_front_page_leads_to_what_is_said_of_a_day_without_standings(
    client, snapshot, language
):
    answer = client.get(f"{language}/?as_of=2020-01-01&sort=tokens", follow=True)

    own = f"{language}/s/{snapshot.benchmark.slug}/v9.0/"
    assert answer.redirect_chain == [(f"{own}?as_of=2020-01-01&sort=tokens", 302)]
    assert answer.status_code == 404
    assert "2020-01-01" in answer.text
