"""Random histories keep the invariants; queues that forget something are found out."""

from __future__ import annotations

from datetime import timedelta
from typing import Any
from unittest import mock

import pytest
from django.conf import settings as django_settings
from django.db import transaction
from django.utils import timezone
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from hypothesis.stateful import run_state_machine_as_test

from evaluator import closing, evidence, news, queue, transitions
from evaluator.models import AttemptOutcome, Job, JobState, Stage
from evaluator.queue import Passed
from leaderboard.models import Evaluation, ScopeTotals
from tests.evaluator import queue_machine
from tests.evaluator.jobs import completed, make_jobs, report, score, take
from tests.evaluator.queue_machine import QueueMachine

pytestmark = pytest.mark.django_db

COMMON = settings(
    deadline=None,
    database=None,
    suppress_health_check=list(HealthCheck),
    print_blob=False,
)


class Undisturbed(QueueMachine):
    """Claims and reports alone, so that more of the steps are reports."""

    time_passes = heartbeat = device_is_held = worker_stops = reap = None
    the_database_drops_what_a_worker_did = infrastructure_outcome = None
    operator_requeues = operator_pauses_or_resumes = owner_cancels = None


def explore(
    examples: int, machine: type[QueueMachine] = QueueMachine, **options: Any
) -> None:
    run_state_machine_as_test(
        machine,
        settings=settings(
            COMMON, max_examples=examples, stateful_step_count=40, **options
        ),
    )


def expect_caught(machine: type[QueueMachine] = QueueMachine) -> None:
    """The first broken invariant is enough: nothing is made smaller.

    The histories are the same each time, so that this is no game of chance.
    """
    with pytest.raises(Exception):  # noqa: B017 - any invariant may catch it
        explore(200, machine, phases=(Phase.generate,), derandomize=True)


def test_every_history_of_the_queue_keeps_the_invariants():
    explore(15)


def test_the_histories_that_catch_mutants_are_fine_without_one():
    for machine in (QueueMachine, Undisturbed):
        explore(6, machine, phases=(Phase.generate,), derandomize=True)


# Mutants


def test_a_queue_that_forgets_the_fence_is_caught():
    def without_fence(lease, now):
        return Job.objects.filter(
            pk=lease.job_id, state=JobState.LEASED, lease_until__gt=now
        )

    with mock.patch.object(queue, "_held", without_fence):
        expect_caught()


def test_a_queue_that_forgets_the_end_of_a_lease_is_caught():
    def without_time(lease, now):
        return Job.objects.filter(
            pk=lease.job_id,
            state=JobState.LEASED,
            owner=lease.owner,
            fence=lease.fence,
        )

    with mock.patch.object(queue, "_held", without_time):
        expect_caught()


def test_a_queue_that_forgets_the_deadline_is_caught():
    def without_deadline(now, deadline):
        return now + timedelta(seconds=django_settings.OHB_LEASE_SECONDS * 100)

    with mock.patch.object(queue, "_lease_end", without_deadline):
        expect_caught()


def test_a_queue_that_forgets_the_signature_is_caught():
    with mock.patch.object(evidence, "_is_signed", lambda *_: True):
        expect_caught(Undisturbed)


def test_a_queue_that_fails_task_runs_for_its_own_trouble_is_caught():
    def trouble_as_fail(job, now, found, outcome):
        return transitions.decide(job, now, queue.ModelOutcome(found.reason))

    with mock.patch.object(transitions, "trouble", trouble_as_fail):
        expect_caught()


def test_a_run_that_forgets_the_denominator_is_caught():
    def close_with_what_there_is(run):
        run.finished_at = timezone.now()
        run.save(update_fields=["finished_at"])
        return True

    with mock.patch.object(closing, "_close_run", close_with_what_there_is):
        expect_caught()


def test_a_stage_that_can_be_accepted_twice_is_caught():
    def stay(job, now, facts):
        transitions.end_attempt(job, now, AttemptOutcome.PASSED, accepted=True)
        return transitions.leave(job, now, JobState.QUEUED, available_at=now)

    with mock.patch.object(transitions, "pass_on", stay):
        expect_caught()


def test_an_outbox_that_is_written_after_the_commit_is_caught():
    """A process that dies in between would forget to tell."""
    tell = news.tell

    def later(kind, *, key, data):
        transaction.on_commit(lambda: tell(kind, key=key, data=data))

    with mock.patch.object(news, "tell", later):
        expect_caught()


def test_an_outbox_that_is_written_apart_from_the_change_is_caught():
    """As if on another connection: what is rolled back would be told as well."""
    written: set[str] = set()

    def begin(**counts):
        written.clear()
        return make_jobs(**counts)

    with (
        mock.patch.object(news, "tell", lambda kind, *, key, data: written.add(key)),
        mock.patch.object(queue_machine, "told", lambda: set(written)),
        mock.patch.object(queue_machine, "make_jobs", begin),
    ):
        expect_caught()


# Totals


def totals_of(evaluation: Evaluation) -> list[dict[str, object]]:
    rows = ScopeTotals.objects.filter(evaluation=evaluation)
    fields = ("run__number", "scope", "task_count", "completed_by_run")
    counts = ("completed_count", "final_build_count", "total_tokens")
    return list(rows.order_by("run__number", "scope").values(*fields, *counts))


def run_to_the_end(job: Job, *, fully: bool) -> None:
    if not fully:
        score(job)
        return
    for _ in range(len(Stage) - 1):
        report(take(job), Passed({"total_tokens": 7}))
    report(take(job), completed(job))


@settings(COMMON, max_examples=6)
@given(
    orders=st.tuples(*[st.permutations(range(4))] * 2),
    fully=st.lists(st.booleans(), min_size=4, max_size=4),
)
def test_the_order_in_which_jobs_end_changes_no_total(orders, fully):
    """What one configuration did comes to the same whoever is quicker."""
    found = []
    for order in orders:
        evaluation = make_jobs(task_count=2, run_count=2)
        jobs = list(evaluation.jobs.order_by("pk"))
        for place in order:
            run_to_the_end(jobs[place], fully=fully[place])
        evaluation.refresh_from_db()
        assert evaluation.scored_at is not None
        found.append(totals_of(evaluation))

    assert found[0] == found[1]
    overall = next(
        row
        for row in found[0]
        if row["run__number"] is None and row["scope"] == "overall"
    )
    assert overall["completed_count"] == sum(fully)
