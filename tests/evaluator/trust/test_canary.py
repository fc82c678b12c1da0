"""A paused pool goes on when a task with a known answer gets that answer."""

from __future__ import annotations

import threading
from datetime import timedelta

import pytest
from django.utils import timezone

from evaluator import breaker, canary
from evaluator.models import Job, PoolPause, Stage
from evaluator.toolchains.base import BuildOutcome, CheckOutcome, ChecksOutcome
from evaluator.verdicts import InfraReason, Trouble
from leaderboard.models import AuditEvent, TaskResult
from tests.evaluator.trust.toolchains import FakeBuilder, FakeChecks, good_toolchain

POOLS = {
    "agent": Stage.BUILD_FIRST,
    "build": Stage.CHECKS,
    "device.simulated-pura-90-pro-max": Stage.CHECKS,
}


def telling(scratch, suite) -> ChecksOutcome:
    passed = "base" not in scratch.parts
    return ChecksOutcome(
        tuple(CheckOutcome(each.f_point, passed) for each in suite.expected)
    )


@pytest.fixture
def paused(bench, plug):
    """Pause one pool, after it has worked on a job."""

    def pause(pool: str) -> None:
        job = bench.step_to(bench.start_changed(), Stage.CHECKS)
        if pool.startswith("device"):
            bench.step(job)
        PoolPause.objects.create(
            pool=pool, since=timezone.now() - timedelta(hours=1), reason="trouble"
        )

    return pause


def send(pool: str) -> str | None:
    return canary.send_due([pool], stop=threading.Event())


@pytest.mark.parametrize("pool", POOLS)
def test_a_pool_goes_on_when_its_canary_passed(pool, paused, plug):
    paused(pool)
    plug.append(good_toolchain(checks=FakeChecks(act=telling)))
    results = TaskResult.objects.count()

    assert send(pool) == pool

    assert not breaker.is_paused(pool)
    event = AuditEvent.objects.get(act="resume pool")
    assert event.reason.startswith("canary: ")
    assert TaskResult.objects.count() == results


@pytest.mark.parametrize(
    ("pool", "toolchain", "said"),
    [
        (
            "build",
            good_toolchain(
                builder=FakeBuilder(
                    lambda *_: BuildOutcome(
                        False, None, b"", trouble=Trouble(InfraReason.SANDBOX, "shut")
                    )
                )
            ),
            "shut",
        ),
        ("device.simulated-pura-90-pro-max", good_toolchain(), "base passed"),
        (
            "device.simulated-pura-90-pro-max",
            good_toolchain(checks=FakeChecks(passed=False)),
            "the reference failed",
        ),
    ],
    ids=["no-build", "everything-passes", "nothing-passes"],
)
def test_a_pool_stays_paused_when_its_canary_did_not(
    pool, toolchain, said, paused, plug, caplog, settings
):
    settings.OHB_BACKOFF_FACTOR = 1.0
    paused(pool)
    plug.append(toolchain)

    assert send(pool) == pool

    assert breaker.is_paused(pool)
    assert said in caplog.text
    assert send(pool) is None


def test_a_worker_that_breaks_under_a_canary_leaves_the_pause(paused, plug, caplog):
    def explode(*_):
        raise RuntimeError("no such board")

    paused("build")
    plug.append(good_toolchain(builder=FakeBuilder(explode)))

    assert send("build") == "build"

    assert breaker.is_paused("build")
    assert "no such board" in caplog.text


def test_a_pool_that_never_worked_has_no_canary(paused, caplog):
    paused("build")
    PoolPause.objects.update(pool="device.unknown")

    assert send("device.unknown") == "device.unknown"
    assert breaker.is_paused("device.unknown")


def test_a_canary_leaves_no_folder(paused, plug, settings):
    paused("build")
    assert Job.objects.exists()

    send("build")

    assert not list(settings.WORK_DIR.iterdir())
