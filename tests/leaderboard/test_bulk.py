"""Rows written past the model objects are the same rows, under the same rules."""

from __future__ import annotations

from datetime import UTC, date, datetime

import pytest
from django.db import IntegrityError, connection, transaction
from django.utils import timezone

from leaderboard import bulk
from leaderboard.models import (
    Artifact,
    CheckResult,
    EvaluationSnapshot,
    ScopeTotals,
    TaskResult,
)
from tests.factories import (
    EvaluationFactory,
    EvaluationSnapshotFactory,
    RunFactory,
    TaskResultFactory,
)

pytestmark = pytest.mark.django_db

COLUMNS = (
    *("run_id", "task_id", "completed", "reason", "final_build_ok"),
    *("total_tokens", "f_points_passed", "f_point_count"),
)


@pytest.fixture
def run():
    return RunFactory(evaluation__snapshot__task_count=3)


def row_of(run, task, *, completed=True, **changes):
    values = {
        "run_id": run.pk,
        "task_id": task.pk,
        "completed": completed,
        "reason": "" if completed else "check_failed",
        "final_build_ok": True,
        "total_tokens": None,
        "f_points_passed": int(completed),
        "f_point_count": 1,
        **changes,
    }
    return tuple(values[name] for name in COLUMNS)


def values_of(result: TaskResult) -> dict:
    return {
        field.attname: getattr(result, field.attname)
        for field in TaskResult._meta.concrete_fields
        if field.attname not in {"id", "run_id", "scored_at"}
    }


def test_a_row_written_in_bulk_is_the_row_that_a_model_object_writes(run):
    tasks = list(run.evaluation.snapshot.tasks.all())
    before = timezone.now()

    bulk.insert(
        TaskResult,
        COLUMNS,
        [row_of(run, tasks[0]), row_of(run, tasks[1], completed=False)],
    )

    twin = RunFactory(evaluation=run.evaluation)
    for found in run.results.all():
        saved = TaskResultFactory(
            run=twin,
            task=found.task,
            completed=found.completed,
            first_build_ok=None,
            f_point_count=1,
            f_points_passed=int(found.completed),
        )
        assert values_of(found) == values_of(saved)
        assert before <= found.scored_at <= timezone.now()
    assert run.results.count() == 2


def test_json_dates_texts_and_missing_values_come_back_as_they_were():
    evaluation = EvaluationFactory()
    bulk.insert(
        ScopeTotals,
        (
            *("evaluation_id", "run_id", "scope", "task_count", "run_count"),
            *("completed_count", "completed_by_run", "final_build_count", "printed"),
        ),
        [
            (
                evaluation.pk,
                None,
                "overall",
                5,
                3,
                4,
                [2, 0, 2],
                4,
                {"a": [None, 'é"\n']},
            )
        ],
    )
    totals = evaluation.totals.get()
    assert (totals.run, totals.first_build_count) == (None, None)
    assert totals.completed_by_run == [2, 0, 2]
    assert totals.printed == {"a": [None, 'é"\n']}

    model = EvaluationSnapshotFactory()
    moment = datetime(2026, 11, 2, 3, 4, 5, 678901, tzinfo=UTC)
    names = [
        field.attname
        for field in EvaluationSnapshot._meta.concrete_fields
        if not field.primary_key
    ]
    values = {name: getattr(model, name) for name in names} | {
        "version": "copy",
        "title": "tab\there, \\. backslash, line\nend",
        "created_at": moment,
        "task_snapshot_date": date(2026, 1, 31),
    }
    bulk.insert(EvaluationSnapshot, names, [tuple(values.values())])
    copy = EvaluationSnapshot.objects.get(version="copy")
    assert {name: getattr(copy, name) for name in names} == values


@pytest.mark.parametrize(
    "changes",
    [
        {"task_id": 10**9},
        {"completed": False, "reason": ""},
        {"f_points_passed": 0},
        {"total_tokens": -1},
    ],
    ids=["no such task", "no reason", "a point is missing", "fewer tokens than none"],
)
def test_the_constraints_of_the_database_hold_and_nothing_is_left(run, changes):
    first, second, _ = run.evaluation.snapshot.tasks.all()

    with pytest.raises(IntegrityError), transaction.atomic():
        bulk.insert(
            TaskResult, COLUMNS, [row_of(run, first), row_of(run, second, **changes)]
        )
        # What waits for the commit is asked now.
        connection.check_constraints()

    assert not run.results.exists()


def test_a_second_result_of_a_task_is_refused_and_nothing_is_left(run):
    first, second, _ = run.evaluation.snapshot.tasks.all()
    bulk.insert(TaskResult, COLUMNS, [row_of(run, first)])

    with pytest.raises(IntegrityError):
        bulk.insert(TaskResult, COLUMNS, [row_of(run, second), row_of(run, first)])

    assert [result.task for result in run.results.all()] == [first]


def test_rows_come_from_a_generator_and_none_is_fine(run):
    tasks = run.evaluation.snapshot.tasks.all()

    bulk.insert(TaskResult, COLUMNS, (row_of(run, task) for task in tasks))
    bulk.insert(CheckResult, ("result_id", "f_point_id", "passed"), ())

    assert run.results.count() == 3
    assert not CheckResult.objects.exists()


def test_a_source_that_fails_half_way_leaves_nothing(run):
    def rows():
        yield row_of(run, run.evaluation.snapshot.tasks.first())
        raise OSError("the file ends here")

    with pytest.raises(OSError, match="the file ends here"):
        bulk.insert(TaskResult, COLUMNS, rows())

    assert not run.results.exists()


def test_a_field_that_the_model_does_not_have_is_named(run):
    with pytest.raises(ValueError, match="Artifact has no field 'bytes'; it has: id"):
        bulk.insert(Artifact, ("run_id", "bytes"), [(run.pk, 1)])


def test_a_default_that_looks_like_a_statement_is_a_text(run, monkeypatch):
    text = "100 %s, isn't it'); --"
    worker = TaskResult._meta.get_field("worker")
    monkeypatch.setattr(worker, "get_default", lambda: text)

    bulk.insert(
        TaskResult, COLUMNS, [row_of(run, run.evaluation.snapshot.tasks.first())]
    )

    assert TaskResult.objects.get().worker == text


def test_many_rows_cost_one_statement(run, django_assert_num_queries):
    tasks = list(run.evaluation.snapshot.tasks.all())
    runs = [RunFactory(evaluation=run.evaluation) for _ in range(20)]
    rows = [row_of(each, task) for each in runs for task in tasks]

    # A savepoint around it, as in every test.
    with django_assert_num_queries(3):
        bulk.insert(TaskResult, COLUMNS, rows)
