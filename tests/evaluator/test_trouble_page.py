"""Trouble of ours stands on a page of its own, apart from every outcome."""

from __future__ import annotations

import pytest
from django.urls import reverse

from tests.evaluator.jobs import make_jobs
from tests.evaluator.test_attempt_pages import attempts_url, meet_trouble
from tests.evaluator.test_status import text_of
from tests.factories import TaskResultFactory

pytestmark = pytest.mark.django_db


@pytest.fixture
def evaluation():
    return make_jobs()


def page_of(evaluation):
    return reverse("evaluation-trouble", args=[evaluation.pk])


def test_repeated_attempts_are_counted_by_reason_and_task_run(
    client, maintainer, evaluation
):
    client.force_login(maintainer)
    job = evaluation.jobs.get()
    meet_trouble(job)

    response = client.get(page_of(evaluation))

    text = text_of(response)
    for part in ("Device lost", "Agent", "1 / 1", job.task.slug):
        assert part in text
    assert attempts_url(job) in response.content.decode()


def test_without_trouble_the_page_says_so(client, maintainer, evaluation):
    client.force_login(maintainer)

    assert "Nothing was repeated" in text_of(client.get(page_of(evaluation)))


def test_the_evaluation_page_leads_there(client, maintainer, evaluation):
    client.force_login(maintainer)
    TaskResultFactory(run=evaluation.runs.first())

    html = client.get(evaluation.get_absolute_url()).content.decode()

    assert page_of(evaluation) in html


def test_the_page_costs_the_same_for_any_number_of_task_runs(
    client, maintainer, django_assert_max_num_queries
):
    client.force_login(maintainer)
    evaluation = make_jobs(task_count=5)
    for job in evaluation.jobs.all():
        meet_trouble(job)

    # Session and user besides.
    with django_assert_max_num_queries(6):
        assert client.get(page_of(evaluation)).status_code == 200
