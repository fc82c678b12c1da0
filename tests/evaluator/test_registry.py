"""The simulated toolchain as a whole: what it needs, and a demo task all through it."""

from __future__ import annotations

import json
import shutil
import subprocess
import time
from pathlib import Path

import pytest

from evaluator.sandbox import HostSandbox
from evaluator.toolchains.base import ChecksOutcome, CheckSuite, ExpectedCheck
from evaluator.toolchains.registry import (
    ToolchainMissingError,
    ToolchainSettings,
    missing_tools,
    toolchain_for,
)
from evaluator.verdicts import InfraReason

TASK = Path(__file__).parents[2] / "fixtures/snapshots/demo/tasks/chat-input-bar"


def test_a_snapshot_with_a_real_device_is_refused_where_there_is_none(tmp_path: Path):
    settings = ToolchainSettings(hypium_python=tmp_path / "python")

    with pytest.raises(ToolchainMissingError, match="neither SDK nor device") as raised:
        toolchain_for(False, settings=settings)

    assert raised.value.trouble.reason is InfraReason.TOOL_MISSING


def test_a_node_that_is_not_there_is_named_with_its_setting(tmp_path: Path):
    settings = ToolchainSettings(tmp_path / "python", node=tmp_path / "node")

    with pytest.raises(ToolchainMissingError, match="OHB_NODE"):
        toolchain_for(True, settings=settings, sandbox=HostSandbox())

    lacking = " ".join(missing_tools(settings))
    assert "OHB_NODE" in lacking
    assert "OHB_HYPIUM_PYTHON" in lacking


def evaluate(
    folder: Path, python: Path, *, node: Path | None, patched: bool
) -> ChecksOutcome:
    """Build the demo's chat task and run its hidden checks."""
    workspace = folder / "workspace"
    shutil.copytree(TASK / "base", workspace)
    if patched:
        patch = ["git", "apply", str(TASK / "reference.patch")]
        subprocess.run(patch, cwd=workspace, check=True)
    task = json.loads((TASK / "task.json").read_text())
    expected = [
        ExpectedCheck(point["id"], point["case"], point["method"])
        for point in task["f_points"]
    ]
    suite = CheckSuite(TASK / "checks", task["bundle_name"], tuple(expected))
    toolchain = toolchain_for(
        True,
        settings=ToolchainSettings(python, node=node, sandbox_mode="none"),
        sandbox=HostSandbox(),
    )
    for name in ("build", "device", "checks"):
        (folder / name).mkdir()
    deadline = time.monotonic() + 600
    built = toolchain.builder.build(
        workspace, scratch=folder / "build", deadline=deadline
    )
    assert built.ok, built.log.decode()
    assert built.package is not None
    with toolchain.devices.lease(scratch=folder / "device") as device:
        return toolchain.checks.run(
            built.package, suite, device, scratch=folder / "checks", deadline=deadline
        )


@pytest.mark.hypium
@pytest.mark.parametrize("patched", [True, False], ids=["reference", "base"])
def test_the_reference_passes_every_f_point_and_the_base_none(
    tmp_path: Path, settings, patched: bool
):
    node = Path(settings.OHB_NODE) if settings.OHB_NODE else None
    outcome = evaluate(tmp_path, settings.OHB_HYPIUM_PYTHON, node=node, patched=patched)

    assert outcome.trouble is None
    assert len(outcome.outcomes) == 4
    assert {check.passed for check in outcome.outcomes} == {patched}
