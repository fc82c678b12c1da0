"""Task runs that our own trouble stopped: run again by a person, with a reason."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.utils import timezone

from evaluator import queue, reruns, services
from evaluator.errors import NotPossibleError
from evaluator.models import INFRA_BUDGET, Attempt, Job, JobState
from evaluator.verdicts import InfraReason, Trouble
from leaderboard.models import AuditEvent, Evaluation
from tests.evaluator.jobs import make_jobs

pytestmark = pytest.mark.django_db


def exhaust(job: Job) -> None:
    """Let a job meet trouble of ours until its budget is used up."""
    for number in range(INFRA_BUDGET):
        Job.objects.filter(pk=job.pk).update(available_at=timezone.now())
        lease = queue.claim(
            job.pk, owner=f"host-{number}:1", pools=[job.pool], isolated=True
        )
        queue.finish(lease, Trouble(InfraReason.DEVICE_LOST, "the device went away"))
    job.refresh_from_db()
    assert job.state == JobState.INFRA_EXHAUSTED


@pytest.fixture
def stuck() -> Evaluation:
    """Two runs of two tasks; the first task of both runs is stuck."""
    evaluation = make_jobs(task_count=2, run_count=2)
    first = evaluation.snapshot.tasks.first()
    for job in Job.objects.filter(task=first):
        exhaust(job)
    return evaluation


def states(evaluation: Evaluation) -> list[str]:
    return sorted(evaluation.jobs.values_list("state", flat=True))


def test_all_stuck_task_runs_are_queued_again(stuck, maintainer):
    found = reruns.requeue(stuck, by=maintainer, reason="the device is back")

    assert len(found) == 2
    assert states(stuck) == ["queued"] * 4
    job = Job.objects.get(pk=found[0].pk)
    assert (job.infra_left, job.reason, job.detail) == (INFRA_BUDGET, "", "")


def test_one_task_run_can_be_queued_again_alone(stuck, maintainer):
    slug = stuck.snapshot.tasks.first().slug

    found = reruns.requeue(stuck, by=maintainer, reason="checked", task=slug, run=2)

    assert [(job.task.slug, job.run.number) for job in found] == [(slug, 2)]
    assert states(stuck) == ["infra_exhausted", "queued", "queued", "queued"]


def test_the_old_attempts_stay(stuck, maintainer):
    before = list(Attempt.objects.values("pk", "outcome", "reason", "ended_at"))

    reruns.requeue(stuck, by=maintainer, reason="again")

    assert len(before) == 2 * INFRA_BUDGET
    assert list(Attempt.objects.values("pk", "outcome", "reason", "ended_at")) == before


def test_the_act_is_on_record_with_who_and_why(stuck, maintainer):
    reruns.requeue(stuck, by=maintainer, reason="the device is back")

    event = AuditEvent.objects.about(stuck).get()
    assert (event.act, event.actor, event.reason) == (
        "requeue",
        maintainer,
        "the device is back",
    )
    assert len(event.before["task_runs"]) == 2
    assert "device_lost" in event.before["task_runs"][0]
    job = stuck.jobs.first()
    assert job.events.last().actor == str(maintainer)
    assert job.events.last().note == "the device is back"


@pytest.mark.parametrize("reason", ["", "   "])
def test_no_reason_is_no_rerun(reason, stuck, maintainer):
    with pytest.raises(NotPossibleError, match="Give a reason"):
        reruns.requeue(stuck, by=maintainer, reason=reason)

    assert states(stuck) == ["infra_exhausted"] * 2 + ["queued"] * 2
    assert not AuditEvent.objects.exists()


def test_a_task_run_that_is_not_stuck_cannot_be_run_again(stuck, maintainer):
    other = stuck.snapshot.tasks.last().slug

    with pytest.raises(NotPossibleError, match=r"These do: run 1, .*device_lost"):
        reruns.requeue(stuck, by=maintainer, reason="x", task=other, run=1)

    assert not AuditEvent.objects.exists()


def test_nothing_stuck_is_said(maintainer):
    with pytest.raises(NotPossibleError, match="No task run waits for a re-run"):
        reruns.requeue(make_jobs(), by=maintainer, reason="x")


def test_a_quarantined_job_can_be_run_again_by_a_person(maintainer):
    evaluation = make_jobs()
    Job.objects.update(state=JobState.QUARANTINED, reason=InfraReason.WORKER_LOST)

    reruns.requeue(evaluation, by=maintainer, reason="looked at it")

    assert states(evaluation) == ["queued"]


def test_a_stuck_job_is_never_taken_up_without_a_person(stuck):
    later = timezone.now() + timedelta(days=30)

    assert queue.reap(later) == []
    assert states(stuck).count("infra_exhausted") == 2


def test_publication_is_refused_and_names_what_must_be_run_again(stuck, maintainer):
    slug = stuck.snapshot.tasks.first().slug

    with pytest.raises(NotPossibleError) as refused:
        services.publish_evaluation(stuck, by=maintainer)

    text = str(refused.value)
    assert "4 task runs are not scored yet" in text
    assert f"run 1, {slug} (infra_exhausted: device_lost)" in text
    assert f"run 2, {slug} (infra_exhausted: device_lost)" in text


def test_a_long_list_is_cut_and_counted(maintainer):
    evaluation = make_jobs(task_count=7, run_count=2)
    Job.objects.update(state=JobState.INFRA_EXHAUSTED, reason=InfraReason.DISK_FULL)

    with pytest.raises(NotPossibleError, match=r"; \+4\."):
        services.publish_evaluation(evaluation, by=maintainer)
