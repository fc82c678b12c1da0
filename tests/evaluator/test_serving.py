"""Builds of all snapshots wait in one pool; each goes to a worker that can do it."""

from __future__ import annotations

import pytest
from django.utils import timezone

from evaluator import queue, serving
from evaluator.models import SILENT_AFTER, Job, Stage, Worker
from leaderboard.models import EvaluationSnapshot
from tests.evaluator.jobs import make_jobs

pytestmark = pytest.mark.django_db

SIMULATOR = {"simulated": True, "sdk": None}
SDK_23 = {"simulated": False, "sdk": {"api_level": 23, "version": "6.1.0.31"}}
SDK_22 = {"simulated": False, "sdk": {"api_level": 22, "version": "6.0.1.1"}}


@pytest.fixture
def job() -> Job:
    """A job of a snapshot with a real device, before its final build."""
    job = make_jobs().jobs.get()
    Job.objects.update(stage=Stage.BUILD_FINAL, pool="build")
    EvaluationSnapshot.objects.update(
        package_path="held",
        device_profile_simulated=False,
        sdk="API 23",
        toolchain="DevEco 6.1",
    )
    return job


@pytest.fixture
def mine(monkeypatch, settings):
    """Sets what this worker can build for."""
    settings.OHB_WORKER_POOLS = ["build"]

    def can(builds: dict) -> None:
        monkeypatch.setattr(serving, "builds_here", lambda: builds)

    return can


def other(builds: dict, *, silent: bool = False, pools: tuple[str, ...] = ("build",)):
    now = timezone.now()
    Worker.objects.create(
        name="other:1",
        pools=list(pools),
        capabilities={"builds": builds, "isolates": True},
        started_at=now,
        seen_at=now - SILENT_AFTER * 2 if silent else now,
    )


def claimed(job: Job) -> bool:
    lease = queue.claim(
        job.pk,
        owner="host:1",
        pools=["build"],
        isolated=True,
        leave=serving.builds_to_leave("host:1"),
    )
    return lease is not None


@pytest.mark.parametrize("builds", [SIMULATOR, SDK_22])
def test_a_build_is_left_to_the_worker_that_can_do_it(job, mine, builds):
    mine(builds)
    other(SDK_23)

    assert not claimed(job)


def test_a_worker_that_can_do_it_takes_it(job, mine):
    mine(SDK_23)
    other(SDK_23)

    assert claimed(job)


@pytest.mark.parametrize(
    "options", [{"silent": True}, {"pools": ("agent",)}, {"builds": SDK_22}]
)
def test_where_nobody_can_do_it_it_does_not_wait_for_ever(job, mine, options):
    """The attempt then says what is missing, which a queue cannot."""
    mine(SIMULATOR)
    other(**{"builds": SDK_23, **options})

    assert claimed(job)


def test_a_worker_with_an_sdk_leaves_simulated_builds_to_simulators(job, mine):
    EvaluationSnapshot.objects.update(device_profile_simulated=True)
    mine(SDK_23)
    other(SIMULATOR)

    assert not claimed(job)


def test_only_builds_are_left(job, mine):
    Job.objects.update(stage=Stage.AGENT)
    mine(SIMULATOR)
    other(SDK_23)

    assert claimed(job)
