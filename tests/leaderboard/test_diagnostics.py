"""Stability, repairs and Kits of one evaluation."""

from __future__ import annotations

import pytest

from leaderboard.models import TaskResult
from leaderboard.presenters.diagnostics import kits_of, repairs_of, stability_of
from tests.factories import (
    EvaluationFactory,
    EvaluationSnapshotFactory,
    RunFactory,
    TaskFactory,
    TaskResultFactory,
)
from tests.leaderboard.evaluations import evaluated


@pytest.fixture
def snapshot(db):
    return EvaluationSnapshotFactory(task_count=0)


def test_stability_counts_tasks_by_their_completed_runs(snapshot):
    for place in range(3):
        TaskFactory(snapshot=snapshot, position=place)
    runs = ((True, True, False), (True, False, False), (True, False, False))

    found = stability_of(evaluated(snapshot, completed=runs))

    assert found is not None
    assert [each.task_count for each in found.buckets] == [1, 1, 0, 1]
    # (3/3 + 1/3 + 0)/3, then 1 - (0 + 1/3 + 1)/3, then 2/3.
    assert [each.any_run for each in found.chances] == ["44.44", "55.56", "66.67"]
    assert [each.every_run for each in found.chances] == ["44.44", "33.33", "33.33"]


def test_stability_waits_until_every_run_is_decided(snapshot):
    TaskFactory(snapshot=snapshot)
    evaluation = EvaluationFactory(snapshot=snapshot)
    TaskResultFactory(run=RunFactory(evaluation=evaluation))

    assert stability_of(evaluation) is None


def test_repairs_show_every_round_up_to_the_limit_and_what_is_not_reported(snapshot):
    for place in range(4):
        TaskFactory(snapshot=snapshot, position=place)
    evaluation = evaluated(snapshot, completed=((True, True, True, False),))
    rounds = [(0, True), (2, True), (2, False), (None, True)]
    for result, (count, built) in zip(
        evaluation.runs.get().results.order_by("task__position"), rounds, strict=True
    ):
        TaskResult.objects.filter(pk=result.pk).update(
            repair_rounds=count, final_build_ok=built, completed=False, reason="x"
        )

    found = repairs_of(evaluation)

    assert found is not None
    assert [(each.rounds, each.task_runs, each.built) for each in found.buckets] == [
        (0, 1, 1),
        (1, 0, 0),
        (2, 2, 1),
        (3, 0, 0),
        (4, 0, 0),
        (5, 0, 0),
    ]
    assert found.not_reported == 1


def test_without_reported_rounds_there_is_no_histogram(snapshot):
    TaskFactory(snapshot=snapshot)

    assert repairs_of(evaluated(snapshot, completed=((True,),))) is None


def test_kits_stand_from_best_to_worst_with_their_counts(snapshot):
    TaskFactory(snapshot=snapshot, position=0, kits=["Pen", "Ink"])
    TaskFactory(snapshot=snapshot, position=1, kits=["Ink"])
    evaluation = evaluated(snapshot, completed=((True, False), (True, False)))

    found = kits_of(evaluation)

    assert found is not None
    assert [(kit.name, kit.completed, kit.task_runs) for kit in found.best] == [
        ("Pen", 2, 2),
        ("Ink", 2, 4),
    ]
    assert (list(found.worst), found.enough) == ([], 1)


def test_of_many_kits_the_ends_are_shown_and_rare_ones_left_out(snapshot):
    names = [f"Kit {place:02}" for place in range(12)]
    for place in range(36):
        TaskFactory(snapshot=snapshot, position=place, kits=[names[place // 3]])
    TaskFactory(snapshot=snapshot, position=36, kits=["Rare"])
    # Kit 00 completes nothing, Kit 11 everything; three tasks each.
    done = tuple(place % 3 < 3 * (place // 3) / 11 for place in range(36))

    found = kits_of(evaluated(snapshot, completed=((*done, True),)))

    assert found is not None
    assert (len(found.best), len(found.worst), found.enough) == (5, 5, 3)
    assert found.worst[0].name == "Kit 00"
    assert found.best[0].percent == "100.00"
    assert "Rare" not in {kit.name for kit in (*found.best, *found.worst)}


@pytest.mark.parametrize("task_count", [3, 153])
def test_an_evaluation_page_costs_the_same_at_any_size(
    client, django_assert_max_num_queries, snapshot, task_count
):
    for place in range(task_count):
        TaskFactory(snapshot=snapshot, position=place, kits=["Pen", "Ink"][: place % 3])
    done = tuple(place % 2 == 0 for place in range(task_count))
    evaluation = evaluated(snapshot, completed=(done, done))

    # Evaluation, totals, files, runs, outcomes, stability, repairs, Kits, history,
    # overrulings, dimensions, failure reasons with their labels, and what is absent.
    with django_assert_max_num_queries(18):
        assert client.get(evaluation.get_absolute_url()).status_code == 200
