"""Building with hvigorw, in a sandbox: the project's build scripts are code too."""

from __future__ import annotations

import shutil
import threading
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from evaluator.processes import Finished, finish
from evaluator.sandbox import Sandbox, SandboxError, excess_of, was_set_up
from evaluator.toolchains.base import BuildOutcome
from evaluator.toolchains.hvigor_log import (
    closing_line_says,
    not_simulated,
    read_diagnostics,
    reports_an_error,
    without_colors,
)
from evaluator.verdicts import InfraReason, Trouble

ARGUMENTS = (
    *("assembleHap", "--mode", "module", "-p", "product=default"),
    *("-p", "module=entry@default", "-p", "buildMode=debug", "--no-daemon"),
)
HVIGOR_FAILED = 255
MIN_FREE_BYTES = 64 * 1024 * 1024
MAX_PACKAGE_BYTES = 512 * 1024 * 1024

_MODULE_MARKS = ("build-profile.json5", "oh-package.json5", "hvigorfile.ts")
_NOT_FOUND_CODES = {126, 127}
_MAX_DEPTH = 3


@dataclass(frozen=True, slots=True)
class HvigorBuilder:
    """Builds with the ``hvigorw`` given, from clean every time.

    ``readable`` are the folders the tool needs besides its own; ``environment`` is
    all it gets, such as PATH, NODE_HOME, DEVECO_SDK_HOME and JAVA_HOME.
    """

    hvigorw: Path
    sandbox: Sandbox
    environment: Mapping[str, str]
    readable: tuple[Path, ...] = ()
    stop: threading.Event | None = None

    def build(self, workspace: Path, *, scratch: Path, deadline: float) -> BuildOutcome:
        """Build ``workspace``; whether it builds is decided by hvigor's closing line.

        A build that ends without one says nothing about the project, unless hvigor
        itself refused it with its own status for a failure.
        """
        began = time.monotonic()
        workspace, home = workspace.resolve(), scratch.resolve() / "home"
        if not self.hvigorw.is_file():
            return _trouble(InfraReason.TOOL_MISSING, f"{self.hvigorw} is missing")
        home.mkdir()
        remove_old_builds(workspace)
        try:
            process = self.sandbox.popen(
                [self.hvigorw, *ARGUMENTS],
                cwd=workspace,
                env={"LANG": "C.UTF-8", **self.environment, "HOME": str(home)},
                readable=[self.hvigorw.parent, *self.readable],
                writable=[workspace, home],
            )
        except (SandboxError, OSError) as error:
            return _trouble(InfraReason.SANDBOX, str(error))
        finished = finish(process, deadline=deadline, stop=self.stop)
        log = finished.output.replace(str(workspace).encode(), b"/project")
        outcome = BuildOutcome(
            ok=False,
            package=None,
            log=log,
            diagnostics=read_diagnostics(finished.output, workspace),
            seconds=time.monotonic() - began,
        )
        text = without_colors(finished.output)
        if excess := excess_of(process):
            # Whose doing that was, a build of the reference decides.
            return replace(
                outcome,
                log=log + f"\n[... the build was ended: it {excess} ...]\n".encode(),
                trouble=Trouble(InfraReason.RUNNER_CRASH, f"the build {excess}"),
            )
        trouble = _trouble_in(finished, text, set_up=was_set_up(process))
        if trouble is None and finished.exit_code and _disk_is_full(workspace):
            trouble = Trouble(InfraReason.DISK_FULL, "no room left for the build")
        if trouble is not None:
            return replace(outcome, trouble=trouble)
        if finished.exit_code != 0 or not closing_line_says(text, "SUCCESSFUL"):
            return outcome
        package = find_package(workspace)
        return replace(outcome, ok=package is not None, package=package)


def _trouble_in(finished: Finished, text: str, *, set_up: bool) -> Trouble | None:
    if finished.stopped:
        return Trouble(InfraReason.DRAIN, "told to stop during the build")
    if finished.timed_out:
        detail = f"the build did not end within {finished.seconds:.0f} s"
        return Trouble(InfraReason.DEADLINE, detail)
    last = next((line for line in reversed(text.splitlines()) if line.strip()), "")
    if not set_up:
        return Trouble(InfraReason.SANDBOX, f"the build never started: {last[:300]}")
    if names := not_simulated(text):
        return Trouble(InfraReason.NOT_SIMULATED, f"not simulated: {', '.join(names)}")
    if closing_line_says(text, "SUCCESSFUL") or closing_line_says(text, "FAILED"):
        return None
    if finished.exit_code == HVIGOR_FAILED and reports_an_error(text):
        return None
    reason = InfraReason.RUNNER_CRASH
    if finished.exit_code in _NOT_FOUND_CODES:
        reason = InfraReason.TOOL_MISSING
    detail = f"hvigorw ended with status {finished.exit_code}: {last[:300]}"
    return Trouble(reason, detail)


def _trouble(reason: InfraReason, detail: str) -> BuildOutcome:
    return BuildOutcome(False, None, b"", trouble=Trouble(reason, detail))


def _disk_is_full(workspace: Path) -> bool:
    return shutil.disk_usage(workspace).free < MIN_FREE_BYTES


def _modules(workspace: Path) -> Iterator[Path]:
    """The project's own folder and those of its modules."""
    yield workspace
    for depth in range(1, _MAX_DEPTH + 1):
        for mark in _MODULE_MARKS:
            pattern = "/".join(["*"] * depth + [mark])
            yield from (found.parent for found in workspace.glob(pattern))


def remove_old_builds(workspace: Path) -> None:
    """Remove what an earlier build, or the submission, left in build folders."""
    for module in set(_modules(workspace)):
        for name in ("build", ".hvigor"):
            folder = module / name
            if folder.is_symlink() or folder.is_file():
                folder.unlink()
            elif folder.is_dir():
                shutil.rmtree(folder)


def find_package(workspace: Path) -> Path | None:
    """The HAP that a build left, the signed one if both are there.

    A link, or a file behind one, is none: the build could point it anywhere.
    """
    found = [
        path
        for path in workspace.glob("*/build/*/outputs/*/*.hap")
        if path.is_file()
        and path == path.resolve()
        and path.stat().st_size <= MAX_PACKAGE_BYTES
    ]
    signed = [path for path in found if "unsigned" not in path.name]
    return min(signed or found, default=None)
