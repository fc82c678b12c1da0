"""Stuck task runs that a maintainer leaves incomplete, where the policy allows it."""

from __future__ import annotations

from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from evaluator import queue, services
from evaluator.errors import NotPossibleError
from evaluator.models import Job, JobState
from leaderboard.models import AuditEvent, Benchmark, Evaluation, ScoringPolicy
from tests.evaluator.jobs import make_jobs, score

pytestmark = pytest.mark.django_db


def with_stuck(stuck_count: int, *, scored_count: int) -> Evaluation:
    """Two runs of two tasks by pass rate; the first task's task runs come first."""
    evaluation = make_jobs(task_count=2, run_count=2)
    Benchmark.objects.update(policy=ScoringPolicy.PASS_AND_COMPLETION)
    jobs = list(Job.objects.order_by("task__position", "run__number"))
    for job in jobs[:stuck_count]:
        get_stuck(job)
    for job in jobs[stuck_count : stuck_count + scored_count]:
        score(job, fully=True)
    return Evaluation.objects.get(pk=evaluation.pk)


@pytest.fixture
def stuck() -> Evaluation:
    """One task run is stuck, the rest is scored."""
    return with_stuck(1, scored_count=3)


def get_stuck(job: Job) -> None:
    Job.objects.filter(pk=job.pk).update(
        state=JobState.INFRA_EXHAUSTED, infra_left=0, reason="disk_full"
    )


def test_the_rest_is_scored_and_can_be_published(stuck, maintainer):
    with pytest.raises(NotPossibleError, match="not scored yet"):
        services.publish_evaluation(stuck, by=maintainer)

    assert services.leave_incomplete(stuck, by=maintainer, reason="device broke") == 1

    (found,) = stuck.pass_totals.filter(stream=None)
    assert (found.perfect_count, found.finished_count, found.incomplete_count) == (
        3,
        3,
        1,
    )
    assert queue.counts(stuck)[JobState.CANCELLED] == 1
    services.publish_evaluation(stuck, by=maintainer)
    assert stuck.is_public
    act = AuditEvent.objects.about(stuck).public().last()
    assert (act.act, act.reason) == ("leave incomplete", "device broke")


def test_it_is_refused_by_task_completion(stuck, maintainer):
    Benchmark.objects.update(policy=ScoringPolicy.TASK_COMPLETION)

    with pytest.raises(NotPossibleError, match="every task run counts"):
        services.leave_incomplete(stuck, by=maintainer, reason="x")


def test_a_task_without_any_result_cannot_be_left(maintainer):
    evaluation = with_stuck(2, scored_count=2)
    slug = evaluation.snapshot.tasks.first().slug

    with pytest.raises(NotPossibleError, match=slug):
        services.leave_incomplete(evaluation, by=maintainer, reason="x")


def test_nothing_is_left_while_something_still_runs(maintainer):
    evaluation = with_stuck(1, scored_count=2)

    with pytest.raises(NotPossibleError, match="not scored yet"):
        services.leave_incomplete(evaluation, by=maintainer, reason="x")


def test_the_command_says_how_many(stuck, maintainer):
    out = StringIO()
    with pytest.raises(CommandError, match="Give a reason"):
        call_command(
            "leave_incomplete", str(stuck.pk), reason=" ", user=maintainer.username
        )

    call_command(
        "leave_incomplete",
        str(stuck.pk),
        reason="device broke",
        user=maintainer.username,
        stdout=out,
    )

    assert out.getvalue() == f"evaluation {stuck.pk}: 1 task runs incomplete\n"
