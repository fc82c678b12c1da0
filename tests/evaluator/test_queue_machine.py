from __future__ import annotations

from unittest import mock

import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis.stateful import run_state_machine_as_test

from evaluator import queue, transitions
from evaluator.models import Job, JobState
from tests.evaluator.queue_machine import QueueMachine

pytestmark = pytest.mark.django_db


def explore(examples: int = 30, phases: tuple[Phase, ...] = tuple(Phase)) -> None:
    run_state_machine_as_test(
        QueueMachine,
        settings=settings(
            max_examples=examples,
            stateful_step_count=30,
            phases=phases,
            deadline=None,
            database=None,
            suppress_health_check=list(HealthCheck),
            print_blob=False,
        ),
    )


def test_every_history_of_the_queue_keeps_the_invariants():
    explore()


def test_a_queue_that_forgets_the_fence_is_caught():
    def without_fence(lease, now):
        return Job.objects.filter(
            pk=lease.job_id, state=JobState.LEASED, lease_until__gt=now
        )

    with mock.patch.object(queue, "_held", without_fence), pytest.raises(Exception):  # noqa: B017 - any invariant may catch it
        explore(100, phases=(Phase.generate,))


def test_a_queue_that_forgets_the_end_of_a_lease_is_caught():
    def without_time(lease, now):
        return Job.objects.filter(
            pk=lease.job_id,
            state=JobState.LEASED,
            owner=lease.owner,
            fence=lease.fence,
        )

    with mock.patch.object(queue, "_held", without_time), pytest.raises(Exception):  # noqa: B017 - any invariant may catch it
        explore(100, phases=(Phase.generate,))


def test_a_queue_that_fails_task_runs_for_its_own_trouble_is_caught():
    def trouble_as_fail(job, now, found, outcome):
        return transitions.decide(job, now, queue.ModelOutcome(found.reason))

    with (
        mock.patch.object(transitions, "trouble", trouble_as_fail),
        pytest.raises(AssertionError),
    ):
        explore(100, phases=(Phase.generate,))
