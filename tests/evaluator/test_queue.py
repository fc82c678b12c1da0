"""Every transition of a job: who may make it, when, and what it costs."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from django.core.management.color import no_style
from django.db import DatabaseError, connection, transaction
from django.utils import timezone

from evaluator import queue
from evaluator.models import (
    INFRA_BUDGET,
    Attempt,
    AttemptOutcome,
    Job,
    JobState,
    Stage,
    Worker,
)
from evaluator.queue import Lease, LeaseLostError, ModelOutcome, Passed
from evaluator.stages import control_time, pool_of, time_limit
from evaluator.transitions import BACKOFF
from evaluator.verdicts import FailReason, InfraReason, Trouble
from tests.evaluator.jobs import make_jobs

pytestmark = pytest.mark.django_db

POOLS = ["agent", "build", "device.simulated-phone"]
GONE = Trouble(InfraReason.HDC, "no answer")


class Clock:
    def __init__(self) -> None:
        self.now = datetime(2026, 11, 30, 12, tzinfo=UTC)

    def pass_(self, **span: float) -> None:
        self.now += timedelta(**span)


@pytest.fixture
def clock(monkeypatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr(timezone, "now", lambda: clock.now)
    return clock


@pytest.fixture
def job(clock) -> Job:
    """The only job there is, queued for its first stage."""
    return make_jobs(now=clock.now).jobs.get()


def claim(job: Job, owner: str = "host-1:1", *, isolated: bool = True) -> Lease | None:
    return queue.claim(job.pk, owner=owner, pools=POOLS, isolated=isolated)


def take(job: Job, owner: str = "host-1:1") -> Lease:
    lease = claim(job, owner)
    assert lease is not None
    return lease


def put_in_stage(job: Job, stage: Stage) -> Job:
    pool = pool_of(stage, job.evaluation.snapshot.device_profile)
    Job.objects.filter(pk=job.pk).update(stage=stage, pool=pool)
    job.refresh_from_db()
    return job


def heard_of(name: str, clock: Clock, *, isolates: bool = True) -> None:
    Worker.objects.create(
        name=name,
        pools=POOLS,
        capabilities={"isolates": isolates},
        started_at=clock.now,
        seen_at=clock.now,
    )


def fail_until(job: Job, state: JobState, clock: Clock) -> None:
    """Let ``job`` meet trouble on one host after the other until it is in ``state``."""
    for number in range(INFRA_BUDGET):
        queue.finish(take(job, f"host-{number}:1"), GONE)
        clock.pass_(hours=1)
    job.refresh_from_db()
    assert job.state == state


# queued -> leased


def test_a_claim_raises_the_fence_and_records_an_attempt(job, clock):
    lease = take(job)

    job.refresh_from_db()
    attempt = job.attempts.get()
    assert (job.state, job.owner, job.fence) == ("leased", "host-1:1", 1)
    assert job.lease_until == clock.now + timedelta(seconds=90)
    assert lease.fence == attempt.fence == 1
    assert (attempt.worker, attempt.pool, attempt.outcome) == (
        "host-1:1",
        "agent",
        "running",
    )


@pytest.mark.parametrize("stage", Stage)
def test_the_deadline_of_a_lease_is_its_stages_limit_and_a_control_run(
    stage, job, clock
):
    lease = take(put_in_stage(job, stage))

    limits = [limit(stage, f_point_count=1) for limit in (time_limit, control_time)]
    assert lease.deadline == clock.now + limits[0] + limits[1]


def test_a_leased_job_is_not_to_be_had(job):
    take(job)

    assert claim(job, "host-2:1") is None
    assert job.attempts.count() == 1


def test_a_job_waits_until_it_is_available(job, clock):
    Job.objects.update(available_at=clock.now + timedelta(seconds=30))

    assert claim(job) is None
    clock.pass_(seconds=30)
    assert claim(job) is not None


def test_a_worker_gets_nothing_from_a_pool_that_is_not_its_own(job):
    assert queue.claim(job.pk, owner="h:1", pools=["build"], isolated=True) is None


def test_an_untrusted_job_goes_to_a_worker_with_a_sandbox_only(job):
    Job.objects.update(trusted=False)

    assert claim(job, isolated=False) is None
    assert claim(job, isolated=True) is not None


def test_a_trusted_job_goes_to_any_worker(job):
    assert claim(job, isolated=False) is not None


def test_the_oldest_job_comes_first(clock):
    jobs = list(make_jobs(task_count=2, now=clock.now).jobs.order_by("pk"))

    lease = queue.claim_next(owner="h:1", pools=POOLS, isolated=True)

    assert lease is not None
    assert lease.job_id == jobs[0].pk


# leased -> leased


def test_a_heartbeat_prolongs_the_lease(job, clock):
    lease = take(job)
    clock.pass_(seconds=60)

    queue.renew(lease)

    job.refresh_from_db()
    assert job.lease_until == clock.now + timedelta(seconds=90)


def test_no_heartbeat_passes_the_deadline(job, clock):
    lease = take(put_in_stage(job, Stage.DIFF))
    while clock.now < lease.deadline:
        queue.renew(lease)
        clock.pass_(seconds=20)
    queue.renew(lease)

    clock.now = lease.deadline + queue.DEADLINE_GRACE
    with pytest.raises(LeaseLostError):
        queue.renew(lease)


@pytest.mark.parametrize(
    "report",
    [
        queue.renew,
        lambda lease: queue.finish(lease, Passed()),
        lambda lease: queue.finish(lease, ModelOutcome(FailReason.BUILD_FAILED)),
        lambda lease: queue.finish(lease, GONE),
    ],
    ids=["renew", "passed", "model", "trouble"],
)
@pytest.mark.parametrize("late", [True, False], ids=["lease-over", "old-fence"])
def test_a_report_without_the_lease_is_refused_and_changes_nothing(
    report, late, job, clock
):
    lease = take(job)
    clock.pass_(seconds=90)
    if not late:
        queue.reap()
        clock.pass_(hours=1)
        take(job, "host-2:1")
    before = list(Job.objects.values()), list(Attempt.objects.values())

    with pytest.raises(LeaseLostError):
        report(lease)

    assert (list(Job.objects.values()), list(Attempt.objects.values())) == before


def test_another_worker_cannot_use_a_lease(job, clock):
    lease = take(job)
    stolen = replace(lease, owner="host-2:1")

    with pytest.raises(LeaseLostError):
        queue.finish(stolen, Passed())


# leased -> queued(next)


def test_a_stage_that_passed_queues_the_next_one_with_a_new_budget(job, clock):
    queue.finish(take(job), GONE)
    clock.pass_(minutes=5)

    after = queue.finish(take(job, "host-2:1"), Passed({"first_patch": "d1"}))

    assert (after.state, after.stage, after.pool) == ("queued", "diff", "agent")
    assert (after.infra_left, after.last_worker) == (INFRA_BUDGET, "")
    assert after.facts == {"first_patch": "d1"}
    assert after.available_at == clock.now
    assert [a.accepted for a in job.attempts.all()] == [False, True]


def test_every_stage_leads_to_the_next_one_in_its_pool(job):
    pools = []
    for stage in list(Stage)[:-1]:
        lease = take(job)
        assert lease.stage == stage
        pools.append(queue.finish(lease, Passed()).pool)

    assert pools == ["agent", "build", "agent", "build", "device.simulated-phone"]
    with pytest.raises(ValueError, match="last stage"):
        queue.finish(take(job), Passed())


# leased -> scored


@pytest.mark.parametrize("reason", FailReason)
def test_a_model_outcome_is_final_and_costs_no_budget(reason, job, clock):
    after = queue.finish(take(job), ModelOutcome(reason, "because", {"fact": 1}))

    assert (after.state, after.reason, after.detail) == ("scored", reason, "because")
    assert after.infra_left == INFRA_BUDGET
    assert after.facts["fact"] == 1
    assert job.attempts.get().outcome == AttemptOutcome.MODEL
    clock.pass_(days=1)
    assert claim(job) is None
    assert queue.reap() == []


# leased -> queued(same), infra_exhausted


def test_trouble_of_ours_waits_longer_each_time_and_then_stops(job, clock):
    waits = []
    for number in range(INFRA_BUDGET):
        after = queue.finish(take(job, f"host-{number}:1"), GONE)
        assert after.infra_left == INFRA_BUDGET - number - 1
        if after.state == JobState.QUEUED:
            waits.append(after.available_at - clock.now)
            clock.now = after.available_at

    assert after.state == JobState.INFRA_EXHAUSTED
    assert len(waits) == 2
    for wait, planned in zip(waits, BACKOFF, strict=False):
        assert planned * 0.8 <= wait <= planned * 1.2
    assert [a.outcome for a in job.attempts.all()] == ["infrastructure"] * 3
    assert not job.attempts.filter(accepted=True).exists()


def test_each_stage_has_a_budget_of_its_own(job, clock):
    for stage in (Stage.AGENT, Stage.DIFF, Stage.BUILD_FIRST):
        for _ in range(INFRA_BUDGET - 1):
            queue.finish(take(job), GONE)
            clock.pass_(hours=1)
        lease = take(job)
        assert lease.stage == stage
        assert queue.finish(lease, Passed()).infra_left == INFRA_BUDGET


@pytest.mark.parametrize("reason", set(InfraReason) - {InfraReason.DRAIN})
def test_no_trouble_of_ours_ever_scores(reason, job, clock):
    for _ in range(INFRA_BUDGET):
        after = queue.finish(take(job), Trouble(reason, "ours"))
        clock.pass_(hours=1)

    assert after.state == JobState.INFRA_EXHAUSTED
    assert (after.reason, after.detail) == (reason, "ours")


def test_a_silent_worker_costs_one_of_the_budget(job, clock):
    take(job)
    clock.pass_(seconds=89)
    assert queue.reap() == []
    clock.pass_(seconds=1)

    assert queue.reap() == [job.pk]

    job.refresh_from_db()
    assert (job.state, job.reason, job.infra_left) == ("queued", "worker_lost", 2)
    assert job.attempts.get().outcome == AttemptOutcome.LOST


def test_a_hung_stage_is_told_from_a_silent_worker(job, clock):
    lease = take(put_in_stage(job, Stage.DIFF))
    while clock.now < lease.deadline:
        queue.renew(lease)
        clock.pass_(seconds=20)
    clock.now = lease.deadline + queue.DEADLINE_GRACE

    queue.reap()

    job.refresh_from_db()
    assert (job.state, job.reason) == ("queued", "deadline")


def test_a_worker_that_stops_gives_its_lease_back_for_nothing(job, clock):
    queue.give_back(take(job))

    job.refresh_from_db()
    assert (job.state, job.infra_left, job.owner) == ("queued", INFRA_BUDGET, "")
    assert job.available_at == clock.now
    assert job.attempts.get().outcome == AttemptOutcome.DRAINED
    assert claim(job) is not None


def test_giving_back_a_lost_lease_changes_nothing(job, clock):
    lease = take(job)
    clock.pass_(hours=1)
    queue.reap()

    queue.give_back(lease)

    assert job.attempts.get().outcome == AttemptOutcome.LOST


# Who gets a job that met trouble


def test_a_troubled_job_is_left_to_a_worker_on_another_host_for_a_minute(job, clock):
    heard_of("host-1:1", clock)
    heard_of("host-2:1", clock)
    clock.now = queue.finish(take(job, "host-1:1"), GONE).available_at

    assert claim(job, "host-1:1") is None
    assert claim(job, "host-1:2") is None
    assert claim(job, "host-2:1") is not None


def test_a_troubled_job_is_left_to_another_process_of_the_only_host(job, clock):
    heard_of("host-1:1", clock)
    heard_of("host-1:2", clock)
    clock.now = queue.finish(take(job, "host-1:1"), GONE).available_at

    assert claim(job, "host-1:1") is None
    assert claim(job, "host-1:2") is not None


def test_a_troubled_job_is_not_left_to_a_worker_that_could_not_take_it(job, clock):
    Job.objects.update(trusted=False)
    heard_of("host-2:1", clock, isolates=False)
    clock.now = queue.finish(take(job, "host-1:1"), GONE).available_at

    assert claim(job, "host-1:1") is not None


def test_a_troubled_job_does_not_wait_for_workers_that_went_silent(job, clock):
    heard_of("host-2:1", clock)
    clock.pass_(minutes=3)
    clock.now = queue.finish(take(job, "host-1:1"), GONE).available_at

    assert claim(job, "host-1:1") is not None


def test_nobody_waits_longer_than_a_minute_for_another_worker(job, clock):
    heard_of("host-2:1", clock)
    clock.now = queue.finish(take(job, "host-1:1"), GONE).available_at
    clock.pass_(seconds=45)
    Worker.objects.update(seen_at=clock.now)
    assert claim(job, "host-1:1") is None

    clock.pass_(seconds=15)

    assert claim(job, "host-1:1") is not None


def test_a_worker_takes_the_jobs_first_that_had_no_trouble_with_it(clock):
    jobs = make_jobs(task_count=3, now=clock.now).jobs.order_by("pk")
    same, near, fresh = jobs
    queue.finish(take(same, "host-1:1"), GONE)
    queue.finish(take(near, "host-1:2"), GONE)
    clock.pass_(hours=1)

    order = [
        queue.claim_next(owner="host-1:1", pools=POOLS, isolated=True) for _ in range(3)
    ]

    assert [lease and lease.job_id for lease in order] == [fresh.pk, near.pk, same.pk]


# leased -> quarantined


def die_on(job: Job, owner: str, clock: Clock) -> Job:
    take(job, owner)
    clock.pass_(seconds=90)
    queue.reap()
    clock.pass_(hours=1)
    job.refresh_from_db()
    return job


def test_a_job_that_killed_workers_on_two_hosts_is_quarantined(job, clock):
    die_on(job, "host-1:1", clock)

    assert die_on(job, "host-2:1", clock).state == JobState.QUARANTINED
    assert claim(job) is None
    assert queue.reap() == []


def test_a_host_that_dies_again_and_again_quarantines_nothing(job, clock):
    for process in range(INFRA_BUDGET):
        die_on(job, f"host-1:{process}", clock)

    assert job.state == JobState.INFRA_EXHAUSTED


def test_a_job_that_lost_two_devices_is_quarantined(job, clock):
    put_in_stage(job, Stage.CHECKS)
    for serial in ("D1", "D2"):
        lease = take(job)
        job.attempts.filter(fence=lease.fence).update(device=serial)
        lost = Trouble(InfraReason.DEVICE_LOST, "unplugged")
        after = queue.finish(lease, lost)
        clock.pass_(hours=1)

    assert after.state == JobState.QUARANTINED


def test_deaths_in_another_stage_do_not_count(job, clock):
    die_on(job, "host-1:1", clock)
    queue.finish(take(job, "host-1:1"), Passed())

    assert die_on(job, "host-2:1", clock).state == JobState.QUEUED


def test_deaths_before_a_re_run_do_not_count(job, clock):
    die_on(job, "host-1:1", clock)
    die_on(job, "host-2:1", clock)
    queue.requeue(job.pk, actor="operator", reason="looked at it")

    assert die_on(job, "host-2:1", clock).state == JobState.QUEUED
    assert die_on(job, "host-1:1", clock).state == JobState.QUARANTINED


# queued/leased -> cancelled


def test_a_queued_job_is_cancelled_at_once(job):
    queue.request_cancel(job.evaluation, actor="owner")

    job.refresh_from_db()
    assert job.state == JobState.CANCELLED
    assert job.events.last().actor == "owner"
    assert claim(job) is None


@pytest.mark.parametrize(
    "state", [JobState.INFRA_EXHAUSTED, JobState.QUARANTINED], ids=str
)
def test_a_stuck_job_is_cancelled_at_once(state, job):
    Job.objects.update(state=state)

    queue.request_cancel(job.evaluation, actor="owner")

    job.refresh_from_db()
    assert job.state == JobState.CANCELLED


@pytest.mark.parametrize(
    "end",
    [
        lambda lease, clock: queue.finish(lease, Passed()),
        lambda lease, clock: queue.finish(lease, GONE),
        lambda lease, clock: queue.give_back(lease),
        lambda lease, clock: (clock.pass_(seconds=90), queue.reap()),
    ],
    ids=["passed", "trouble", "given-back", "silent"],
)
def test_a_leased_job_is_cancelled_when_its_lease_ends(end, job, clock):
    lease = take(job)
    queue.request_cancel(job.evaluation, actor="owner")
    job.refresh_from_db()
    assert job.state == JobState.LEASED
    with pytest.raises(LeaseLostError):
        queue.renew(lease)

    end(lease, clock)

    job.refresh_from_db()
    assert (job.state, job.infra_left) == ("cancelled", INFRA_BUDGET)
    assert job.attempts.get().outcome == AttemptOutcome.CANCELLED


def test_a_scored_job_is_not_cancelled(job):
    queue.finish(take(job), ModelOutcome(FailReason.NO_CHANGE))

    queue.request_cancel(job.evaluation, actor="owner")

    job.refresh_from_db()
    assert job.state == JobState.SCORED


# infra_exhausted/quarantined -> queued


def test_a_person_gives_an_exhausted_job_a_new_budget(job, clock):
    fail_until(job, JobState.INFRA_EXHAUSTED, clock)

    after = queue.requeue(job.pk, actor="operator", reason="device replaced")

    assert (after.state, after.infra_left, after.reason) == ("queued", INFRA_BUDGET, "")
    assert (job.events.last().actor, job.events.last().note) == (
        "operator",
        "device replaced",
    )
    assert job.attempts.count() == INFRA_BUDGET
    assert take(job).fence == INFRA_BUDGET + 1


@pytest.mark.parametrize(
    "state", set(JobState) - {JobState.INFRA_EXHAUSTED, JobState.QUARANTINED}
)
def test_nothing_else_is_run_again(state, job, clock):
    if state == JobState.LEASED:
        take(job)
    else:
        Job.objects.update(state=state)

    with pytest.raises(ValueError, match="not waiting for a re-run"):
        queue.requeue(job.pk, actor="operator", reason="please")


# What the database itself keeps


def refused(act) -> bool:
    try:
        with transaction.atomic():
            act()
    except DatabaseError:
        return True
    return False


def test_the_database_lets_no_fence_shrink(job):
    take(job)

    assert refused(lambda: Job.objects.update(fence=0))


@pytest.mark.parametrize("state", [JobState.SCORED, JobState.CANCELLED], ids=str)
def test_the_database_lets_no_decided_job_go_on(state, job):
    Job.objects.update(state=state)

    assert refused(lambda: Job.objects.update(state=JobState.QUEUED))


def test_the_database_lets_no_job_be_added_once_work_has_begun(job):
    evaluation = make_jobs(task_count=2)
    first, second = evaluation.jobs.all()
    queue.claim(first.pk, owner="h:1", pools=POOLS, isolated=True)
    Job.objects.filter(pk=second.pk).delete()
    second.pk = None

    assert refused(lambda: Job.objects.bulk_create([second]))


def test_the_database_lets_no_job_go_that_was_begun(job):
    take(job)

    assert refused(lambda: Job.objects.all().delete())


def test_the_database_lets_no_begun_job_go_with_all_others(job):
    """As ``manage.py flush`` does it: with TRUNCATE where there is such a thing."""
    take(job)
    emptying = connection.ops.sql_flush(
        no_style(), [Job._meta.db_table], allow_cascade=True
    )
    connection.check_constraints()  # what the inserts left to do would refuse it, too

    with pytest.raises(DatabaseError, match="never deleted"), transaction.atomic():
        connection.ops.execute_sql_flush(emptying)


def test_the_database_knows_an_owner_only_of_a_leased_job(job):
    assert refused(lambda: Job.objects.update(owner="somebody"))
    assert refused(lambda: Job.objects.update(state=JobState.LEASED))


def test_the_database_accepts_one_attempt_a_stage(job):
    queue.finish(take(job), Passed())
    again = Attempt(
        job=job,
        stage=Stage.AGENT,
        fence=9,
        worker="h:1",
        started_at=timezone.now(),
        accepted=True,
    )

    assert refused(again.save)
