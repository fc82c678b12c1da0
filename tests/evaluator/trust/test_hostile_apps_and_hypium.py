"""The same attackers before the real Hypium and the hidden checks of the demo task."""

from __future__ import annotations

import pytest

from evaluator.capability import privacy
from evaluator.models import JobState, Stage
from evaluator.toolchains.registry import ToolchainSettings, toolchain_for
from evaluator.verdicts import FailReason
from tests.demo import DEMO
from tests.evaluator.simulator.arkts import NODE
from tests.evaluator.trust.bench import TASK, artifact
from tests.evaluator.trust.hostile import (
    build,
    hostile_code,
    with_code,
    with_package,
)

pytestmark = [pytest.mark.hypium, pytest.mark.sandbox]

FOLDER = DEMO / "tasks" / TASK


@pytest.fixture(scope="module")
def reference(tmp_path_factory):
    """The package of the reference solution, which passes every hidden check."""
    folder = tmp_path_factory.mktemp("reference")
    return build(FOLDER / "base", folder, patch=FOLDER / "reference.patch")


@pytest.fixture(scope="module")
def base(tmp_path_factory):
    return build(FOLDER / "base", tmp_path_factory.mktemp("base"))


@pytest.mark.parametrize(
    "name", ["forged_result_lines", "forged_replies", "report_files", "kills_itself"]
)
def test_the_real_hypium_gives_a_hostile_app_nothing(
    committed_db, bench, plug, base, reference, tmp_path, settings, name
):
    tools = ToolchainSettings(
        settings.OHB_HYPIUM_PYTHON, node=NODE, sandbox_mode="bwrap", privacy=privacy()
    )
    package = with_code(base, tmp_path / "app.hap", hostile_code(name))
    toolchain = toolchain_for(True, settings=tools)
    plug.append(with_package(toolchain, package, reference=reference))
    job = bench.step_to(bench.start_changed(), Stage.CHECKS)

    bench.step(job)

    assert (job.state, job.reason) == (JobState.SCORED, FailReason.CHECK_FAILED)
    verdicts = job.facts["f_points"]
    assert len(verdicts) == 4
    assert not any(each["passed"] for each in verdicts.values())
    assert b"chat_input_bar" in artifact(job, "checks/summary_report.xml")
