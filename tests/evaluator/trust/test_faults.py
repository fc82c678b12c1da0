"""Faults injected into the real adapters: class, and effect on job, budget and score.

`test_fault_table.py` holds the table itself; here the tools, the disk and the device
really misbehave.
"""

from __future__ import annotations

import os
import subprocess

import pytest

from evaluator import evidence, queue
from evaluator.models import INFRA_BUDGET, AttemptOutcome, JobState, Stage
from evaluator.services import NotPossibleError, publish_evaluation
from evaluator.toolchains.base import DeviceUnavailableError
from evaluator.verdicts import FailReason, InfraReason
from leaderboard.models import CheckResult, TaskResult
from tests.evaluator.trust.fault_list import FAULTS, Fault, World
from tests.evaluator.trust.toolchains import FakeDevices, good_toolchain
from tests.requirements import require

# These come from the queue, not from a stage: tests/evaluator/test_queue*.py.
OF_THE_QUEUE = {InfraReason.WORKER_LOST, InfraReason.DRAIN}
# Asked for by name in tests of their own: the gate, the hdc adapter and the agents.
ELSEWHERE = {
    InfraReason.MODEL_ENDPOINT,
    InfraReason.HDC,
    InfraReason.INSTALL,
    FailReason.NO_CHANGE,
    FailReason.PATCH_REJECTED,
    FailReason.PATCH_DOES_NOT_APPLY,
}


@pytest.fixture
def world(bench, plug, monkeypatch, tmp_path, settings):
    world = World(bench, plug, monkeypatch, tmp_path, settings)
    yield world
    if (tmp_path / "full").is_dir():
        subprocess.run(["umount", tmp_path / "full"], check=True)


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.name)
def test_a_fault_has_its_class_and_its_effect(world: World, fault: Fault):
    if fault.needs_root:
        require("root", os.geteuid() == 0, "run the tests as root")
    job = world.bench.step_to(world.bench.start_changed(), fault.arranged_at)
    world.job = job
    fault.arrange(world)

    world.bench.step(world.bench.step_to(job, fault.stage))

    attempt = job.attempts.get(fence=job.fence)
    assert (attempt.stage, attempt.reason) == (fault.stage, fault.ends), job.detail
    assert attempt.evidence
    assert evidence.faults(job) == []
    results = TaskResult.objects.filter(run=job.run_id, task=job.task_id)
    if isinstance(fault.ends, InfraReason):
        assert attempt.outcome == AttemptOutcome.INFRASTRUCTURE
        assert not attempt.accepted
        assert (job.state, job.stage) == (JobState.QUEUED, fault.stage)
        assert job.infra_left == INFRA_BUDGET - 1
        assert job.detail
        assert not results.exists()
    else:
        assert attempt.outcome == AttemptOutcome.MODEL
        assert attempt.accepted
        assert (job.state, job.reason) == (JobState.SCORED, fault.ends)
        assert job.infra_left == INFRA_BUDGET
        assert not results.get().completed
        verdicts = CheckResult.objects.filter(result=results.get())
        assert verdicts.count() == job.task.f_points.count()
        assert not verdicts.filter(passed=True).exists()


def test_every_reason_of_a_stage_has_its_fault():
    tried = {fault.ends for fault in FAULTS}

    assert tried == {*InfraReason, *FailReason} - OF_THE_QUEUE - ELSEWHERE


@pytest.mark.parametrize("times", [1, 2])
def test_trouble_that_passes_leaves_no_trace_in_the_result(bench, plug, times):
    left = [None] * times

    def lose() -> None:
        if left:
            left.pop()
            raise DeviceUnavailableError("gone for a moment")

    plug.append(good_toolchain(devices=FakeDevices(lose)))

    job = bench.finish(bench.start_changed())

    assert (job.state, job.reason) == (JobState.SCORED, "")
    assert TaskResult.objects.get(run=job.run_id, task=job.task_id).completed
    outcomes = [each.outcome for each in job.attempts.filter(stage=Stage.CHECKS)]
    assert outcomes == [AttemptOutcome.INFRASTRUCTURE] * times + [AttemptOutcome.MODEL]


def test_trouble_that_stays_exhausts_the_budget_and_blocks_publication(
    bench, plug, maintainer
):
    def lose() -> None:
        raise DeviceUnavailableError("no device at all")

    plug.append(good_toolchain(devices=FakeDevices(lose)))
    job = bench.start_changed()
    evaluation = job.evaluation
    for each in evaluation.jobs.all():
        bench.finish(each)

    job.refresh_from_db()
    assert (job.state, job.infra_left) == (JobState.INFRA_EXHAUSTED, 0)
    assert job.attempts.filter(stage=Stage.CHECKS).count() == INFRA_BUDGET
    assert not TaskResult.objects.filter(run__evaluation=evaluation).exists()
    assert queue.counts(evaluation)[JobState.INFRA_EXHAUSTED] == 3
    with pytest.raises(NotPossibleError, match="3 task runs are not scored"):
        publish_evaluation(evaluation, by=maintainer)
