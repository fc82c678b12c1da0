from __future__ import annotations

import pytest

from leaderboard.metrics import Scope
from leaderboard.standings import standings
from tests.factories import (
    CheckResultFactory,
    EvaluationFactory,
    EvaluationSnapshotFactory,
    FPointFactory,
    RunFactory,
    ScopeTotalsFactory,
    TaskFactory,
    TaskResultFactory,
)

pytestmark = pytest.mark.django_db


def scopes_of(snapshot):
    return {
        row.scope: (row.task_count, row.f_point_count) for row in snapshot.scopes.all()
    }


def test_a_snapshot_of_three_tasks_has_one_of_each_source():
    snapshot = EvaluationSnapshotFactory(task_count=3)

    assert scopes_of(snapshot) == {
        "overall": (3, 3),
        "new-feature": (1, 1),
        "spec-driven": (1, 1),
        "bug-fix": (1, 1),
    }


def test_denominators_follow_a_task_and_an_f_point_added_later():
    snapshot = EvaluationSnapshotFactory()
    FPointFactory(task=TaskFactory(snapshot=snapshot, source="bug-fix"))

    assert scopes_of(snapshot) == {
        "overall": (2, 3),
        "new-feature": (1, 1),
        "bug-fix": (1, 2),
    }


def test_task_results_take_the_tasks_of_a_run_one_after_the_other():
    run = RunFactory(evaluation__snapshot__task_count=2)

    results = [TaskResultFactory(run=run), TaskResultFactory(run=run, completed=False)]

    assert [each.task for each in results] == list(run.evaluation.snapshot.tasks.all())
    assert not CheckResultFactory(result=results[1]).passed


def test_a_summary_is_enough_to_appear_in_the_standings():
    snapshot = EvaluationSnapshotFactory()
    evaluation = EvaluationFactory(public=True, snapshot=snapshot)
    ScopeTotalsFactory(evaluation=evaluation, completed_by_run=[4, 5, 6])

    (row,) = standings(snapshot, Scope.OVERALL).rows
    assert row.rank == 1
    assert row.in_scope.completed_count == 15
