"""A stateful model of the queue: random histories, invariants after every step.

The invariants I1 to I14 are those of the evaluation's state table: one accepted
attempt a stage, owner iff leased, fences that grow, refused reports that change
nothing, decided jobs that stay decided, infrastructure trouble that never fails a task
run, a job count that never changes, devices held once, totals that equal their rows,
and an end for every history once the workers are well again. I15, that what happens is
told and nothing else, is checked here as well; how it is sent, in
``tests/leaderboard/sender_machine.py``.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any
from unittest import mock

from django.db import transaction
from django.db.models import QuerySet
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
)

from evaluator import breaker, closing, devices, evidence, queue
from evaluator.models import INFRA_BUDGET, Attempt, Job, JobState, Stage
from evaluator.pipeline.work import StageReport
from evaluator.queue import Lease, LeaseLostError, ModelOutcome, Passed
from evaluator.transitions import STUCK
from evaluator.verdicts import FailReason, InfraReason, Trouble
from leaderboard.models import OutboxMessage, TaskResult
from leaderboard.recount import differences
from tests.evaluator.jobs import POOLS, completed, make_jobs, report
from tests.evaluator.told import happened, told

WORKERS = st.sampled_from(["h1:1", "h1:2", "h2:1"])
PLACES = st.integers(0, 3)
DECIDED = {JobState.SCORED, JobState.CANCELLED}
ENDS = {*DECIDED, *STUCK}
INFRASTRUCTURE = {reason.value for reason in InfraReason}
UNPLUGGED = Trouble(InfraReason.DEVICE_LOST, "unplugged")
ORDER = [stage.value for stage in Stage]
ALLOWED = {
    ("", "queued"),
    ("queued", "leased"),
    ("leased", "queued"),
    ("leased", "scored"),
    ("leased", "infra_exhausted"),
    ("leased", "quarantined"),
    ("leased", "cancelled"),
    ("queued", "cancelled"),
    ("infra_exhausted", "queued"),
    ("infra_exhausted", "cancelled"),
    ("quarantined", "queued"),
    ("quarantined", "cancelled"),
}


class RolledBackError(Exception):
    pass


class QueueMachine(RuleBasedStateMachine):
    """Works inside a transaction that is rolled back at the end of each example."""

    def __init__(self) -> None:
        super().__init__()
        self.now = datetime(2026, 11, 30, tzinfo=UTC)
        self.leases: list[Lease] = []
        self.fences: dict[int, int] = {}
        self.decided: dict[int, tuple[str, str]] = {}
        self._clock = mock.patch("evaluator.queue.timezone.now", lambda: self.now)
        self._clock.start()
        self._transaction = transaction.atomic()
        self._transaction.__enter__()

    def teardown(self) -> None:
        try:
            if sys.exc_info()[0] is None:
                self.healthy_workers_bring_everything_to_an_end()
        finally:
            transaction.set_rollback(True)
            self._transaction.__exit__(None, None, None)
            self._clock.stop()

    @initialize(pauses=st.booleans(), cancels=st.booleans())
    def start(self, pauses: bool, cancels: bool) -> None:
        self.pauses, self.cancels = pauses, cancels
        self.evaluation = make_jobs(task_count=2, run_count=2, now=self.now)
        self.ids = list(self.jobs.values_list("pk", flat=True))

    @property
    def jobs(self) -> QuerySet[Job]:
        return self.evaluation.jobs.order_by("pk")

    # What may happen

    @rule(worker=WORKERS)
    def claim_next(self, worker: str) -> None:
        self._claimed(queue.claim_next(owner=worker, pools=POOLS, isolated=True))

    @rule(worker=WORKERS, place=PLACES)
    def hint_for_a_job(self, worker: str, place: int) -> None:
        """A hint that may be late or doubled; a lost one is a step that never is."""
        job_id = self.ids[place]
        self._claimed(queue.claim(job_id, owner=worker, pools=POOLS, isolated=True))

    @rule(seconds=st.sampled_from([1, 20, 60, 100, 1000, 8000]))
    def time_passes(self, seconds: int) -> None:
        self.now += timedelta(seconds=seconds)

    @precondition(lambda self: self.leases)
    @rule(data=st.data())
    def heartbeat(self, data: Any) -> None:
        lease = data.draw(st.sampled_from(self.leases))
        held = self._is_held(lease)
        flagged = Job.objects.get(pk=lease.job_id).cancel_requested
        with self._unchanged_unless(held):
            self._attempt(lambda: queue.renew(lease), held=held and not flagged)

    @precondition(lambda self: self.leases)
    @rule(data=st.data(), serial=st.sampled_from(["D1", "D2"]))
    def device_is_held(self, data: Any, serial: str) -> None:
        lease = data.draw(st.sampled_from(self.leases))
        holding = Job(pk=lease.job_id, fence=lease.fence)
        refused = suppress(devices.DeviceRefusedError)
        with self._unchanged_unless(self._is_held(lease)), refused:
            devices.hold(holding, serial)

    @precondition(lambda self: self.leases)
    @rule(data=st.data())
    def stage_passes(self, data: Any) -> None:
        lease = data.draw(st.sampled_from(self.leases))
        if lease.stage != Stage.CHECKS:
            self._finish(lease, Passed({"seen": lease.stage.value}))

    @precondition(lambda self: self.leases)
    @rule(data=st.data(), fully=st.booleans())
    def model_outcome(self, data: Any, fully: bool) -> None:
        lease = data.draw(st.sampled_from(self.leases))
        self._finish(lease, self._outcome(lease, fully=fully))

    @rule(data=st.data(), claims=st.booleans())
    def the_database_drops_what_a_worker_did(self, data: Any, claims: bool) -> None:
        lost = suppress(RolledBackError, LeaseLostError)
        with self._unchanged_unless(False), lost, transaction.atomic():
            if claims or not self.leases:
                queue.claim_next(owner="h1:1", pools=POOLS, isolated=True)
            else:
                lease = data.draw(st.sampled_from(self.leases))
                report(lease, self._outcome(lease, fully=True))
            raise RolledBackError

    @precondition(lambda self: self.leases)
    @rule(data=st.data())
    def infrastructure_outcome(self, data: Any) -> None:
        lease = data.draw(st.sampled_from(self.leases))
        self._finish(lease, UNPLUGGED)

    @precondition(lambda self: self.leases)
    @rule(data=st.data())
    def report_is_changed_on_its_way(self, data: Any) -> None:
        """The binding is right, and the lease may be held: the signature is not."""
        held = [lease for lease in self.leases if self._is_held(lease)]
        lease = data.draw(st.sampled_from(held or self.leases))
        job = Job.objects.get(pk=lease.job_id)
        signed = evidence.bound(StageReport(UNPLUGGED), job, lease)
        forged = replace(signed, outcome=self._outcome(lease, fully=False))
        with self._unchanged_unless(False):
            self._attempt(
                lambda: closing.close_stage(lease, forged, ring=False), held=False
            )

    @precondition(lambda self: self.leases)
    @rule(data=st.data())
    def worker_stops(self, data: Any) -> None:
        lease = data.draw(st.sampled_from(self.leases))
        with self._unchanged_unless(self._is_held(lease)):
            queue.give_back(lease)

    @rule()
    def reap(self) -> None:
        queue.reap()
        closing.close_left_open()
        expired = Job.objects.filter(state=JobState.LEASED, lease_until__lte=self.now)
        assert not expired.exists()

    @rule(place=PLACES)
    def operator_requeues(self, place: int) -> None:
        job = Job.objects.get(pk=self.ids[place])
        if job.state in STUCK:
            queue.requeue(job.pk, actor="operator", reason="device replaced")

    @precondition(lambda self: self.pauses)
    @rule(pool=st.sampled_from(["agent", "build"]))
    def operator_pauses_or_resumes(self, pool: str) -> None:
        if breaker.is_paused(pool):
            breaker.resume(pool, reason="looked at it")
        else:
            breaker.pause(pool, reason="maintenance")

    @precondition(lambda self: self.cancels)
    @rule()
    def owner_cancels(self) -> None:
        queue.request_cancel(self.evaluation, actor="owner")

    # What must hold

    @invariant()
    def the_table_is_kept(self) -> None:
        jobs = list(self.jobs)
        attempts = self._by_job(Attempt.objects.order_by("fence"))
        assert [job.pk for job in jobs] == self.ids  # I11
        for job in jobs:
            self._lease_is_whole(job)
            self._decision_stands(job, attempts[job.pk])
            accepted = [each.stage for each in attempts[job.pk] if each.accepted]
            assert accepted == ORDER[: len(accepted)]  # I1
            assert job.fence >= self.fences.get(job.pk, 0)  # I3
            self.fences[job.pk] = job.fence
            assert 0 <= job.infra_left <= INFRA_BUDGET  # I8
            assert job.infra_left == 0 or job.state != JobState.INFRA_EXHAUSTED
            assert not job.cancel_requested or job.state in {*DECIDED, "leased"}
        running = [
            each
            for mine in attempts.values()
            for each in mine
            if each.outcome == "running"
        ]
        leased = [job.pk for job in jobs if job.state == JobState.LEASED]
        assert sorted(each.job_id for each in running) == leased
        held = [each.device for each in running if each.device]
        assert len(held) == len(set(held))  # I12

    @invariant()
    def the_events_are_a_path_of_the_table(self) -> None:  # I9
        events = dict.fromkeys(self.ids, "")
        rows = self.evaluation.jobs.values_list(
            "pk", "events__from_state", "events__to_state"
        )
        for pk, before, after in rows.order_by("events__pk"):
            assert before == events[pk]
            assert (before, after) in ALLOWED
            events[pk] = after
        assert events == dict(self.jobs.values_list("pk", "state"))

    @invariant()
    def totals_are_written_in_time_and_equal_their_rows(self) -> None:  # I13
        scored = self._by_run(JobState.SCORED)
        results = list(
            TaskResult.objects.filter(run__evaluation=self.evaluation).values_list(
                "run", flat=True
            )
        )
        for run in self.evaluation.runs.all():
            assert results.count(run.pk) == scored.count(run.pk)
            assert (run.finished_at is not None) == (results.count(run.pk) == 2)
        self.evaluation.refresh_from_db()
        assert (self.evaluation.scored_at is not None) == (len(results) == 4)
        assert not list(differences(self.evaluation))

    @invariant()
    def what_happened_is_told_and_nothing_else(self) -> None:  # I15
        assert told() == happened(self.evaluation)

    def healthy_workers_bring_everything_to_an_end(self) -> None:  # I14
        for pause in breaker.open_pauses():
            breaker.resume(pause.pool, reason="well again")
        rounds = len(self.ids) * len(ORDER) + 2
        for _ in range(rounds):
            queue.reap()
            self.now += timedelta(minutes=15)
            lease = queue.claim_next(owner="h3:1", pools=POOLS, isolated=True)
            if lease is None:
                continue
            last = lease.stage == Stage.CHECKS
            report(lease, self._outcome(lease, fully=True) if last else Passed())
        states = set(self.jobs.values_list("state", flat=True))
        assert states <= ENDS, states
        self.totals_are_written_in_time_and_equal_their_rows()
        self.what_happened_is_told_and_nothing_else()

    # Means

    def _lease_is_whole(self, job: Job) -> None:
        leased = job.state == JobState.LEASED
        assert leased == bool(job.owner)  # I2
        assert leased == (job.lease_until is not None)
        if leased:
            assert job.lease_until <= job.deadline + queue.DEADLINE_GRACE  # I10

    def _decision_stands(self, job: Job, attempts: list[Attempt]) -> None:
        if job.state in DECIDED:
            seen = (job.state, job.reason)
            assert self.decided.setdefault(job.pk, seen) == seen  # I5
        else:
            assert job.pk not in self.decided
        decisive = [each for each in attempts if each.outcome == "model"]
        assert len(decisive) == (job.state == JobState.SCORED)  # I6
        if job.state == JobState.SCORED:
            assert job.reason not in INFRASTRUCTURE  # I7
            assert decisive[0].accepted
            done = [each.stage for each in attempts if each.accepted]
            assert job.reason or done == ORDER

    def _outcome(self, lease: Lease, *, fully: bool) -> ModelOutcome:
        if fully and lease.stage == Stage.CHECKS:
            return completed(Job.objects.get(pk=lease.job_id))
        return ModelOutcome(FailReason.BUILD_FAILED)

    def _claimed(self, lease: Lease | None) -> None:
        if lease is None:
            return
        job = Job.objects.get(pk=lease.job_id)
        assert not breaker.is_paused(job.pool)
        assert not job.cancel_requested
        self.leases.append(lease)

    def _is_held(self, lease: Lease) -> bool:
        job = Job.objects.get(pk=lease.job_id)
        return (
            job.state == JobState.LEASED
            and job.fence == lease.fence
            and job.lease_until is not None
            and job.lease_until > self.now
        )

    def _finish(self, lease: Lease, outcome: queue.StageOutcome) -> None:
        held = self._is_held(lease)
        budget = Job.objects.get(pk=lease.job_id).infra_left
        deciding = isinstance(outcome, ModelOutcome)
        finish = report if deciding else queue.finish
        with self._unchanged_unless(held):
            self._attempt(lambda: finish(lease, outcome), held=held)
        if deciding:
            assert Job.objects.get(pk=lease.job_id).infra_left == budget  # I7

    def _attempt(self, act: Any, *, held: bool) -> None:
        try:
            act()
        except LeaseLostError:
            assert not held
        else:
            assert held

    @contextmanager
    def _unchanged_unless(self, held: bool) -> Iterator[None]:  # I4
        before = None if held else self._picture()
        yield
        assert held or self._picture() == before

    def _picture(self) -> list[list[Any]]:
        attempts = Attempt.objects.filter(job__in=self.ids).order_by("pk")
        results = TaskResult.objects.filter(run__evaluation=self.evaluation)
        told = OutboxMessage.objects.order_by("pk")
        tables = (self.jobs, attempts, results, told)
        return [list(rows.values()) for rows in tables]

    def _by_job(self, attempts: Any) -> dict[int, list[Attempt]]:
        found: dict[int, list[Attempt]] = {pk: [] for pk in self.ids}
        for each in attempts.filter(job__in=self.ids):
            found[each.job_id].append(each)
        return found

    def _by_run(self, state: JobState) -> list[int]:
        return list(self.jobs.filter(state=state).values_list("run", flat=True))
