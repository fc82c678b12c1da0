"""A completed task run that maintainers overrule counts 0, beside the raw verdict."""

from __future__ import annotations

import pytest
from django.db import IntegrityError, connection, transaction
from django.forms.models import model_to_dict
from django.test.utils import CaptureQueriesContext

from leaderboard.models import ScopeTotals, TaskResult
from leaderboard.overrulings import overrule
from leaderboard.recount import differences
from leaderboard.standings import standings
from tests.factories import UserFactory, scored_evaluation

pytestmark = pytest.mark.django_db


@pytest.fixture
def evaluation():
    return scored_evaluation([[0, 1], [0, 2]], task_count=3)


@pytest.fixture
def result(evaluation) -> TaskResult:
    return TaskResult.objects.filter(run__evaluation=evaluation, completed=True)[0]


@pytest.fixture
def two(db):
    return UserFactory(is_staff=True), UserFactory(is_staff=True)


def overruled(result, two) -> None:
    first, second = two
    overrule(result, proposed_by=first, confirmed_by=second, reason="a copied answer")


def overall(evaluation, run=None) -> ScopeTotals:
    return evaluation.totals.get(scope="overall", run=run)


def test_it_counts_0_and_stays_in_the_denominator(evaluation, result, two):
    assert overall(evaluation).completed_count == 4

    overruled(result, two)

    totals = overall(evaluation)
    assert (totals.completed_count, totals.completed_by_run) == (3, [1, 2])
    assert (totals.task_count, totals.run_count) == (3, 2)
    assert overall(evaluation, run=result.run).completed_count == 1
    assert totals.final_build_count == 6
    (row,) = standings(evaluation.snapshot).rows
    assert row.in_scope.completed_count == 3


def test_the_raw_verdict_stays_as_it_is(result, two):
    before = model_to_dict(result)

    overruled(result, two)

    found = TaskResult.objects.get(pk=result.pk)
    assert model_to_dict(found) == before
    assert found.completed
    assert not found.counts


def test_recounting_from_the_rows_gives_the_same(evaluation, result, two):
    overruled(result, two)

    assert list(differences(evaluation)) == []


def test_pages_and_api_show_both_numbers(client, evaluation, result, two):
    overruled(result, two)

    page = client.get(evaluation.get_absolute_url()).content.decode()
    assert "Completed as measured: 4; counted: 3." in page
    assert page.count("a copied answer") == 2
    assert "Overruled, counts as not completed" in page
    task_run = client.get(result.get_absolute_url()).content.decode()
    assert "Two maintainers decided that it counts 0" in task_run
    rows = client.get(f"/api/v1/runs/{result.run.pk}/results/").json()["results"]
    (found,) = [row for row in rows if row["overruled"]]
    assert found["overruled"]["reason"] == "a copied answer"
    assert found["completed"] is True


def test_a_page_of_results_asks_as_often_with_it(
    client, evaluation, result, two, django_assert_num_queries
):
    client.get(result.run.get_absolute_url())  # The first one reads the settings.
    with CaptureQueriesContext(connection) as before:
        client.get(result.run.get_absolute_url())
    overruled(result, two)

    with django_assert_num_queries(len(before)):
        client.get(result.run.get_absolute_url())


def test_the_task_and_its_matrix_count_without_it(client, evaluation, result, two):
    overruled(result, two)

    page = client.get(result.task.get_absolute_url()).content.decode()
    assert "Overruled, counts as not completed" in page


def test_one_person_is_not_two_in_the_database_either(result, two):
    first, _ = two
    with pytest.raises(IntegrityError), transaction.atomic():
        overrule(result, proposed_by=first, confirmed_by=first, reason="x")


def test_a_task_run_is_overruled_once(result, two):
    overruled(result, two)

    with pytest.raises(IntegrityError), transaction.atomic():
        overruled(result, two)
