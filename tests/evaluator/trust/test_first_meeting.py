"""The first meeting: every step is told, and the first that fails is the last."""

from __future__ import annotations

from pathlib import Path

import pytest

from evaluator.doctor.meeting import Step, build_only, meet
from evaluator.toolchains.base import (
    BuildOutcome,
    ChecksOutcome,
    DeviceUnavailableError,
    Diagnostic,
)
from evaluator.verdicts import InfraReason, Trouble
from tests.evaluator.trust.toolchains import (
    FakeBuilder,
    FakeChecks,
    FakeDevices,
    good_toolchain,
)

STEPS = [
    "gate: base",
    "build: base",
    "gate: reference",
    "build: reference",
    "device",
    "install and check: base",
    "install and check: reference",
]


def checks(*, base_passes: bool = False) -> FakeChecks:
    """Passes the reference, and the base only if told to."""

    def act(scratch: Path, suite) -> ChecksOutcome | None:
        is_base = "checks-base" in scratch.parts
        if is_base and not base_passes:
            return FakeChecks(passed=False).run(
                scratch, suite, None, scratch=scratch, deadline=0
            )
        return None

    return FakeChecks(act=act)


def held(bench, *, builds: bool = True, package: Path | None = None, **parts):
    steps: list[Step] = []
    parts.setdefault("checks", checks())
    well = meet(
        bench.task(),
        good_toolchain(**parts),
        steps.append,
        builds=builds,
        package=package,
    )
    return well, steps


def test_every_step_is_told_where_all_is_well(bench):
    well, steps = held(bench)

    assert well
    assert [step.name for step in steps] == STEPS
    assert all(step.ok for step in steps)
    assert steps[-1].detail == "4 of 4 F-points passed"


def no_device() -> None:
    raise DeviceUnavailableError("A1: not connected")


def broken_build(*_: Path) -> BuildOutcome:
    message = Diagnostic("10505001", "Property 'rain' does not exist.", "Index.ets", 3)
    return BuildOutcome(False, None, b"x\nBUILD FAILED", (message,))


def no_sdk(*_: Path) -> BuildOutcome:
    trouble = Trouble(InfraReason.TOOL_MISSING, "missing on this worker: the SDK")
    return BuildOutcome(False, None, b"", trouble=trouble)


@pytest.mark.parametrize(
    ("parts", "failed", "said"),
    [
        ({"builder": FakeBuilder(broken_build)}, "build: base", "Property 'rain'"),
        ({"builder": FakeBuilder(no_sdk)}, "build: base", "the SDK"),
        ({"devices": FakeDevices(no_device)}, "device", "A1: not connected"),
        (
            {"checks": checks(base_passes=True)},
            "install and check: base",
            "not all were expected",
        ),
        (
            {"checks": FakeChecks(passed=False)},
            "install and check: reference",
            "0 of 4 F-points passed, all were expected",
        ),
    ],
)
def test_the_step_that_fails_ends_the_meeting(bench, parts, failed, said):
    well, steps = held(bench, **parts)

    assert not well
    assert [step.ok for step in steps] == [True] * (len(steps) - 1) + [False]
    assert steps[-1].name == failed
    assert said in steps[-1].detail


def test_a_worker_that_cannot_build_meets_with_a_package(bench, tmp_path: Path):
    package = tmp_path / "reference.hap"
    package.write_bytes(b"hap")

    well, steps = held(
        bench, builds=False, package=package, builder=FakeBuilder(no_sdk)
    )

    assert well
    assert [step.name for step in steps] == ["device", "install and check: reference"]


def test_a_worker_without_devices_meets_as_far_as_it_goes(bench):
    steps: list[Step] = []

    assert build_only(bench.task(), good_toolchain(), steps.append)

    assert [step.name for step in steps] == STEPS[:4]


def test_a_meeting_leaves_nothing_behind(bench, settings):
    held(bench)

    assert not list(settings.WORK_DIR.glob("meeting-*"))
