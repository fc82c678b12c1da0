"""The end of a job, a run and an evaluation: once, complete, and never too early."""

from __future__ import annotations

import logging

import pytest

from evaluator import closing, queue, services
from evaluator.errors import NotPossibleError
from evaluator.models import INFRA_BUDGET, Job, JobState
from evaluator.queue import LeaseLostError, ModelOutcome
from evaluator.verdicts import FailReason, InfraReason, Trouble
from leaderboard.models import Artifact, CheckResult, ScopeTotals, TaskResult
from leaderboard.recount import differences
from tests.evaluator.jobs import completed, make_jobs, report, score, take

pytestmark = pytest.mark.django_db


def totals() -> list[dict[str, object]]:
    fields = ("run", "scope", "task_count", "completed_by_run", "final_build_count")
    return list(ScopeTotals.objects.order_by("run", "scope").values(*fields))


def test_a_scored_job_leaves_one_result_with_every_f_point():
    job = make_jobs(task_count=2).jobs.first()

    score(job, fully=True)

    result = TaskResult.objects.get()
    assert (result.completed, result.reason, result.f_points_passed) == (True, "", 1)
    assert CheckResult.objects.get().passed


def test_the_last_job_closes_the_run_and_the_last_run_the_evaluation():
    evaluation = make_jobs(task_count=2, run_count=2)
    ends = []
    for job in evaluation.jobs.all():
        score(job, fully=True)
        evaluation.refresh_from_db()
        ends.append(
            (
                evaluation.runs.filter(finished_at__isnull=False).count(),
                evaluation.scored_at is not None,
            )
        )

    assert ends == [(0, False), (1, False), (1, False), (2, True)]
    assert not list(differences(evaluation))
    summary = evaluation.totals.get(run=None, scope="overall")
    assert summary.completed_by_run == [2, 2]


def test_closing_twice_changes_nothing():
    evaluation = make_jobs(task_count=2)
    for job in evaluation.jobs.all():
        score(job)
    evaluation.refresh_from_db()
    before = totals(), evaluation.scored_at, evaluation.runs.get().finished_at

    assert closing.close_run(evaluation.runs.get().pk)
    assert closing.close_evaluation(evaluation.pk)
    closing.close_left_open()

    evaluation.refresh_from_db()
    assert (
        totals(),
        evaluation.scored_at,
        evaluation.runs.get().finished_at,
    ) == before


def test_what_a_dying_worker_left_open_is_closed(monkeypatch):
    evaluation = make_jobs()
    with monkeypatch.context() as patch:
        patch.setattr(closing, "close_run", lambda run_id: False)
        score(evaluation.jobs.get())
    assert evaluation.runs.filter(finished_at=None).exists()

    closing.close_left_open()

    evaluation.refresh_from_db()
    assert evaluation.scored_at is not None


def test_a_run_stays_open_while_a_task_of_the_snapshot_has_no_result():
    evaluation = make_jobs(task_count=2)
    first, second = evaluation.jobs.all()
    second.delete()

    score(first)
    closing.close_left_open()

    assert evaluation.runs.get().finished_at is None
    assert TaskResult.objects.count() == 1
    assert not ScopeTotals.objects.exists()


def test_a_report_stands_though_the_totals_cannot_be_written(monkeypatch, caplog):
    evaluation = make_jobs()
    evaluation.snapshot.scopes.all().delete()

    with caplog.at_level(logging.ERROR):
        score(evaluation.jobs.get())

    assert TaskResult.objects.count() == 1
    assert evaluation.runs.get().finished_at is None
    assert "cannot be closed" in caplog.text


def test_a_report_without_the_lease_leaves_no_result_and_no_artifact():
    job = make_jobs().jobs.get()
    lease = take(job)
    queue.give_back(lease)

    with pytest.raises(LeaseLostError):
        report(lease, completed(job))

    assert not TaskResult.objects.exists()
    assert not Artifact.objects.exists()
    job.refresh_from_db()
    assert job.state == JobState.QUEUED


def test_trouble_of_ours_leaves_no_result_and_keeps_the_run_open():
    evaluation = make_jobs()
    job = evaluation.jobs.get()
    for number in range(INFRA_BUDGET):
        Job.objects.update(available_at=job.created_at)
        report(take(job, f"host-{number}:1"), Trouble(InfraReason.HDC, "gone"))

    closing.close_left_open()

    job.refresh_from_db()
    assert job.state == JobState.INFRA_EXHAUSTED
    assert not TaskResult.objects.exists()
    assert evaluation.runs.get().finished_at is None


@pytest.mark.parametrize("state", set(JobState) - {JobState.SCORED})
def test_nothing_is_published_while_a_job_is_open(state, maintainer):
    evaluation = make_jobs(task_count=2)
    first, last = evaluation.jobs.all()
    score(first)
    if state == JobState.LEASED:
        take(last)
    else:
        Job.objects.filter(pk=last.pk).update(state=state)

    with pytest.raises(NotPossibleError, match="1 task run is not scored yet"):
        services.publish_evaluation(evaluation, by=maintainer)


def test_nothing_is_published_when_a_job_is_missing(maintainer):
    evaluation = make_jobs(task_count=2)
    first, second = evaluation.jobs.all()
    second.delete()
    score(first)

    with pytest.raises(NotPossibleError):
        services.publish_evaluation(evaluation, by=maintainer)


def test_a_result_that_contradicts_its_facts_is_not_recorded():
    job = make_jobs().jobs.get()
    lease = take(job)

    with pytest.raises(Exception, match="says 'completed'"):
        report(lease, ModelOutcome(None, facts={"final_build_ok": False}))

    job.refresh_from_db()
    assert job.state == JobState.LEASED
    assert report(lease, ModelOutcome(FailReason.BUILD_FAILED)).state == "scored"
