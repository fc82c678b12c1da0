"""What goes wrong, how it is named, and what it costs: the table of faults.

``docs/reliability.md`` shows the same table to people.
"""

from __future__ import annotations

import errno
import re
from contextlib import contextmanager
from pathlib import Path

import pytest
from django.conf import settings as django_settings

from evaluator.models import INFRA_BUDGET, Job, JobState, Stage
from evaluator.patches import GateError
from evaluator.sandbox import SandboxError, SandboxUnavailableError
from evaluator.toolchains.base import (
    BuildOutcome,
    ChecksOutcome,
    Device,
    DeviceUnavailableError,
    Diagnostic,
)
from evaluator.toolchains.registry import ToolchainMissingError
from evaluator.verdicts import FailReason, InfraReason, Trouble
from evaluator.workspaces import WorkspaceError
from leaderboard.models import TaskResult
from leaderboard.snapshots import PackageNotHeldError
from tests.evaluator.trust.toolchains import (
    FakeBuilder,
    FakeChecks,
    FakeDevices,
    good_toolchain,
)

DOCUMENT = Path(django_settings.BASE_DIR) / "docs" / "reliability.md"
DISK_FULL = OSError(errno.ENOSPC, "No space left on device")


def raising(error: Exception):
    def act(*_):
        raise error

    return act


def expect_ours(job: Job, reason: InfraReason) -> None:
    """Tried again at a cost of one, never scored, never dropped."""
    assert (job.state, job.reason) == (JobState.QUEUED, reason), job.detail
    assert job.infra_left == INFRA_BUDGET - 1
    assert job.attempts.last().outcome == "infrastructure"
    assert not TaskResult.objects.exists()


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (ToolchainMissingError("no device here"), InfraReason.TOOL_MISSING),
        (SandboxError("no user namespaces"), InfraReason.SANDBOX),
        (SandboxUnavailableError("no bubblewrap"), InfraReason.SANDBOX),
        (WorkspaceError("a link"), InfraReason.WORKSPACE),
        (GateError("git is missing"), InfraReason.WORKSPACE),
        (PackageNotHeldError("demo"), InfraReason.WORKSPACE),
        (DISK_FULL, InfraReason.DISK_FULL),
        (PermissionError(errno.EACCES, "denied"), InfraReason.INTERNAL),
        (KeyError("package"), InfraReason.INTERNAL),
        (MemoryError(), InfraReason.INTERNAL),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, Exception) else value,
)
def test_a_stage_that_breaks_on_our_side_is_trouble_of_ours(error, reason, bench, plug):
    job = bench.step_to(bench.start_changed(), Stage.BUILD_FINAL)
    plug.append(good_toolchain(builder=FakeBuilder(raising(error))))

    expect_ours(bench.step(job), reason)


def test_a_device_that_cannot_be_lent_is_trouble_of_ours(bench, plug):
    job = bench.step_to(bench.start_changed(), Stage.CHECKS)
    none = DeviceUnavailableError("none is connected")
    plug.append(good_toolchain(devices=FakeDevices(raising(none))))

    expect_ours(bench.step(job), InfraReason.DEVICE_LOST)


def test_a_stored_file_that_is_gone_is_trouble_of_ours(bench):
    job = bench.step_to(bench.start_changed(), Stage.CHECKS)
    Job.objects.filter(pk=job.pk).update(facts={**job.facts, "package": "0" * 64})

    expect_ours(bench.step(job), InfraReason.STORAGE)


def test_a_disk_that_is_full_when_artifacts_are_kept_is_trouble_of_ours(
    bench, monkeypatch
):
    job = bench.step_to(bench.start_changed(), Stage.BUILD_FINAL)
    monkeypatch.setattr("evaluator.artifacts.store_blob", raising(DISK_FULL))

    expect_ours(bench.step(job), InfraReason.DISK_FULL)


DOUBTFUL = {InfraReason.DEADLINE, InfraReason.RUNNER_CRASH, InfraReason.INSTALL}


def ends_of(job: Job, bench, plug, toolchain_with) -> None:
    """Let one stage end in each trouble that leaves no doubt, one after the other."""
    for reason in set(InfraReason) - DOUBTFUL - {InfraReason.DRAIN}:
        plug.append(toolchain_with(Trouble(reason, "seen")))
        Job.objects.filter(pk=job.pk).update(
            infra_left=INFRA_BUDGET, available_at=job.created_at
        )
        expect_ours(bench.step(job), reason)
        # So much trouble in a row would pause the pool.
        job.attempts.update(pool="elsewhere")


def test_trouble_that_a_build_reports_is_ours(bench, plug):
    job = bench.step_to(bench.start_changed(), Stage.BUILD_FINAL)

    def toolchain_with(trouble: Trouble):
        outcome = BuildOutcome(False, None, b"", trouble=trouble)
        return good_toolchain(builder=FakeBuilder(lambda *_: outcome))

    ends_of(job, bench, plug, toolchain_with)


def test_trouble_that_checks_report_is_ours(bench, plug):
    job = bench.step_to(bench.start_changed(), Stage.CHECKS)
    serials = iter("ABCDEFGHIJKLMNOPQRSTUVWXYZ")

    class Shelf(FakeDevices):
        @contextmanager
        def lease(self, *, scratch, avoid=()):
            yield Device(serial=next(serials), server_port=0, profile="Simulated")

    def toolchain_with(trouble: Trouble):
        outcome = ChecksOutcome(trouble=trouble)
        checks = FakeChecks(act=lambda *_: outcome)
        return good_toolchain(checks=checks, devices=Shelf())

    ends_of(job, bench, plug, toolchain_with)


@pytest.mark.parametrize(
    ("toolchain", "reason"),
    [
        (
            good_toolchain(
                builder=FakeBuilder(
                    lambda *_: BuildOutcome(
                        False, None, b"", (Diagnostic("1", "wrong", "a.ets", 1, 1),)
                    )
                )
            ),
            FailReason.BUILD_FAILED,
        ),
        (
            good_toolchain(checks=FakeChecks(passed=False)),
            FailReason.CHECK_FAILED,
        ),
        (
            good_toolchain(
                checks=FakeChecks(act=lambda *_: ChecksOutcome(install_ok=False))
            ),
            FailReason.INSTALL_FAILED,
        ),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_what_the_model_did_is_final_at_once(toolchain, reason, bench, plug):
    plug.append(toolchain)

    job = bench.finish(bench.start_changed())

    assert (job.state, job.reason) == (JobState.SCORED, reason)
    assert job.infra_left == INFRA_BUDGET
    assert not job.attempts.filter(outcome="infrastructure").exists()
    assert not TaskResult.objects.get(run=job.run, task=job.task).completed


def test_the_document_names_every_reason_and_its_class():
    rows = re.findall(r"(?m)^\| `([a-z_]+)` \| (ours|theirs) \|", DOCUMENT.read_text())

    assert sorted(rows) == sorted(
        [(reason.value, "ours") for reason in InfraReason]
        + [(reason.value, "theirs") for reason in FailReason]
    )
