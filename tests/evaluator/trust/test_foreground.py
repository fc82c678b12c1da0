"""Evaluating without Celery: to the end, or to a pause that stays."""

from __future__ import annotations

import pytest

from evaluator import breaker, foreground, worker
from evaluator.models import INFRA_BUDGET, JobState
from evaluator.toolchains.base import BuildOutcome
from evaluator.verdicts import InfraReason, Trouble
from tests.evaluator.trust.bench import Bench, import_demo
from tests.evaluator.trust.toolchains import FakeBuilder, good_toolchain


@pytest.fixture
def bench(committed_db, plug, monkeypatch) -> Bench:
    monkeypatch.setattr(foreground, "PAUSE_SECONDS", 0.02)
    return Bench(import_demo())


def no_sandbox(workspace, scratch) -> BuildOutcome:
    return BuildOutcome(False, None, b"", trouble=Trouble(InfraReason.SANDBOX, "shut"))


def test_every_job_is_scored_and_the_evaluation_closed(bench):
    evaluation = bench.start_changed(trusted=True).evaluation

    assert foreground.evaluate(evaluation, slots=2)

    evaluation.refresh_from_db()
    assert evaluation.scored_at is not None


def test_a_pool_that_stays_in_trouble_ends_it_and_leaves_the_jobs_queued(bench, plug):
    evaluations = [bench.start_changed(trusted=True).evaluation for _ in range(2)]
    plug.append(good_toolchain(builder=FakeBuilder(no_sandbox)))

    ended = [foreground.evaluate(each, slots=1) for each in evaluations]

    assert ended == [False, False]
    assert breaker.is_paused("build")
    left = evaluations[1].jobs.filter(state=JobState.QUEUED)
    assert left.exists()
    assert left.filter(infra_left__gt=0).count() == left.count()


def test_a_pause_by_hand_ends_it_at_once(bench):
    job = bench.start_changed(trusted=True)
    breaker.pause(job.pool, reason="maintenance")

    assert not foreground.evaluate(job.evaluation, slots=1)

    job.refresh_from_db()
    assert (job.state, job.infra_left) == ("queued", INFRA_BUDGET)


def test_a_slot_outlives_trouble_outside_of_a_stage(bench, monkeypatch):
    calls = []
    work = worker.work

    def break_once(*args, **options):
        calls.append(1)
        if len(calls) == 1:
            worker.queue.give_back(args[0])
            raise RuntimeError("no such thing")
        return work(*args, **options)

    monkeypatch.setattr(worker, "work", break_once)
    job = bench.start_changed(trusted=True)

    assert foreground.evaluate(job.evaluation, slots=1)
