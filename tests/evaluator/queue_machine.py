"""A stateful model of the queue: random histories, invariants after every step.

The invariants are those of the evaluation's state table: one accepted attempt a stage,
owner iff leased, fences that grow, refused reports that change nothing, decided jobs
that stay decided, infrastructure trouble that never fails a task run, and a job count
that never changes.
"""

from __future__ import annotations

from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from unittest import mock

from django.db import transaction
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
)

from evaluator import queue
from evaluator.models import INFRA_BUDGET, Attempt, AttemptOutcome, Job, JobState, Stage
from evaluator.queue import LeaseLostError, ModelOutcome, Passed
from evaluator.verdicts import FailReason, InfraReason, Trouble
from tests.evaluator.jobs import make_jobs

WORKERS = st.sampled_from(["w1", "w2", "w3"])
DECIDED = {JobState.SCORED, JobState.CANCELLED}
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


class QueueMachine(RuleBasedStateMachine):
    """Works inside a transaction that is rolled back at the end of each example."""

    def __init__(self) -> None:
        super().__init__()
        self.now = datetime(2026, 11, 30, tzinfo=UTC)
        self.leases: list[queue.Lease] = []
        self.fences: dict[int, int] = {}
        self.decided: dict[int, tuple[str, str]] = {}
        self._clock = mock.patch("evaluator.queue.timezone.now", lambda: self.now)
        self._clock.start()
        self._transaction = transaction.atomic()
        self._transaction.__enter__()

    def teardown(self) -> None:
        transaction.set_rollback(True)
        self._transaction.__exit__(None, None, None)
        self._clock.stop()

    @initialize()
    def start(self) -> None:
        self.evaluation = make_jobs(task_count=1, run_count=2, now=self.now)
        jobs = self.evaluation.jobs
        self.pools = [*set(jobs.values_list("pool", flat=True)), "build"]
        self.pools.append("device.simulated-phone")
        self.job_count = jobs.count()

    # What may happen

    @rule(worker=WORKERS)
    def claim_next(self, worker: str) -> None:
        lease = queue.claim_next(owner=worker, pools=self.pools, isolated=True)
        if lease is not None:
            self.leases.append(lease)

    @rule(worker=WORKERS, place=st.integers(0, 1))
    def hint_for_a_job(self, worker: str, place: int) -> None:
        """A hint that may be late or doubled."""
        job_id = self.evaluation.jobs.values_list("pk", flat=True)[place]
        lease = queue.claim(job_id, owner=worker, pools=self.pools, isolated=True)
        if lease is not None:
            self.leases.append(lease)

    @rule(seconds=st.sampled_from([1, 20, 60, 100, 1000, 8000]))
    def time_passes(self, seconds: int) -> None:
        self.now += timedelta(seconds=seconds)

    @precondition(lambda self: self.leases)
    @rule(data=st.data())
    def heartbeat(self, data) -> None:
        lease = data.draw(st.sampled_from(self.leases))
        held = self._is_held(lease)
        with self._unchanged_unless(held):
            self._attempt(lambda: queue.renew(lease), held=held)

    @precondition(lambda self: self.leases)
    @rule(data=st.data())
    def stage_passes(self, data) -> None:
        lease = data.draw(st.sampled_from(self.leases))
        if lease.stage != Stage.CHECKS:
            self._finish(lease, Passed({"seen": lease.stage.value}))

    @precondition(lambda self: self.leases)
    @rule(data=st.data(), completed=st.booleans())
    def model_outcome(self, data, completed: bool) -> None:
        lease = data.draw(st.sampled_from(self.leases))
        done = completed and lease.stage == Stage.CHECKS
        reason = None if done else FailReason.CHECK_FAILED
        self._finish(lease, ModelOutcome(reason))

    @precondition(lambda self: self.leases)
    @rule(data=st.data())
    def infrastructure_outcome(self, data) -> None:
        lease = data.draw(st.sampled_from(self.leases))
        self._finish(lease, Trouble(InfraReason.DEVICE_LOST, "unplugged"))

    @precondition(lambda self: self.leases)
    @rule(data=st.data())
    def worker_stops(self, data) -> None:
        lease = data.draw(st.sampled_from(self.leases))
        with self._unchanged_unless(self._is_held(lease)):
            queue.give_back(lease)

    @rule()
    def reap(self) -> None:
        queue.reap()
        expired = Job.objects.filter(state=JobState.LEASED, lease_until__lte=self.now)
        assert not expired.exists()

    @rule(place=st.integers(0, 1))
    def operator_requeues(self, place: int) -> None:
        job = self.evaluation.jobs.all()[place]
        if job.state in {JobState.INFRA_EXHAUSTED, JobState.QUARANTINED}:
            queue.requeue(job.pk, actor="operator", reason="device replaced")

    # What must hold

    @invariant()
    def the_number_of_jobs_never_changes(self) -> None:
        assert self.evaluation.jobs.count() == self.job_count

    @invariant()
    def fences_only_grow(self) -> None:
        for job_id, fence in self.evaluation.jobs.values_list("pk", "fence"):
            assert fence >= self.fences.get(job_id, 0)
            self.fences[job_id] = fence

    @invariant()
    def owner_and_lease_belong_together(self) -> None:
        for job in self.evaluation.jobs.all():
            leased = job.state == JobState.LEASED
            assert leased == bool(job.owner)
            assert leased == (job.lease_until is not None)
            if leased:
                assert job.lease_until <= job.deadline + queue.DEADLINE_GRACE

    @invariant()
    def decided_jobs_stay_decided(self) -> None:
        for job in self.evaluation.jobs.filter(state__in=DECIDED):
            seen = (job.state, job.reason)
            assert self.decided.setdefault(job.pk, seen) == seen
        now_decided = set(
            self.evaluation.jobs.filter(state__in=DECIDED).values_list("pk", flat=True)
        )
        assert set(self.decided) <= now_decided

    @invariant()
    def trouble_of_ours_never_fails_a_task_run(self) -> None:
        infra = {reason.value for reason in InfraReason}
        for job in self.evaluation.jobs.filter(state=JobState.SCORED):
            assert job.reason not in infra
            decisive = job.attempts.filter(accepted=True, outcome=AttemptOutcome.MODEL)
            assert decisive.count() == 1

    @invariant()
    def the_budget_is_bounded(self) -> None:
        for job in self.evaluation.jobs.all():
            assert 0 <= job.infra_left <= INFRA_BUDGET
            if job.state == JobState.INFRA_EXHAUSTED:
                assert job.infra_left == 0

    @invariant()
    def the_events_are_a_path_of_the_state_table(self) -> None:
        for job in self.evaluation.jobs.all():
            state = ""
            for before, after in job.events.values_list("from_state", "to_state"):
                assert before == state
                assert (before, after) in ALLOWED
                state = after
            assert state == job.state

    @invariant()
    def every_accepted_stage_came_in_order(self) -> None:
        order = list(Stage)
        for job in self.evaluation.jobs.all():
            accepted = [attempt.stage for attempt in job.attempts.filter(accepted=True)]
            assert accepted == [stage.value for stage in order[: len(accepted)]]

    # Means

    def _is_held(self, lease: queue.Lease) -> bool:
        job = Job.objects.get(pk=lease.job_id)
        return (
            job.state == JobState.LEASED
            and job.fence == lease.fence
            and job.lease_until is not None
            and job.lease_until > self.now
        )

    def _finish(self, lease: queue.Lease, outcome: queue.StageOutcome) -> None:
        held = self._is_held(lease)
        with self._unchanged_unless(held):
            self._attempt(lambda: queue.finish(lease, outcome), held=held)

    def _attempt(self, act, *, held: bool) -> None:
        try:
            act()
        except LeaseLostError:
            assert not held
        else:
            assert held

    @contextmanager
    def _unchanged_unless(self, held: bool):
        before = self._picture()
        yield
        if not held:
            assert self._picture() == before

    def _picture(self) -> list[tuple[object, ...]]:
        jobs = self.evaluation.jobs.order_by("pk")
        attempts = Attempt.objects.filter(job__evaluation=self.evaluation).order_by(
            "pk"
        )
        return [
            *jobs.values_list("pk", "state", "stage", "fence", "lease_until", "reason"),
            *attempts.values_list("pk", "outcome", "accepted"),
        ]
