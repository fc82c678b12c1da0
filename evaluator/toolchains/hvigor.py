"""Building with hvigorw, in a sandbox: the project's build scripts are code too."""

from __future__ import annotations

import shutil
import subprocess
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from evaluator.processes import Finished, finish
from evaluator.sandbox import Limits, Sandbox, SandboxError, excess_of, was_set_up
from evaluator.sandbox.base import DEFAULT_LIMITS
from evaluator.toolchains.base import BuildOutcome, Diagnostic
from evaluator.toolchains.hvigor_log import (
    closing_line_says,
    compile_result,
    failed_task,
    lacks_sdk,
    not_simulated,
    ohpm_fault,
    read_diagnostics,
    reports_an_error,
    without_colors,
)
from evaluator.verdicts import InfraReason, Trouble

ARGUMENTS = (
    *("assembleHap", "--mode", "module", "-p", "product=default"),
    *("-p", "module=entry@default", "-p", "buildMode=debug", "--no-daemon"),
)
# It ends with -1, which systems tell in different ways.
HVIGOR_FAILED = (255, 0xFFFFFFFF)
MAX_PATH_LENGTH = 160
MIN_FREE_BYTES = 64 * 1024 * 1024
MAX_PACKAGE_BYTES = 512 * 1024 * 1024

_MODULE_MARKS = ("build-profile.json5", "oh-package.json5", "hvigorfile.ts")
_NOT_FOUND_CODES = {126, 127}
_MAX_DEPTH = 3


@dataclass(frozen=True, slots=True)
class HvigorBuilder:
    """Builds with the ``hvigorw`` given, from clean every time.

    ``readable`` are the folders the tool needs besides its own; ``environment`` is
    all it gets, such as PATH, NODE_HOME, DEVECO_SDK_HOME and JAVA_HOME. ``ohpm``
    installs what the project depends on; ``missing`` names what this worker lacks.
    ``home_template`` is copied to be the home of a build, so that none leaves anything
    to the next.
    """

    hvigorw: Path
    sandbox: Sandbox
    environment: Mapping[str, str]
    readable: tuple[Path, ...] = ()
    stop: threading.Event | None = None
    ohpm: Path | None = None
    missing: tuple[str, ...] = ()
    home_template: Path | None = None
    limits: Limits = DEFAULT_LIMITS

    def build(self, workspace: Path, *, scratch: Path, deadline: float) -> BuildOutcome:
        """Build ``workspace``; whether it builds is decided by hvigor's closing line.

        A build that ends without one says nothing about the project, unless hvigor
        itself refused it with its own status for a failure.
        """
        began = time.monotonic()
        workspace, home = workspace.resolve(), scratch.resolve() / "home"
        if trouble := self._not_ready(workspace):
            return BuildOutcome(False, None, b"", trouble=trouble)
        remove_old_builds(workspace)
        try:
            self._make_home(home)
            install = self._install(workspace, home, deadline=deadline)
            if install is not None and install.trouble is not None:
                return replace(install, seconds=time.monotonic() - began)
            build = self._start([self.hvigorw, *ARGUMENTS], workspace, home)
        except (SandboxError, OSError) as error:
            return _trouble(InfraReason.SANDBOX, str(error))
        outcome = self._judge(build, workspace, deadline=deadline)
        before = b"" if install is None else install.log.rstrip() + b"\n"
        return replace(
            outcome,
            log=before + outcome.log,
            diagnostics=_moved(outcome.diagnostics, by=before.count(b"\n")),
            seconds=time.monotonic() - began,
        )

    def _not_ready(self, workspace: Path) -> Trouble | None:
        if not self.hvigorw.is_file() or self.missing:
            names = ", ".join(self.missing) or str(self.hvigorw)
            detail = f"missing on this worker: {names}; see `manage.py doctor`"
            return Trouble(InfraReason.TOOL_MISSING, detail)
        path = str(workspace)
        if not path.isascii() or " " in path or len(path) > MAX_PATH_LENGTH:
            detail = (
                f"{path!r} is no short ASCII path without spaces, which hvigor needs; "
                "choose another OHB_DATA_DIR"
            )
            return Trouble(InfraReason.WORKSPACE, detail)
        return None

    def _make_home(self, home: Path) -> None:
        if self.home_template is None:
            home.mkdir()
        else:
            shutil.copytree(self.home_template, home, symlinks=True)

    def _start(
        self, argv: Sequence[str | Path], workspace: Path, home: Path
    ) -> subprocess.Popen[bytes]:
        homes = {"HOME": str(home), "USERPROFILE": str(home)}
        return self.sandbox.popen(
            argv,
            cwd=workspace,
            env={"LANG": "C.UTF-8", **self.environment, **homes},
            readable=[self.hvigorw.parent, *self.readable],
            writable=[workspace, home],
            limits=self.limits,
        )

    def _install(
        self, workspace: Path, home: Path, *, deadline: float
    ) -> BuildOutcome | None:
        """Install dependencies; ``trouble`` is set if that failed, for either's fault.

        Whether the project asks for what is not there or this worker lacks what the
        base needs, a build of the reference decides.
        """
        if self.ohpm is None:
            return None
        process = self._start([self.ohpm, "install", "--all"], workspace, home)
        finished = finish(process, deadline=deadline, stop=self.stop)
        text = without_colors(finished.output)
        outcome = BuildOutcome(False, None, _log_of(finished, workspace))
        if finished.exit_code == 0 and not (said := ohpm_fault(text)):
            return outcome
        trouble = _ended_early(finished, set_up=was_set_up(process))
        if trouble is None:
            said = ohpm_fault(text) or f"exit status {finished.exit_code}"
            trouble = Trouble(InfraReason.RUNNER_CRASH, f"ohpm install: {said}")
        return replace(outcome, trouble=trouble)

    def _judge(
        self, process: subprocess.Popen[bytes], workspace: Path, *, deadline: float
    ) -> BuildOutcome:
        finished = finish(process, deadline=deadline, stop=self.stop)
        text = without_colors(finished.output)
        outcome = BuildOutcome(
            ok=False,
            package=None,
            log=_log_of(finished, workspace),
            diagnostics=read_diagnostics(finished.output, workspace),
            failed_task=failed_task(text),
        )
        if excess := excess_of(process):
            # Whose doing that was, a build of the reference decides.
            return replace(
                outcome,
                log=outcome.log
                + f"\n[... the build was ended: it {excess} ...]\n".encode(),
                trouble=Trouble(InfraReason.RUNNER_CRASH, f"the build {excess}"),
            )
        trouble = _trouble_in(finished, text, set_up=was_set_up(process))
        if trouble is None and finished.exit_code and _disk_is_full(workspace):
            trouble = Trouble(InfraReason.DISK_FULL, "no room left for the build")
        if trouble is not None:
            return replace(outcome, trouble=trouble)
        compiled = compile_result(text)
        if (
            finished.exit_code != 0
            or not closing_line_says(text, "SUCCESSFUL")
            or (compiled is not None and not compiled.ok)
        ):
            return outcome
        package = find_package(workspace)
        return replace(outcome, ok=package is not None, package=package)


def _moved(messages: Sequence[Diagnostic], *, by: int) -> tuple[Diagnostic, ...]:
    """Messages of a log that stands behind ``by`` lines of another one."""
    return tuple(
        replace(each, log_line=(each.log_line or 0) + by) if by else each
        for each in messages
    )


def _log_of(finished: Finished, workspace: Path) -> bytes:
    return finished.output.replace(str(workspace).encode(), b"/project")


def _ended_early(finished: Finished, *, set_up: bool) -> Trouble | None:
    if finished.stopped:
        return Trouble(InfraReason.DRAIN, "told to stop during the build")
    if finished.timed_out:
        detail = f"the build did not end within {finished.seconds:.0f} s"
        return Trouble(InfraReason.DEADLINE, detail)
    if not set_up:
        detail = f"the build never started: {_last_line(finished)}"
        return Trouble(InfraReason.SANDBOX, detail)
    return None


def _trouble_in(finished: Finished, text: str, *, set_up: bool) -> Trouble | None:
    if trouble := _ended_early(finished, set_up=set_up):
        return trouble
    if names := not_simulated(text):
        return Trouble(InfraReason.NOT_SIMULATED, f"not simulated: {', '.join(names)}")
    if closing_line_says(text, "SUCCESSFUL"):
        return None
    if said := lacks_sdk(text):
        # Or the project asks for one that nobody has: a build of the reference decides.
        return Trouble(InfraReason.RUNNER_CRASH, f"hvigor finds no SDK or Java: {said}")
    if closing_line_says(text, "FAILED"):
        return None
    if finished.exit_code in HVIGOR_FAILED and reports_an_error(text):
        return None
    reason = InfraReason.RUNNER_CRASH
    if finished.exit_code in _NOT_FOUND_CODES:
        reason = InfraReason.TOOL_MISSING
    detail = f"hvigorw ended with status {finished.exit_code}: {_last_line(finished)}"
    return Trouble(reason, detail)


def _last_line(finished: Finished) -> str:
    lines = without_colors(finished.output).splitlines()
    return next((line[:300] for line in reversed(lines) if line.strip()), "")


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
        for module in sorted(set(_modules(workspace)))
        for path in module.glob("build/*/outputs/*/*.hap")
        if path.is_file()
        and path == path.resolve()
        and path.stat().st_size <= MAX_PACKAGE_BYTES
    ]
    signed = [path for path in found if "unsigned" not in path.name]
    return min(signed or found, default=None)
