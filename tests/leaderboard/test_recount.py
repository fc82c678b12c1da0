"""Stored totals are what the rows give, however the rows came in and were counted."""

from __future__ import annotations

from collections.abc import Iterable

import pytest
from django.db import transaction
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from leaderboard import bulk
from leaderboard.counting import Figures
from leaderboard.models import Run, ScopeTotals, TaskResult
from leaderboard.overrulings import overrule
from leaderboard.recount import differences
from leaderboard.totals import write_run_totals, write_summary
from tests.factories import EvaluationFactory, TaskFactory, UserFactory

pytestmark = pytest.mark.django_db

SOURCES = ("new-feature", "spec-driven", "bug-fix")
COLUMNS = (
    *("run_id", "task_id", "completed", "reason", "first_build_ok", "final_build_ok"),
    *("total_tokens", "agent_milliseconds", "f_points_passed", "f_point_count"),
)
# One task run: completed, first build, final build, tokens, milliseconds.
OUTCOMES = st.tuples(
    st.booleans(),
    st.none() | st.booleans(),
    st.booleans(),
    st.none() | st.integers(0, 10**12),
    st.none() | st.integers(0, 10**10),
)
# Evaluations of two runs over tasks of the three sources.
EVALUATIONS = st.lists(
    st.lists(st.tuples(OUTCOMES, OUTCOMES), min_size=3, max_size=5),
    min_size=1,
    max_size=3,
)


def measured(outcomes: Iterable[tuple]):
    """A private evaluation with these outcomes, by task and then by run."""
    evaluation = EvaluationFactory(
        snapshot__task_count=0, snapshot__run_count=2, run_count=2
    )
    tasks = [
        TaskFactory(
            snapshot=evaluation.snapshot, source=SOURCES[place % 3], position=place
        )
        for place in range(len(outcomes))
    ]
    for number in (1, 2):
        run = Run.objects.create(evaluation=evaluation, number=number)
        bulk.insert(
            TaskResult,
            COLUMNS,
            (
                _row(run, task, *by_run[number - 1])
                for task, by_run in zip(tasks, outcomes, strict=True)
            ),
        )
        write_run_totals(run)
    write_summary(evaluation)
    return evaluation


def _row(run, task, completed, first, final, tokens, milliseconds):
    return (
        *(run.pk, task.pk, completed, "" if completed else "check_failed"),
        *(first, final or completed, tokens, milliseconds, int(completed), 1),
    )


def counted_by_hand(results: list[TaskResult], *, run_count: int) -> Figures:
    """The figures of some results, with nothing but Python."""

    def total(values):
        values = list(values)
        return None if None in values else sum(values)

    numbers = sorted({result.run.number for result in results})
    return Figures(
        task_count=len(results) // run_count,
        run_count=run_count,
        completed_count=sum(result.counts for result in results),
        completed_by_run=[
            sum(each.counts for each in results if each.run.number == number)
            for number in numbers
        ],
        first_build_count=total(each.first_build_ok for each in results),
        final_build_count=sum(each.final_build_ok for each in results),
        total_tokens=total(each.total_tokens for each in results),
        agent_milliseconds=total(each.agent_milliseconds for each in results),
    )


def stored_figures(totals: ScopeTotals) -> Figures:
    return Figures(*(getattr(totals, field) for field in Figures._fields))


@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(evaluations=EVALUATIONS, data=st.data())
def test_totals_written_run_by_run_are_what_all_rows_together_give(
    db, evaluations, data
):
    with transaction.atomic():
        made = [measured(outcomes) for outcomes in evaluations]
        completed = list(TaskResult.objects.filter(completed=True).order_by("pk"))
        if completed and data.draw(st.booleans(), "overrule"):
            overrule(
                data.draw(st.sampled_from(completed), "result"),
                proposed_by=UserFactory(),
                confirmed_by=UserFactory(),
                reason="It was not the model's work.",
            )

        assert list(differences()) == []
        for evaluation in made:
            assert list(differences(evaluation)) == []
            results = list(
                TaskResult.objects.filter(run__evaluation=evaluation).select_related(
                    "run", "task", "overruling"
                )
            )
            for totals in evaluation.totals.select_related("run"):
                rows = [
                    each
                    for each in results
                    if totals.run_id in (None, each.run_id)
                    and totals.scope in ("overall", each.task.source)
                ]
                run_count = 2 if totals.run_id is None else 1
                by_hand = counted_by_hand(rows, run_count=run_count)
                assert stored_figures(totals) == by_hand
        transaction.set_rollback(True)


@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(evaluations=EVALUATIONS, data=st.data())
def test_every_stored_figure_that_is_off_is_named_and_no_other(db, evaluations, data):
    with transaction.atomic():
        for outcomes in evaluations:
            measured(outcomes)
        row = data.draw(
            st.sampled_from(list(ScopeTotals.objects.order_by("pk"))), "totals"
        )
        field = data.draw(
            st.sampled_from(["first_build_count", "total_tokens", "agent_milliseconds"])
        )
        right = getattr(row, field)
        setattr(row, field, 1 if right is None else right + 1)
        row.save()

        found = {
            (each.evaluation, each.field, each.stored, each.computed)
            for each in differences()
            if "together" not in each.place
        }

        assert found == {(row.evaluation_id, field, getattr(row, field), right)}
        transaction.set_rollback(True)


def test_all_evaluations_are_compared_in_a_fixed_number_of_queries(
    django_assert_num_queries,
):
    one = [((True, True, True, 1, 1), (False, None, True, 1, 1))] * 3
    measured(one)
    # Stored totals, runs, counts, verdicts of maintainers, denominators, evaluations.
    with django_assert_num_queries(7):
        assert list(differences()) == []

    for _ in range(4):
        measured(one)
    with django_assert_num_queries(7):
        assert list(differences()) == []
