from __future__ import annotations

from datetime import timedelta

import pytest
from django.utils import timezone

from evaluator.models import Attempt, AttemptOutcome, Job, Stage
from evaluator.stage_times import stage_times
from tests.evaluator.jobs import make_jobs

pytestmark = pytest.mark.django_db


def add(job: Job, seconds: float, *, stage: Stage = Stage.CHECKS, accepted=True):
    now = timezone.now()
    return Attempt.objects.create(
        job=job,
        stage=stage,
        fence=job.attempts.count() + 1,
        worker="host:1",
        started_at=now - timedelta(seconds=seconds),
        ended_at=now,
        outcome=AttemptOutcome.PASSED if accepted else AttemptOutcome.LOST,
        accepted=accepted,
    )


@pytest.mark.parametrize(
    ("took", "median", "ninetieth"),
    [
        ([7], 7, 7),
        ([3, 1], 1, 3),
        ([5, 1, 3], 3, 5),
        ([1, 2, 3, 4, 5, 6, 7, 8, 9, 10], 5, 9),
        ([2] * 9 + [30], 2, 2),
        ([2] * 8 + [30, 40], 2, 30),
        (list(range(1, 22)), 11, 19),
    ],
)
def test_percentiles_are_the_rows_at_their_place(took, median, ninetieth):
    jobs = Job.objects.filter(evaluation=make_jobs(task_count=len(took)))
    for job, seconds in zip(jobs, took, strict=True):
        add(job, seconds)

    found = stage_times(Attempt.objects.all())[Stage.CHECKS]

    assert found.count == len(took)
    assert found.median == timedelta(seconds=median)
    assert found.ninetieth == timedelta(seconds=ninetieth)


def test_stages_are_counted_apart_in_one_query(django_assert_num_queries):
    for job in Job.objects.filter(evaluation=make_jobs(task_count=3)):
        add(job, 10, stage=Stage.BUILD_FIRST)
        add(job, 60)

    with django_assert_num_queries(1):
        found = stage_times(Attempt.objects.all())

    assert {stage: each.median.seconds for stage, each in found.items()} == {
        Stage.BUILD_FIRST: 10,
        Stage.CHECKS: 60,
    }


def test_attempts_that_were_not_accepted_do_not_count():
    job = make_jobs().jobs.get()
    add(job, 500, accepted=False)
    assert stage_times(Attempt.objects.all()) == {}

    add(job, 5)
    assert stage_times(Attempt.objects.all())[Stage.CHECKS].median.seconds == 5
