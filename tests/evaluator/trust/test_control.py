"""Doubtful ends: the reference decides whose doing they were, at the same place."""

from __future__ import annotations

from contextlib import contextmanager
from pathlib import Path

import pytest

from evaluator import devices
from evaluator.models import INFRA_BUDGET, AgentKind, Job, JobState, Stage
from evaluator.toolchains.base import (
    BuildOutcome,
    CheckOutcome,
    ChecksOutcome,
    Device,
)
from evaluator.verdicts import InfraReason, Trouble
from leaderboard.blobs import store_blob
from tests.evaluator.trust.toolchains import (
    FakeBuilder,
    FakeChecks,
    FakeDevices,
    good_toolchain,
)

HANGS = Trouble(InfraReason.DEADLINE, "did not end within 900 s")
CRASHES = Trouble(InfraReason.RUNNER_CRASH, "hvigorw ended with status 134")
REFUSED = Trouble(InfraReason.INSTALL, "hdc install: code:9568320")
RAISED = "[Script-0203002] Can't find component"
NOT_READY = Trouble(InfraReason.HDC, "no answer")


def is_control(folder: Path) -> bool:
    return "control" in folder.parts


def builder(submission=None, *, control=None) -> FakeBuilder:
    """Builds well, but for what it is told about the submission or the control run."""

    def act(workspace: Path, scratch: Path) -> BuildOutcome | None:
        answer = control if is_control(workspace) else submission
        if isinstance(answer, Trouble):
            return BuildOutcome(False, None, b"log", trouble=answer)
        return answer

    return FakeBuilder(act)


def checks(submission, *, control=None) -> FakeChecks:
    """The same for the checks; a string is the message of every failed F-point."""

    def act(scratch: Path, suite) -> ChecksOutcome | None:
        answer = control if is_control(scratch) else submission
        if isinstance(answer, Trouble):
            return ChecksOutcome(trouble=answer)
        if isinstance(answer, str):
            return ChecksOutcome(
                tuple(
                    CheckOutcome(each.f_point, passed=False, message=answer)
                    for each in suite.expected
                )
            )
        return answer

    return FakeChecks(act=act)


@pytest.mark.parametrize(
    ("trouble", "reason"), [(HANGS, "timed_out"), (CRASHES, "build_failed")]
)
def test_a_build_that_hangs_where_the_reference_builds_is_the_models_doing(
    trouble, reason, bench, plug
):
    job = bench.step_to(bench.start_changed(), Stage.BUILD_FINAL)
    plug.append(good_toolchain(builder=builder(trouble)))

    bench.step(job)

    assert (job.state, job.reason) == ("scored", reason)
    assert job.infra_left == INFRA_BUDGET
    assert "the reference was built" in job.facts["control"]
    assert not job.run.results.get().final_build_ok


def test_a_build_that_hangs_where_the_reference_hangs_too_is_our_trouble(bench, plug):
    job = bench.step_to(bench.start_changed(), Stage.BUILD_FINAL)
    plug.append(good_toolchain(builder=builder(HANGS, control=HANGS)))

    bench.step(job)

    assert (job.state, job.reason) == ("queued", "deadline")
    assert job.infra_left == INFRA_BUDGET - 1
    assert "control run: did not end" in job.detail


def test_a_build_fails_by_our_trouble_where_the_reference_does_not_build(bench, plug):
    job = bench.step_to(bench.start_changed(), Stage.BUILD_FINAL)
    broken = BuildOutcome(False, None, b"COMPILE RESULT:FAIL")
    plug.append(good_toolchain(builder=builder(CRASHES, control=broken)))

    bench.step(job)

    assert (job.state, job.reason) == ("queued", "runner_crash")


def test_a_first_build_that_hangs_is_recorded_and_decides_nothing(bench, plug):
    job = bench.step_to(bench.start_changed(), Stage.BUILD_FIRST)
    plug.append(good_toolchain(builder=builder(HANGS)))

    bench.step(job)

    assert (job.state, job.stage) == ("queued", "repair")
    assert job.facts["first_build_ok"] is False


@pytest.mark.parametrize(
    ("seen", "reason"),
    [
        (HANGS, "timed_out"),
        (REFUSED, "install_failed"),
        (RAISED, "check_failed"),
    ],
    ids=["hangs", "refused", "raised"],
)
def test_checks_that_end_badly_where_the_reference_passes_are_the_models_doing(
    seen, reason, bench, plug
):
    job = bench.step_to(bench.start_changed(), Stage.CHECKS)
    plug.append(good_toolchain(checks=checks(seen)))

    bench.step(job)

    assert (job.state, job.reason) == ("scored", reason)
    assert job.facts["control"] == "the reference passed every check"
    assert job.facts["device"] == "FAKE"
    assert not job.run.results.get().completed
    assert not devices.open_suspicions().exists()


@pytest.mark.parametrize("seen", [HANGS, REFUSED, RAISED], ids=str)
@pytest.mark.parametrize("control", [NOT_READY, RAISED], ids=["trouble", "fails"])
def test_a_device_on_which_the_reference_fails_too_is_to_blame(
    seen, control, bench, plug
):
    job = bench.step_to(bench.start_changed(), Stage.CHECKS)
    plug.append(good_toolchain(checks=checks(seen, control=control)))

    bench.step(job)

    assert job.state == JobState.QUEUED
    assert job.infra_left == INFRA_BUDGET - 1
    assert not job.run.results.exists()
    assert devices.open_suspicions().get().serial == "FAKE"


def telling_checks(*, base_passes: bool = False) -> FakeChecks:
    """The reference passes; the unchanged base as it is said."""

    def act(scratch: Path, suite) -> ChecksOutcome | None:
        passed = base_passes or "base" not in scratch.parts
        return ChecksOutcome(
            tuple(CheckOutcome(each.f_point, passed) for each in suite.expected)
        )

    return FakeChecks(act=act)


def test_a_suspect_device_that_cannot_tell_good_from_bad_is_not_used(bench, plug):
    job = bench.step_to(bench.start_changed(), Stage.CHECKS)
    devices.suspect("FAKE", reason="control run failed")
    plug.append(good_toolchain(checks=telling_checks(base_passes=True)))

    bench.step(job)

    assert (job.state, job.reason) == ("queued", "device_lost")
    assert "FAKE is suspect (control run failed): the unchanged base" in job.detail
    assert devices.open_suspicions().exists()


def test_a_suspect_device_comes_back_when_a_canary_passes_on_it(bench, plug):
    job = bench.step_to(bench.start_changed(), Stage.CHECKS)
    devices.suspect("FAKE", reason="control run failed")
    plug.append(good_toolchain(checks=telling_checks()))

    bench.step(job)

    assert (job.state, job.reason) == ("scored", "")
    assert not devices.open_suspicions().exists()


def test_a_device_is_held_by_one_running_attempt(bench, plug):
    one, other = (bench.step_to(bench.start_changed(), Stage.CHECKS) for _ in "12")
    bench.claim(other)
    other.refresh_from_db()
    devices.hold(other, "FAKE")

    bench.step(one)

    assert (one.state, one.reason) == ("queued", "device_lost")
    assert one.detail == "FAKE is in use by another attempt"


def test_the_device_that_had_the_trouble_is_avoided_the_next_time(bench, plug):
    job = bench.step_to(bench.start_changed(), Stage.CHECKS)
    asked = []

    class Shelf(FakeDevices):
        @contextmanager
        def lease(self, *, scratch, avoid=()):
            asked.append(set(avoid))
            serial = next(name for name in ("D1", "D2") if name not in avoid)
            yield Device(serial=serial, server_port=0, profile="Simulated")

    plug.append(good_toolchain(devices=Shelf(), checks=checks(NOT_READY)))
    for _ in range(2):
        Job.objects.filter(pk=job.pk).update(available_at=job.created_at)
        bench.step(job)

    assert asked == [set(), {"D1"}]
    assert [each.device for each in job.attempts.order_by("-fence")[:2]] == ["D2", "D1"]


def test_other_f_points_keep_their_verdicts_after_a_control_run(bench, plug):
    job = bench.step_to(bench.start_changed(), Stage.CHECKS)
    points = list(job.task.f_points.values_list("f_point", flat=True))
    mixed = ChecksOutcome(
        tuple(
            CheckOutcome(point, place > 0, "" if place else RAISED)
            for place, point in enumerate(points)
        )
    )
    plug.append(good_toolchain(checks=checks(mixed)))

    bench.step(job)

    assert job.run.results.get().f_points_passed == len(points) - 1


def test_a_failed_assertion_needs_no_control_run(bench, plug):
    job = bench.step_to(bench.start_changed(), Stage.CHECKS)
    plug.append(good_toolchain(checks=checks("[Script-0203003] false", control=HANGS)))

    bench.step(job)

    assert (job.state, job.reason) == ("scored", "check_failed")
    assert "control" not in job.facts


def test_the_package_that_the_reference_was_proved_with_is_used(bench, plug):
    job = bench.step_to(bench.start_changed(), Stage.CHECKS)
    proved = bench.start_changed()
    Job.objects.filter(pk=proved.pk).update(
        agent=AgentKind.REFERENCE,
        state=JobState.SCORED,
        facts={"package": store_blob(b"the proved package").sha256},
    )
    seen = []

    class Seeing(FakeChecks):
        def run(self, package, suite, device, *, scratch, deadline):
            seen.append(package.read_bytes())
            return super().run(
                package, suite, device, scratch=scratch, deadline=deadline
            )

    plug.append(
        good_toolchain(
            checks=Seeing(act=checks(HANGS)._act), builder=builder(HANGS, control=HANGS)
        )
    )

    bench.step(job)

    assert seen[-1] == b"the proved package"
    assert (job.state, job.reason) == ("scored", "timed_out")


def test_the_reference_has_time_of_its_own(bench, plug):
    job = bench.step_to(bench.start_changed(), Stage.CHECKS)
    deadlines = []

    class Timing(FakeChecks):
        def run(self, package, suite, device, *, scratch, deadline):
            deadlines.append(deadline)
            return super().run(
                package, suite, device, scratch=scratch, deadline=deadline
            )

    plug.append(good_toolchain(checks=Timing(act=checks(HANGS)._act)))

    bench.step(job)

    # The submission has used up its own time when it hangs.
    assert deadlines[1] - deadlines[0] >= 15 * 60


@pytest.mark.parametrize("agent", [AgentKind.NOOP, AgentKind.REFERENCE])
def test_the_built_in_agents_are_not_held_against_themselves(agent, bench, plug):
    job = bench.step_to(bench.start_changed(), Stage.CHECKS)
    Job.objects.filter(pk=job.pk).update(agent=agent)
    plug.append(good_toolchain(checks=checks(HANGS)))

    bench.step(job)

    assert (job.state, job.reason) == ("queued", "deadline")
