"""A worker finds work by itself, within its slots, and stops when it is told."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator

import pytest
from django.db import OperationalError, connections, transaction
from django.utils import timezone

from evaluator import queue, registration, worker
from evaluator.capability import worker_sandbox
from evaluator.models import INFRA_BUDGET, Attempt, Job, JobState, PoolPause, Worker
from evaluator.patrol import Patrol
from evaluator.toolchains.base import BuildOutcome
from evaluator.verdicts import InfraReason, Trouble
from leaderboard import outbox
from leaderboard.models import OutboxMessage
from leaderboard.outbox import tell
from tests import outbox as outbox_channel
from tests.evaluator.trust.bench import Bench, import_demo
from tests.evaluator.trust.toolchains import FakeBuilder, good_toolchain

WAIT_SECONDS = 300


@pytest.fixture
def bench(committed_db, plug, settings) -> Bench:
    settings.OHB_PATROL_SECONDS = 0.05
    return Bench(import_demo())


@pytest.fixture
def patrol(bench, monkeypatch) -> Iterator[Callable[[int], Patrol]]:
    """Start a patrol with so many slots; it is stopped in the end."""
    started = []
    monkeypatch.setattr(worker, "draining", threading.Event())
    monkeypatch.setattr(registration, "_ended", threading.Event())
    monkeypatch.setattr(worker, "_slots", None)

    def start(slots: int) -> Patrol:
        patrol = Patrol(slots)
        patrol.start()
        started.append(patrol)
        return patrol

    yield start
    worker.draining.set()
    for each in started:
        each.stop()
    registration.leave()


def wait_until(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + WAIT_SECONDS
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.02)


def all_scored() -> bool:
    return not Job.objects.exclude(state=JobState.SCORED).exists()


class Counting(FakeBuilder):
    """Knows how many builds ran at the same time at most."""

    def __init__(self) -> None:
        super().__init__()
        self._lock = threading.Lock()
        self._running = self.most = 0

    def build(self, workspace, *, scratch, deadline) -> BuildOutcome:
        with self._lock:
            self._running += 1
            self.most = max(self.most, self._running)
        time.sleep(0.05)
        with self._lock:
            self._running -= 1
        return super().build(workspace, scratch=scratch, deadline=deadline)


def test_queued_jobs_are_worked_off_without_any_hint(bench, patrol):
    bench.start_changed(trusted=True)

    patrol(2)

    wait_until(all_scored)
    found = Worker.objects.get()
    assert found.name == worker.worker_name()
    assert found.capabilities["sandbox_gaps"] == list(worker_sandbox().gaps)


def test_no_more_jobs_run_than_there_are_slots_whoever_wakes_the_worker(
    bench, patrol, plug
):
    counting = Counting()
    plug.append(good_toolchain(builder=counting))
    jobs = bench.start_changed(trusted=True).evaluation.jobs
    patrol(2)

    def hint(job_id: int) -> None:
        try:
            worker.work_on(job_id, ring=False)
        finally:
            connections.close_all()

    hints = [
        threading.Thread(target=hint, args=(pk,))
        for pk in jobs.values_list("pk", flat=True)
    ]
    for thread in hints:
        thread.start()

    wait_until(all_scored)
    for thread in hints:
        thread.join()
    assert counting.most <= 2


def test_a_lease_that_ran_out_is_taken_back(bench, patrol):
    job = bench.start_changed(trusted=True)
    bench.claim(job)
    Job.objects.filter(pk=job.pk).update(lease_until=job.created_at)

    patrol(1)

    wait_until(all_scored)
    assert job.attempts.first().outcome == "lost"


def test_a_paused_pool_is_tried_with_a_canary(bench, patrol):
    job = bench.step_to(bench.start_changed(trusted=True), "build_final")
    PoolPause.objects.create(pool=job.pool, since=job.created_at, reason="trouble")

    patrol(1)

    wait_until(all_scored)
    assert PoolPause.objects.get().lifted_reason.startswith("canary: ")


def test_what_is_told_is_sent_by_the_patrol(bench, patrol, settings, monkeypatch):
    """Though nobody evaluates here, and no broker is asked."""
    settings.OHB_OUTBOX_CHANNELS = outbox_channel.CHANNELS
    receiver = outbox_channel.Receiver()
    monkeypatch.setattr(outbox_channel, "receiver", receiver)
    with transaction.atomic():
        tell("thing.done", key="thing.done/1", data={})

    patrol(1)

    wait_until(lambda: outbox.waiting() == (0, 0))
    assert len(receiver.effects) == 3


def test_a_worker_that_may_not_deliver_leaves_it_to_others(bench, patrol, settings):
    settings.OHB_OUTBOX_CHANNELS = outbox_channel.CHANNELS
    settings.OHB_DELIVER = False
    with transaction.atomic():
        tell("thing.done", key="thing.done/1", data={})
    bench.start_changed(trusted=True)

    patrol(1)

    wait_until(all_scored)
    assert set(OutboxMessage.objects.values_list("state", flat=True)) == {"waiting"}


def test_trouble_in_one_round_does_not_end_the_patrol(bench, patrol, monkeypatch):
    calls = []
    reap = queue.reap

    def away_at_first():
        calls.append(1)
        if len(calls) < 3:
            raise OperationalError("the database system is starting up")
        return reap()

    monkeypatch.setattr(queue, "reap", away_at_first)
    bench.start_changed(trusted=True)

    patrol(1)

    wait_until(all_scored)


def test_a_worker_that_is_told_to_stop_gives_its_lease_back(bench, patrol, plug):
    begun = threading.Event()

    def build(workspace, scratch) -> BuildOutcome:
        begun.set()
        worker.draining.wait(WAIT_SECONDS)
        told = Trouble(InfraReason.DRAIN, "told to stop")
        return BuildOutcome(False, None, b"", trouble=told)

    plug.append(good_toolchain(builder=FakeBuilder(build)))
    bench.start_changed(trusted=True)
    running = patrol(1)
    assert begun.wait(WAIT_SECONDS)

    registration.drain()
    running.stop()

    assert not Job.objects.filter(state=JobState.LEASED).exists()
    assert set(Job.objects.values_list("infra_left", flat=True)) == {INFRA_BUDGET}
    assert Attempt.objects.latest("started_at").outcome == "drained"


def test_a_lease_that_comes_while_draining_is_given_back_at_once(bench, monkeypatch):
    job = bench.start_changed(trusted=True)
    draining = threading.Event()
    draining.set()
    monkeypatch.setattr(worker, "draining", draining)

    worker.work_on(job.pk, ring=False)

    job.refresh_from_db()
    assert (job.state, job.infra_left) == ("queued", INFRA_BUDGET)
    assert job.attempts.get().outcome == "drained"


def test_a_report_waits_for_a_database_that_is_away(bench, monkeypatch):
    job = bench.start_changed(trusted=True)
    lease = bench.claim(job)
    calls = []
    finish = queue.finish

    def away_at_first(*args):
        calls.append(timezone.now())
        if len(calls) == 1:
            raise OperationalError("terminating connection")
        return finish(*args)

    monkeypatch.setattr(queue, "finish", away_at_first)

    after = worker.work(lease, ring=False)

    assert after is not None
    assert (after.stage, after.infra_left) == ("diff", INFRA_BUDGET)
    assert len(calls) == 2


def test_a_stage_that_cannot_begin_without_the_database_costs_nothing(
    bench, monkeypatch
):
    job = bench.start_changed(trusted=True)
    lease = bench.claim(job)

    def away(*_):
        raise OperationalError("the database system is shutting down")

    monkeypatch.setattr(worker, "_run_stage", away)

    assert worker.work(lease, ring=False) is None

    job.refresh_from_db()
    assert (job.state, job.infra_left) == ("queued", INFRA_BUDGET)
