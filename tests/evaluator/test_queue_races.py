"""Two connections at the same moment. On SQLite one waits; PostgreSQL runs both.

``tests/evaluator/test_on_postgresql.py`` runs this file there.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

import pytest
from django.db import connection, transaction

from evaluator import closing, queue
from evaluator.models import Attempt, Job, JobState
from evaluator.queue import LeaseLostError, ModelOutcome
from evaluator.verdicts import FailReason
from leaderboard import outbox
from leaderboard.models import Evaluation, OutboxMessage, ScopeTotals, TaskResult
from leaderboard.recount import differences
from tests import outbox as outbox_channel
from tests.evaluator.jobs import POOLS, make_jobs, report, score, take

T = TypeVar("T")

pytestmark = pytest.mark.usefixtures("committed_db")

FAILED = ModelOutcome(FailReason.BUILD_FAILED)


def at_once(acts: Sequence[Callable[[], T]]) -> list[T]:
    """Run each act in a thread with a connection of its own, all at one moment."""
    start = threading.Barrier(len(acts))

    def run(act: Callable[[], T]) -> T:
        try:
            start.wait()
            return act()
        finally:
            connection.close()

    with ThreadPoolExecutor(len(acts)) as pool:
        return list(pool.map(run, acts))


@pytest.fixture
def meeting(monkeypatch) -> None:
    """Both reporters have added their results before either looks at the run."""
    met = threading.Barrier(2)
    close_run = closing.close_run

    def close_when_both_are_here(run_id: int) -> bool:
        if connection.vendor == "postgresql":
            met.wait(120)
        return close_run(run_id)

    monkeypatch.setattr(closing, "close_run", close_when_both_are_here)


@pytest.fixture
def closes(monkeypatch) -> list[int]:
    """The runs whose totals were written, once for each time."""
    written: list[int] = []
    write = closing.write_run_totals

    def count(run):
        written.append(run.pk)
        return write(run)

    monkeypatch.setattr(closing, "write_run_totals", count)
    return written


def expect_closed(evaluation: Evaluation) -> None:
    evaluation.refresh_from_db()
    assert evaluation.scored_at is not None
    assert not list(differences(evaluation))


def test_two_last_jobs_of_a_run_reported_at_once_close_it_once(meeting, closes):
    evaluation = make_jobs(task_count=2)
    leases = [take(job) for job in evaluation.jobs.all()]

    at_once([lambda lease=lease: report(lease, FAILED) for lease in leases])

    assert closes == [evaluation.runs.get().pk]
    assert TaskResult.objects.count() == 2
    expect_closed(evaluation)


def test_two_last_runs_closed_at_once_close_the_evaluation_once(meeting, closes):
    evaluation = make_jobs(run_count=2)
    leases = [take(job) for job in evaluation.jobs.all()]

    at_once([lambda lease=lease: report(lease, FAILED) for lease in leases])

    assert sorted(closes) == list(evaluation.runs.values_list("pk", flat=True))
    assert ScopeTotals.objects.filter(run=None, scope="overall").count() == 1
    expect_closed(evaluation)


def test_one_job_is_claimed_by_one_of_many_workers():
    job = make_jobs().jobs.get()

    leases = at_once(
        [
            lambda n=n: queue.claim(
                job.pk, owner=f"host-{n}:1", pools=POOLS, isolated=True
            )
            for n in range(6)
        ]
    )

    assert len([lease for lease in leases if lease is not None]) == 1
    assert Attempt.objects.count() == 1


def test_many_workers_share_the_jobs_without_a_double():
    evaluation = make_jobs(task_count=4, run_count=2)

    def work(number: int) -> list[int]:
        done = []
        while lease := queue.claim_next(
            owner=f"host-{number}:1", pools=POOLS, isolated=True
        ):
            report(lease, FAILED)
            done.append(lease.job_id)
        return done

    done = at_once([lambda n=n: work(n) for n in range(4)])

    jobs = sorted(job for part in done for job in part)
    # One that came when the others held the last candidates may have left early.
    while left := Job.objects.filter(state=JobState.QUEUED).first():
        score(left)
        jobs.append(left.pk)
    assert sorted(jobs) == sorted(evaluation.jobs.values_list("pk", flat=True))
    assert TaskResult.objects.count() == 8
    expect_closed(evaluation)


def test_a_late_report_and_the_reaper_at_once_agree_on_one_end(settings):
    settings.OHB_LEASE_SECONDS = 60
    job = make_jobs().jobs.get()
    lease = take(job)
    Job.objects.update(lease_until=job.created_at)

    def late() -> str:
        try:
            report(lease, FAILED)
        except LeaseLostError:
            return "refused"
        return "accepted"

    said, _ = at_once([late, queue.reap])

    job.refresh_from_db()
    assert (said, job.state) == ("refused", "queued")
    assert job.attempts.get().outcome == "lost"


def test_one_report_delivered_three_times_at_once_counts_once():
    evaluation = make_jobs()
    lease = take(evaluation.jobs.get())

    def deliver() -> bool:
        try:
            report(lease, FAILED)
        except LeaseLostError:
            return False
        return True

    assert sorted(at_once([deliver] * 3)) == [False, False, True]
    assert TaskResult.objects.count() == 1
    expect_closed(evaluation)


def test_one_message_is_taken_by_one_of_many_senders(settings, monkeypatch):
    settings.OHB_OUTBOX_CHANNELS = outbox_channel.CHANNELS
    receiver = outbox_channel.Receiver()
    monkeypatch.setattr(outbox_channel, "receiver", receiver)
    for number in range(4):
        with transaction.atomic():
            outbox.tell("thing.done", key=f"thing.done/{number}", data={})

    at_once([outbox.deliver_due for _ in range(4)])
    outbox.deliver_due()  # One that came when the others held the rest may have left.

    assert outbox.waiting() == (0, 0)
    assert len(receiver.effects) == 12
    assert set(receiver.copies.values()) == {1}


def test_one_event_told_at_once_by_many_is_one_event():
    def say() -> None:
        with transaction.atomic():
            outbox.tell("thing.done", key="thing.done/1", data={})

    at_once([say] * 4)

    assert OutboxMessage.objects.count() == 1
