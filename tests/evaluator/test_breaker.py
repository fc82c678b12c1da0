"""A pool in trouble is paused before it uses up the budgets of its jobs."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone

from evaluator import breaker, devices, queue
from evaluator.breaker import LEAST_ATTEMPTS, MOST_TROUBLED, WINDOW
from evaluator.errors import NotPossibleError
from evaluator.models import INFRA_BUDGET, Attempt, Job, JobState, PoolPause
from evaluator.queue import ModelOutcome, Passed
from evaluator.verdicts import FailReason, InfraReason, Trouble
from leaderboard.models import AuditEvent
from tests.evaluator.jobs import POOLS, make_jobs, take

pytestmark = pytest.mark.django_db

GONE = Trouble(InfraReason.HDC, "no answer")


@pytest.fixture
def job() -> Job:
    return make_jobs().jobs.get()


def remember(job: Job, troubled: int, well: int, *, reason=InfraReason.HDC) -> None:
    """Attempts of the job's pool that ended an hour ago: first the troubled ones."""
    ended = timezone.now() - timedelta(hours=1)
    outcomes = ["infrastructure"] * troubled + ["passed"] * well
    Attempt.objects.bulk_create(
        Attempt(
            job=job,
            stage="agent",
            fence=1000 + number,
            pool=job.pool,
            worker="h:1",
            started_at=ended,
            ended_at=ended + timedelta(seconds=number),
            outcome=outcome,
            reason=reason if outcome == "infrastructure" else "",
        )
        for number, outcome in enumerate(outcomes)
    )


def meet_trouble(job: Job, trouble: Trouble = GONE) -> Job:
    return queue.finish(take(job), trouble)


def test_a_fifth_of_the_last_attempts_is_tolerated(job):
    remember(job, MOST_TROUBLED - 1, WINDOW - MOST_TROUBLED)

    after = meet_trouble(job)

    assert after.infra_left == INFRA_BUDGET - 1
    assert not breaker.is_paused(job.pool)


def test_more_than_a_fifth_pauses_the_pool_and_costs_the_job_nothing(job):
    remember(job, MOST_TROUBLED, WINDOW - MOST_TROUBLED - 1)

    after = meet_trouble(job)

    assert (after.state, after.infra_left) == ("queued", INFRA_BUDGET)
    pause = breaker.open_pauses().get()
    assert (pause.pool, pause.by_hand) == ("agent", False)
    assert pause.reason == "6 of the last 25 attempts: our trouble"
    event = AuditEvent.objects.get()
    assert (event.act, event.subject, event.actor) == (
        "pause pool",
        "pool agent",
        None,
    )


def test_trouble_that_lies_further_back_does_not_count(job):
    remember(job, WINDOW, WINDOW)

    meet_trouble(job)

    assert not breaker.is_paused(job.pool)


def test_a_few_attempts_say_little(job):
    remember(job, LEAST_ATTEMPTS - 2, 0)
    meet_trouble(job)
    assert not breaker.is_paused(job.pool)

    Job.objects.update(available_at=job.created_at)
    meet_trouble(job)
    assert breaker.is_paused(job.pool)


@pytest.mark.parametrize(
    "reason", [InfraReason.NOT_SIMULATED, InfraReason.CHECK_BROKEN]
)
def test_trouble_of_one_task_or_submission_is_not_the_pools(reason, job):
    remember(job, WINDOW, 0, reason=reason)

    assert meet_trouble(job, Trouble(reason, "x")).infra_left == INFRA_BUDGET - 1
    assert not breaker.is_paused(job.pool)


def test_leases_given_back_are_no_trouble(job):
    remember(job, 0, LEAST_ATTEMPTS)
    for _ in range(WINDOW):
        queue.give_back(take(job))

    meet_trouble(job)

    assert not breaker.is_paused(job.pool)


def test_another_pools_trouble_does_not_count(job):
    remember(job, WINDOW, 0)
    Attempt.objects.update(pool="build")

    meet_trouble(job)

    assert not breaker.open_pauses().exists()


def test_nobody_claims_from_a_paused_pool(job):
    breaker.pause("agent", reason="maintenance")

    assert queue.claim(job.pk, owner="h:1", pools=POOLS, isolated=True) is None
    assert queue.claim_next(owner="h:1", pools=POOLS, isolated=True) is None
    assert queue.queued_ids(9) == []


def test_other_pools_go_on(job):
    breaker.pause("build", reason="maintenance")

    assert take(job)


def test_running_leases_of_a_paused_pool_end_as_ever_and_pay_nothing(job):
    other = make_jobs().jobs.get()
    leases = [take(job), take(other)]
    breaker.pause("agent", reason="maintenance")

    assert queue.finish(leases[0], Passed()).stage == "diff"
    after = queue.finish(leases[1], GONE)

    assert (after.state, after.infra_left) == ("queued", INFRA_BUDGET)


def test_no_job_is_exhausted_however_long_a_broken_pool_is_tried(settings):
    settings.OHB_BACKOFF_FACTOR = 0.0
    evaluation = make_jobs(task_count=8)

    for number in range(100):
        lease = queue.claim_next(owner=f"h{number}:1", pools=POOLS, isolated=True)
        if lease is None:
            break
        queue.finish(lease, GONE)

    assert breaker.is_paused("agent")
    exhausted = evaluation.jobs.filter(state=JobState.INFRA_EXHAUSTED).count()
    assert exhausted <= LEAST_ATTEMPTS // INFRA_BUDGET
    assert Attempt.objects.count() == LEAST_ATTEMPTS


def test_a_lifted_pause_begins_a_new_count(job):
    remember(job, WINDOW, 0)
    meet_trouble(job)
    breaker.resume("agent", reason="cable replaced")
    Job.objects.update(available_at=job.created_at)

    assert meet_trouble(job).infra_left == INFRA_BUDGET - 1
    assert not breaker.is_paused("agent")


def test_a_person_lifts_a_pause_with_a_reason_on_record(job, maintainer):
    breaker.pause("agent", reason="cable", by=maintainer)
    breaker.resume("agent", reason="cable replaced", by=maintainer)

    assert take(job)
    pause = PoolPause.objects.get()
    assert pause.lifted_at is not None
    assert pause.lifted_reason == "cable replaced"
    acts = list(AuditEvent.objects.values_list("act", "reason", "actor"))
    assert acts == [
        ("resume pool", "cable replaced", maintainer.pk),
        ("pause pool", "cable", maintainer.pk),
    ]


@pytest.mark.parametrize("act", [breaker.pause, breaker.resume])
@pytest.mark.parametrize("reason", ["", "  "])
def test_no_reason_is_no_act(act, reason):
    with pytest.raises(NotPossibleError, match="stays on record"):
        act("agent", reason=reason)


def test_what_is_paused_is_named_when_another_pool_is_to_go_on():
    breaker.pause("agent", reason="cable")

    with pytest.raises(NotPossibleError, match="Paused pools: agent"):
        breaker.resume("build", reason="x")
    with pytest.raises(NotPossibleError, match="paused already"):
        breaker.pause("agent", reason="x")


# Canaries


def paused(*, minutes: int, by_hand: bool = False) -> PoolPause:
    since = timezone.now() - timedelta(minutes=minutes)
    return PoolPause.objects.create(
        pool="agent", since=since, reason="trouble", by_hand=by_hand
    )


def test_a_canary_is_due_after_a_minute_and_then_every_ten():
    pause = paused(minutes=0)
    assert breaker.take_canary(POOLS) is None
    PoolPause.objects.update(since=pause.since - timedelta(minutes=1))

    assert breaker.take_canary(["build"]) is None
    assert breaker.take_canary(POOLS) == "agent"
    assert breaker.take_canary(POOLS) is None
    PoolPause.objects.update(canary_at=timezone.now() - timedelta(minutes=10))
    assert breaker.take_canary(POOLS) == "agent"


def test_no_canary_lifts_a_pause_that_a_person_made():
    paused(minutes=60, by_hand=True)

    assert breaker.take_canary(POOLS) is None


# Commands


def test_the_commands_pause_and_resume(capsys):
    call_command("pause_pool", "agent", "--reason", "maintenance")
    assert breaker.is_paused("agent")

    call_command("resume_pool", "agent", "--reason", "done")
    assert not breaker.is_paused("agent")
    assert "goes on" in capsys.readouterr().out


def test_the_commands_say_what_is_wrong():
    with pytest.raises(CommandError, match=r"not paused\. Paused pools: none"):
        call_command("resume_pool", "agent", "--reason", "x")
    with pytest.raises(CommandError, match="stays on record"):
        call_command("pause_pool", "agent", "--reason", " ")
    with pytest.raises(CommandError, match="Suspect devices: D1"):
        devices.suspect("D1", reason="x")
        call_command("clear_device", "D2", "--reason", "x")


def test_a_device_is_cleared_by_a_person_with_a_reason_on_record():
    devices.suspect("D1", reason="control run failed")
    devices.suspect("D1", reason="again")

    call_command("clear_device", "D1", "--reason", "new cable")

    assert devices.suspicion_of("D1") is None
    acts = AuditEvent.objects.order_by("pk").values_list("act", "subject", "reason")
    assert list(acts) == [
        ("suspect device", "device D1", "control run failed"),
        ("clear device", "device D1", "new cable"),
    ]


def test_the_device_of_a_silent_worker_is_suspect_unless_it_was_simulated():
    evaluation = make_jobs(task_count=2)
    for job, simulated in zip(evaluation.jobs.all(), (False, True), strict=True):
        evaluation.simulated = simulated
        evaluation.save()
        take(job)
        job.refresh_from_db()
        devices.hold(job, f"D-{simulated}")
        Job.objects.filter(pk=job.pk).update(lease_until=job.created_at)
        queue.reap()

    assert [each.serial for each in devices.open_suspicions()] == ["D-False"]


def test_a_model_outcome_says_nothing_against_a_pool(job):
    remember(job, MOST_TROUBLED, WINDOW - MOST_TROUBLED)

    queue.finish(take(job), ModelOutcome(FailReason.BUILD_FAILED))

    assert not breaker.is_paused("agent")
