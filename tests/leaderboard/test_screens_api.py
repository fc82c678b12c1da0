"""What judges say of single screens, in the API."""

from __future__ import annotations

import pytest
from django.urls import reverse

from leaderboard.models import Evaluation, VisualOrigin, VisualScore
from tests.factories import EvaluationFactory, RunFactory, TaskResultFactory

pytestmark = pytest.mark.django_db

MEASURED, MODEL = VisualOrigin.MEASURED, VisualOrigin.MODEL


@pytest.fixture
def evaluation() -> Evaluation:
    """One task run in each of two runs: two screens measured, one of them asked of."""
    found = EvaluationFactory(public=True)
    task = found.snapshot.tasks.first()
    for _number in range(2):
        result = TaskResultFactory(run=RunFactory(evaluation=found), task=task)
        score(result, "home", MEASURED, 500_000)
        score(result, "tray", MEASURED, 0, reason="never shown", picture_sha256="")
        score(result, "home", MODEL, 750_000, asked=3, spread=20_000)
    return found


def score(result, screen, origin, millionths, *, asked=0, spread=0, **more):
    answers = {"answers": [{}] * asked, "spread_millionths": spread, "prompt": "secret"}
    VisualScore.objects.create(
        result=result,
        screen=screen,
        origin=origin,
        judge="blocks" if origin == MEASURED else "a-model",
        judge_version="3",
        millionths=millionths,
        **{
            "reference_sha256": "r" * 64,
            "picture_sha256": "p" * 64,
            "detail": answers if asked else {"blocks": 9},
            **more,
        },
    )


def test_every_score_comes_with_its_judge_and_its_counts(client, evaluation):
    answer = client.get(reverse("api-screen-list", args=[evaluation.pk]))

    document = answer.json()
    assert document["count"] == 6
    assert document["judges"] == [
        {
            "origin": "measured",
            "judge": "blocks",
            "judge_version": "3",
            "screens": 4,
            "unjudged": 0,
            "mean": 0.25,
            "largest_spread": None,
        },
        {
            "origin": "model",
            "judge": "a-model",
            "judge_version": "3",
            "screens": 2,
            "unjudged": 0,
            "mean": 0.75,
            "largest_spread": 0.02,
        },
    ]
    home, asked, tray = document["results"][:3]
    assert (home["run"], home["screen"], home["origin"]) == (1, "home", "measured")
    assert (home["score"], home["answers"], home["spread"]) == (0.5, None, None)
    assert (asked["score"], asked["answers"], asked["spread"]) == (0.75, 3, 0.02)
    assert (tray["score"], tray["reason"]) == (0.0, "never shown")
    # Prompts and answers may tell what the hidden reference shows.
    assert "secret" not in answer.content.decode()


def test_an_origin_or_a_task_can_be_chosen(client, evaluation):
    address = reverse("api-screen-list", args=[evaluation.pk])

    asked = client.get(f"{address}?origin=model").json()
    wrong = client.get(f"{address}?origin=guess")

    assert [each["judge"] for each in asked["results"]] == ["a-model"] * 2
    assert len(asked["judges"]) == 2
    task = evaluation.snapshot.tasks.first().slug
    assert client.get(f"{address}?task={task}").json()["count"] == 6
    other = client.get(f"{address}?task=other")
    assert (other.status_code, other.json()["errors"][0]["code"]) == (
        400,
        "unknown_task",
    )
    assert (wrong.status_code, wrong.json()["errors"][0]["code"]) == (
        400,
        "unknown_origin",
    )


def test_a_screen_without_a_score_is_null_and_counted_apart(client, evaluation):
    VisualScore.objects.filter(screen="home", origin=MEASURED).update(
        millionths=None, reason="blocks: no walls"
    )

    found = client.get(reverse("api-screen-list", args=[evaluation.pk])).json()

    assert (found["judges"][0]["unjudged"], found["judges"][0]["mean"]) == (2, 0.0)
    assert (found["results"][0]["score"], found["results"][0]["reason"]) == (
        None,
        "blocks: no walls",
    )


def test_the_number_of_queries_does_not_grow_with_the_screens(
    client, evaluation, django_assert_max_num_queries
):
    with django_assert_max_num_queries(4):
        client.get(reverse("api-screen-list", args=[evaluation.pk]))
