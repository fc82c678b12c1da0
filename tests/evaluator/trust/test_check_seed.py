"""The seed of an attempt: on its record, and the same in its control run."""

from __future__ import annotations

from evaluator import devices
from evaluator.models import Stage
from evaluator.toolchains.base import ChecksOutcome
from evaluator.verdicts import InfraReason, Trouble
from tests.evaluator.trust.toolchains import FakeChecks, good_toolchain


def test_the_control_run_meets_the_same_values_and_the_next_attempt_others(bench, plug):
    job = bench.step_to(bench.start_changed(), Stage.CHECKS)
    seeds: list[str] = []

    def hangs_at_first(scratch, suite):
        seeds.append(suite.seed)
        late = Trouble(InfraReason.DEADLINE, "did not end")
        return ChecksOutcome(trouble=late) if len(seeds) < 3 else None

    plug.append(good_toolchain(checks=FakeChecks(act=hangs_at_first)))

    # The reference hangs as well, so it is the device that is looked at askance.
    bench.step(job)
    devices.clear("FAKE", reason="looked at")
    bench.finish(job)

    first, control, second = seeds
    assert first == control != second
    assert job.facts["check_seed"] == second
    accepted = job.attempts.get(stage=Stage.CHECKS, accepted=True)
    assert accepted.report["facts"]["check_seed"] == second
