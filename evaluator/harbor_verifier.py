"""The verifier of exported Harbor tasks: gate, build and checks as the evaluator does.

``python -m evaluator.harbor_verifier --task DIR --patch FILE --output DIR`` writes
``reward.txt`` (0 or 1), ``ctrf.json`` and ``details.json``. What is our own trouble
writes no reward and ends with 1: Harbor then counts neither a pass nor a failure. There
are no control runs and no database here, so the word of this verifier is no official
result. Knows nothing of Django's models.
"""

from __future__ import annotations

import argparse
import json
import shutil
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from evaluator.patches import GateError, GateResult, apply_patch
from evaluator.sandbox import Privacy, Sandbox, SandboxError, open_sandbox
from evaluator.toolchains.base import (
    CheckOutcome,
    ChecksOutcome,
    CheckSuite,
    DeviceUnavailableError,
    ExpectedCheck,
    Toolchain,
)
from evaluator.toolchains.registry import (
    ToolchainMissingError,
    ToolchainSettings,
    toolchain_for,
)
from evaluator.verdicts import Trouble, doubt_about_checks
from evaluator.workspaces import WorkspaceError, tree_digest
from leaderboard.config.env import env_text

BUILD_SECONDS = 15 * 60
INSTALL_SECONDS = 3 * 60
CHECK_SECONDS = 5 * 60
TOOL_NAME = "openharmony-bench"


@dataclass(frozen=True, slots=True)
class Task:
    """An exported task: its folder, and what its ``verifier.json`` says."""

    folder: Path
    facts: dict[str, Any]

    @property
    def f_points(self) -> list[str]:
        return [each["id"] for each in self.facts["f_points"]]

    def suite(self) -> CheckSuite:
        return CheckSuite(
            folder=self.folder / "checks",
            bundle_name=self.facts["bundle_name"],
            expected=tuple(
                ExpectedCheck(
                    each["id"],
                    each["case"],
                    each["method"],
                    required=each.get("required", True),
                )
                for each in self.facts["f_points"]
            ),
        )


@dataclass(frozen=True, slots=True)
class Verdict:
    """What was found. ``final_build`` and ``outcomes`` are empty where not reached."""

    gate: GateResult | None = None
    final_build: bool | None = None
    outcomes: tuple[CheckOutcome, ...] = ()
    install_ok: bool = True
    satisfied: bool = False
    build_log: bytes = b""
    trouble: str | None = None

    @property
    def completed(self) -> bool:
        """An untouched project completes nothing, whatever its checks say."""
        return self.gate is not None and not self.gate.empty and self.satisfied


class TroubleError(Exception):
    """Our own trouble; nothing is said about the patch."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Verify one patch; 1 where nothing can be said about it."""
    parser = argparse.ArgumentParser(description=__doc__)
    for name in ("--task", "--patch", "--output"):
        parser.add_argument(name, type=Path, required=True)
    given = parser.parse_args(arguments)
    text = (given.task / "verifier.json").read_text("utf-8")
    task = Task(given.task.resolve(), json.loads(text))
    # Without a patch nothing was collected: the agent left no change.
    patch = given.patch.read_bytes() if given.patch.is_file() else b""
    began = time.time()
    verdict = verify(task, patch)
    write(verdict, task, given.output, began=began)
    if verdict.trouble is not None:
        sys.stderr.write(f"Not decided: {verdict.trouble}\n")
        return 1
    return 0


def verify(task: Task, patch: bytes) -> Verdict:
    """Judge ``patch`` on the pristine base project of ``task``."""
    with tempfile.TemporaryDirectory(prefix="ohb-verifier-") as name:
        try:
            return _verify(task, patch, Path(name))
        except (
            TroubleError,
            GateError,
            WorkspaceError,
            SandboxError,
            ToolchainMissingError,
            DeviceUnavailableError,
        ) as error:
            return Verdict(trouble=str(error))


def write(verdict: Verdict, task: Task, folder: Path, *, began: float) -> None:
    """The files that Harbor and our reader of its jobs know."""
    folder.mkdir(parents=True, exist_ok=True)
    _write_json(folder / "ctrf.json", _ctrf(verdict, task, began=began))
    _write_json(folder / "details.json", _details(verdict, task))
    if verdict.build_log:
        (folder / "build.log").write_bytes(verdict.build_log)
    if verdict.trouble is None:
        (folder / "reward.txt").write_text(f"{int(verdict.completed)}\n")


def _verify(task: Task, patch: bytes, scratch: Path) -> Verdict:
    if tree_digest(task.folder / "base") != task.facts["base_digest"]:
        raise TroubleError("the base project is not the one of the task")
    sandbox, toolchain = _tools(task)
    workspace = scratch / "workspace"
    gate = apply_patch(
        task.folder / "base",
        patch,
        workspace,
        allowed_build_paths=task.facts["build_paths"],
        sandbox=sandbox,
    )
    if not gate.accepted:
        return Verdict(gate, final_build=False)
    for name in ("build", "device", "checks"):
        (scratch / name).mkdir()
    built = toolchain.builder.build(
        workspace,
        scratch=scratch / "build",
        deadline=time.monotonic() + BUILD_SECONDS,
    )
    _refuse(built.trouble)
    if not built.ok or built.package is None:
        return Verdict(gate, final_build=False, build_log=built.log)
    package = Path(shutil.copy(built.package, scratch / "app.hap"))
    found = _checked(toolchain, package, task, scratch)
    return Verdict(
        gate,
        final_build=True,
        outcomes=found.outcomes,
        install_ok=found.install_ok,
        satisfied=task.suite().satisfied(found),
        build_log=built.log,
    )


def _tools(task: Task) -> tuple[Sandbox, Toolchain]:
    privacy = Privacy(closed=(task.folder,))
    sandbox = open_sandbox(env_text("OHB_SANDBOX", default="auto"), privacy=privacy)
    node = env_text("OHB_NODE", default="")
    settings = ToolchainSettings(
        hypium_python=Path(env_text("OHB_HYPIUM_PYTHON", default=sys.executable)),
        node=Path(node) if node else None,
        sandbox_mode=sandbox.name,
        privacy=privacy,
    )
    return sandbox, toolchain_for(
        task.facts["simulated"], settings=settings, sandbox=sandbox
    )


def _checked(
    toolchain: Toolchain, package: Path, task: Task, scratch: Path
) -> ChecksOutcome:
    seconds = INSTALL_SECONDS + CHECK_SECONDS * len(task.f_points)
    with toolchain.devices.lease(scratch=scratch / "device") as device:
        found = toolchain.checks.run(
            package,
            task.suite(),
            device,
            scratch=scratch / "checks",
            deadline=time.monotonic() + seconds,
        )
    _refuse(found.trouble)
    return found


def _refuse(trouble: Trouble | None) -> None:
    """What a control run would have to decide is left undecided as well."""
    if trouble is not None:
        raise TroubleError(f"{trouble.reason}: {trouble.detail}")


def _ctrf(verdict: Verdict, task: Task, *, began: float) -> dict[str, Any]:
    """One test an F-point (https://ctrf.io); those not reached are skipped."""
    found = {each.f_point: each for each in verdict.outcomes}
    tests = [_test(name, found.get(name)) for name in task.f_points]
    count = [each["status"] for each in tests].count
    return {
        "results": {
            "tool": {"name": TOOL_NAME},
            "summary": {
                "tests": len(tests),
                **{
                    status: count(status)
                    for status in ("passed", "failed", "skipped", "pending", "other")
                },
                "start": round(began * 1000),
                "stop": round(time.time() * 1000),
            },
            "tests": tests,
        }
    }


def _test(name: str, outcome: CheckOutcome | None) -> dict[str, Any]:
    if outcome is None:
        return {"name": name, "status": "skipped", "duration": 0}
    told = {"message": outcome.message} if outcome.message else {}
    return {
        "name": name,
        "status": "passed" if outcome.passed else "failed",
        "duration": round(outcome.seconds * 1000),
        **told,
    }


def _details(verdict: Verdict, task: Task) -> dict[str, Any]:
    gate = verdict.gate
    tests = _ctrf(verdict, task, began=0)["results"]["tests"]
    doubt = doubt_about_checks(
        None, [each.message for each in verdict.outcomes if not each.passed]
    )
    return {
        "task": task.facts["slug"],
        "non_empty_diff": None if gate is None else not gate.empty,
        "patch_applied": None if gate is None else gate.applies,
        "patch_accepted": None if gate is None else gate.accepted,
        "problems": [f"{each.path}: {each.detail}" for each in gate.problems]
        if gate is not None
        else [],
        "final_build": verdict.final_build,
        "install_ok": verdict.install_ok if verdict.outcomes else None,
        "f_points": {each["name"]: each["status"] for each in tests},
        "in_doubt": doubt is not None,
        "completed": None if verdict.trouble is not None else verdict.completed,
        "trouble": verdict.trouble,
    }


def _write_json(path: Path, content: dict[str, Any]) -> None:
    text = json.dumps(content, indent=2, ensure_ascii=False)
    path.write_text(f"{text}\n", encoding="utf-8")


if __name__ == "__main__":
    raise SystemExit(main())
