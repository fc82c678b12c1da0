"""Devices that outlive a lease: who is taken out of use, and who may check on them."""

from __future__ import annotations

import pytest

from evaluator import devices
from evaluator.models import AgentKind, Job, Stage
from evaluator.toolchains.base import BuildOutcome, ChecksOutcome
from evaluator.verdicts import InfraReason, Trouble
from leaderboard.blobs import store_blob
from leaderboard.models import EvaluationSnapshot
from tests.evaluator.trust.toolchains import FakeBuilder, FakeChecks, good_toolchain

NO_SDK = Trouble(InfraReason.TOOL_MISSING, "missing on this worker: the SDK")


@pytest.fixture
def real(bench):
    """The bench, as if its snapshot named a real device."""
    EvaluationSnapshot.objects.filter(pk=bench.snapshot.pk).update(
        device_profile_simulated=False
    )
    return bench


def ended(trouble: Trouble | str) -> FakeChecks:
    """Checks that end in trouble, or fail with a message that leaves a doubt."""

    def act(scratch, suite) -> ChecksOutcome | None:
        if {"control", "canary"} & set(scratch.parts):
            return None
        if isinstance(trouble, Trouble):
            return ChecksOutcome(trouble=trouble)
        return None

    return FakeChecks(act=act)


def without_an_sdk() -> FakeBuilder:
    return FakeBuilder(lambda *_: BuildOutcome(False, None, b"", trouble=NO_SDK))


@pytest.mark.parametrize("reason", [InfraReason.DEVICE_LOST, InfraReason.DEVICE_FAULT])
def test_a_device_that_is_lost_or_broken_is_taken_out_of_use(real, plug, reason):
    job = real.step_to(real.start_changed(), Stage.CHECKS)
    plug.append(good_toolchain(checks=ended(Trouble(reason, "it went dark"))))

    real.step(job)

    assert job.reason == reason
    assert devices.suspicion_of("FAKE").reason == "it went dark"
    assert devices.less_wanted_devices(job) == {"FAKE"}


def test_a_simulated_device_that_is_lost_concerns_nobody_else(bench, plug):
    job = bench.step_to(bench.start_changed(), Stage.CHECKS)
    lost = Trouble(InfraReason.DEVICE_LOST, "it went dark")
    plug.append(good_toolchain(checks=ended(lost)))

    bench.step(job)

    assert devices.suspicion_of("FAKE") is None


def test_trouble_that_is_not_the_devices_leaves_it_in_use(real, plug):
    job = real.step_to(real.start_changed(), Stage.CHECKS)
    broken = Trouble(InfraReason.CHECK_BROKEN, "no such script")
    plug.append(good_toolchain(checks=ended(broken)))

    real.step(job)

    assert devices.suspicion_of("FAKE") is None


def test_a_worker_without_an_sdk_suspects_no_device_for_it(real, plug):
    """A doubt that cannot be decided there is our trouble, not the device's."""
    job = real.step_to(real.start_changed(), Stage.CHECKS)
    doubt = Trouble(InfraReason.INSTALL, "hdc install: code:9568320")
    plug.append(good_toolchain(builder=without_an_sdk(), checks=ended(doubt)))

    real.step(job)

    assert job.reason == InfraReason.INSTALL
    assert "missing on this worker" in job.detail
    assert devices.suspicion_of("FAKE") is None


def test_baselines_that_were_decided_prove_a_device_without_an_sdk(real, plug):
    """Their packages are known: a device worker needs no build to send a canary."""
    for agent in (AgentKind.REFERENCE, AgentKind.NOOP):
        other = real.start_changed()
        facts = {"package": store_blob(agent.encode()).sha256}
        reason = "" if agent == AgentKind.REFERENCE else "no_change"
        Job.objects.filter(pk=other.pk).update(
            agent=agent, state="scored", facts=facts, reason=reason
        )
    job = real.step_to(real.start_changed(), Stage.CHECKS)
    devices.suspect("FAKE", reason="it went dark")
    seen: list[bytes] = []

    def act(scratch, suite) -> ChecksOutcome | None:
        package = (scratch.parent / "app.hap").read_bytes()
        seen.append(package)
        if package == b"noop":
            return FakeChecks(passed=False).run(
                scratch, suite, None, scratch=scratch, deadline=0
            )
        return None

    plug.append(good_toolchain(builder=without_an_sdk(), checks=FakeChecks(act=act)))

    real.step(job)

    assert seen == [b"reference", b"noop", b"a package"]
    assert devices.suspicion_of("FAKE") is None
    assert job.state == "scored"


def test_checks_on_a_real_device_need_no_sandbox(real):
    """The app runs on the device; everything before it does not."""
    job = real.start_changed()
    assert real.claim(job, isolated=False) is None

    real.step_to(job, Stage.CHECKS)

    assert real.claim(job, isolated=False) is not None


def test_checks_on_a_simulated_device_do(bench):
    job = bench.step_to(bench.start_changed(), Stage.CHECKS)

    assert bench.claim(job, isolated=False) is None
