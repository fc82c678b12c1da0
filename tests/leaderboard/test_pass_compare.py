"""Evaluations by pass rate side by side: what was published, and nothing more."""

from __future__ import annotations

from pathlib import Path

import pytest

from leaderboard.models import (
    Evaluation,
    EvaluationSnapshot,
    PassTotals,
    Provenance,
    ScoringPolicy,
    Stream,
)
from leaderboard.passing.published import load_guests
from tests.factories import (
    BenchmarkFactory,
    ConfigurationFactory,
    EvaluationFactory,
    EvaluationSnapshotFactory,
)

pytestmark = pytest.mark.django_db

FOLDER = Path(__file__).resolve().parents[2] / "fixtures" / "published"


@pytest.fixture
def published() -> list[Evaluation]:
    """The rows of Android Bench 1.0, the highest pass rate first."""
    load_guests(FOLDER)
    found = Evaluation.objects.filter(snapshot__benchmark__slug="android-bench")
    rates = {
        each.evaluation_id: float(each.printed["pass_rate"])
        for each in PassTotals.objects.all()
    }
    return sorted(found, key=lambda each: -rates[each.pk])


@pytest.fixture
def counted() -> list[Evaluation]:
    """Two evaluations with counts, over all tasks and in one stream: 8 and 4 of 16."""
    benchmark = BenchmarkFactory(
        slug="pass-bench", name="Pass", policy=ScoringPolicy.PASS_AND_COMPLETION
    )
    snapshot = EvaluationSnapshotFactory(benchmark=benchmark, task_count=0)
    return [_counted(snapshot, passed) for passed in (8, 4)]


def _counted(snapshot: EvaluationSnapshot, passed: int) -> Evaluation:
    stream, _ = Stream.objects.get_or_create(
        snapshot=snapshot,
        slug="migrations",
        defaults={"names": {"en": "Migrations"}, "task_count": 4, "position": 0},
    )
    evaluation = EvaluationFactory(
        snapshot=snapshot, public=True, configuration=ConfigurationFactory()
    )
    for place, count in ((None, passed), (stream, passed // 2)):
        PassTotals.objects.create(
            evaluation=evaluation,
            stream=place,
            run_count=4,
            task_count=4,
            perfect_count=count,
            finished_count=16,
            incomplete_count=0,
            completion_total="12",
        )
    return evaluation


def query(*evaluations: Evaluation) -> str:
    letters = zip("abcd", evaluations, strict=False)
    return "&".join(f"{letter}={each.pk}" for letter, each in letters)


def test_published_rates_are_subtracted_and_their_intervals_set_side_by_side(
    client, published
):
    first, second, *_, last = published

    found = client.get(f"/api/v1/compare/?{query(first, second, last)}").json()

    assert found["policy"] == "pass-and-completion"
    assert (found["same_conditions"], found["no_verdict_because"]) == (True, [])
    pairs = {(each["first"], each["second"]): each for each in found["pairs"]}
    near = pairs["a", "b"]["differences"]["overall"]
    assert near["pass_rate"] == pytest.approx(0.044)
    assert (near["completion_rate"], near["intervals"]) == (None, "overlap")
    assert pairs["a", "c"]["differences"]["overall"]["intervals"] == "first_above"
    scopes = found["evaluations"]["a"]["pass_scopes"]
    assert scopes["overall"]["printed"]["pass_rate"] == "70.8"
    assert "counts" in found["not_compared"]
    assert "task_outcomes" in found["not_compared"]


def test_the_page_shows_what_was_published_and_says_what_was_not(client, published):
    first, second = published[:2]

    page = client.get(f"/compare/?id={first.pk}&id={second.pk}").content.decode()

    main = page.partition("<main")[2]
    assert first.configuration.model in main
    assert "70.8" in main and "[63.4–78.1]" in main
    # With the one digit that the rates were printed with.
    assert ">+4.4<" in main.replace(" ", "").replace("\n", "")
    assert "They overlap: the order of the two is open." in main
    assert "What cannot be compared" in main
    assert "their outcomes were not published" in main
    assert "so no number of task runs stands behind a difference" in main
    assert "Task Completion" not in main
    back = client.get(f"/zh-hans/compare/?{query(second, first)}").content.decode()
    assert "−4.4" in back and "−4.40" not in back
    assert "无法对比的内容" in back


def test_counts_and_streams_stand_beside_the_rates_where_they_are_known(
    client, counted
):
    page = client.get(f"/compare/?{query(*counted)}").content.decode()
    found = client.get(f"/api/v1/compare/?{query(*counted)}").json()

    for text in ("8/16", "4/16", "Migrations", "2/16", "+25.00", "75.00"):
        assert text in page
    (pair,) = found["pairs"]
    assert pair["differences"] == {
        "overall": {"pass_rate": 0.25, "completion_rate": 0.0, "intervals": None},
        "migrations": {"pass_rate": 0.125, "completion_rate": 0.0, "intervals": None},
    }
    assert found["not_compared"] == ["task_outcomes", "intervals"]


def test_nothing_is_compared_across_keys(client, published, counted):
    first, other = published[0], counted[0]

    page = client.get(f"/compare/?{query(first, other)}").content.decode()
    found = client.get(f"/api/v1/compare/?{query(first, other)}").json()

    main = page.partition("<main")[2]
    assert "Not comparable: no verdict" in main
    assert "70.8" not in main
    assert "8/16" not in main
    assert found["pairs"] == []
    assert found["no_verdict_because"] == ["other_conditions"]
    assert "benchmark" in found["differing_fields"]


def test_what_must_not_be_ranked_gets_no_difference(client, counted):
    one, other = counted
    Evaluation.objects.filter(pk=one.pk).update(provenance=Provenance.SELF_REPORTED)

    found = client.get(f"/api/v1/compare/?{query(one, other)}").json()

    assert found["no_verdict_because"] == ["self_reported"]
    assert found["pairs"][0]["differences"] == {}


def test_one_alone_waits_for_another_of_its_kind(client, published):
    response = client.get(f"/compare/?a={published[0].pk}")

    main = response.content.decode().partition("<main")[2]
    assert response.status_code == 200
    assert "Choose at least two evaluations" in main
    assert published[1].configuration.model in main


def test_the_number_of_queries_does_not_grow_with_the_members(
    client, published, django_assert_max_num_queries
):
    with django_assert_max_num_queries(4):
        client.get(f"/api/v1/compare/?{query(*published[:4])}")
