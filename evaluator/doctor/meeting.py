"""The first meeting: one known task, step by step through all that a worker has.

Each step is what the pipeline does later, with the same adapters. The first one that
fails ends the meeting, and its words say what to look at.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import mkdtemp

from django.conf import settings

from evaluator.models import AgentKind, Job, Stage
from evaluator.patches import GateError
from evaluator.pipeline.work import StageTroubleError, StageWork
from evaluator.pipeline.workspace import prepare
from evaluator.sandbox import SandboxError
from evaluator.stages import control_time
from evaluator.toolchains.base import (
    ChecksOutcome,
    Device,
    DeviceUnavailableError,
    Toolchain,
)
from evaluator.workspaces import WorkspaceError, remove_tree
from leaderboard.models import Task
from leaderboard.snapshots import PackageNotHeldError

_EXPECTED = (
    StageTroubleError,
    DeviceUnavailableError,
    GateError,
    PackageNotHeldError,
    SandboxError,
    WorkspaceError,
    OSError,
)


@dataclass(frozen=True, slots=True)
class Step:
    """How one step ended; ``detail`` says what was seen."""

    name: str
    ok: bool
    detail: str
    seconds: float


Tell = Callable[[Step], None]


class _FailedStepError(Exception):
    pass


class _EndOfMeetingError(Exception):
    pass


def meet(
    task: Task, toolchain: Toolchain, tell: Tell, *, builds: bool, package: Path | None
) -> bool:
    """Build base and reference, install both, and expect what their names promise.

    Without ``builds`` the worker has no SDK, and ``package`` is the reference's HAP;
    with neither the meeting ends at the device. True where every step was well.
    """
    try:
        with _work(task, toolchain) as work:
            packages = _build_all(work, tell) if builds else {}
            if package is not None:
                packages["reference"] = package
            with ExitStack() as held:
                device = _lease(work, tell, held)
                for name, path in packages.items():
                    _check(work, device, tell, name=name, package=path)
    except _EndOfMeetingError:
        return False
    return True


def build_only(task: Task, toolchain: Toolchain, tell: Tell) -> bool:
    """The same for a worker without devices."""
    try:
        with _work(task, toolchain) as work:
            _build_all(work, tell)
    except _EndOfMeetingError:
        return False
    return True


def _build_all(work: StageWork, tell: Tell) -> dict[str, Path]:
    patches = {
        "base": b"",
        "reference": (work.package / "reference.patch").read_bytes(),
    }
    return {name: _build(work, tell, name, patch) for name, patch in patches.items()}


def _build(work: StageWork, tell: Tell, name: str, patch: bytes) -> Path:
    folder = work.folder / name
    (folder / "build").mkdir(parents=True)
    apart = _apart(work, folder)
    with _step(tell, f"gate: {name}") as said:
        workspace, gate = prepare(apart, patch)
        if gate.fail_reason is not None:
            raise _FailedStepError(f"refused: {gate.fail_reason}")
        said.append("applied")
    with _step(tell, f"build: {name}") as said:
        built = apart.toolchain.builder.build(
            workspace, scratch=folder / "build", deadline=apart.deadline
        )
        if built.trouble is not None:
            raise _FailedStepError(f"{built.trouble.reason}: {built.trouble.detail}")
        if built.package is None or not built.ok:
            first = next(
                (str(each.message) for each in built.diagnostics), "no message"
            )
            last = built.log.decode("utf-8", "replace").strip().splitlines()[-1:]
            raise _FailedStepError(f"{first} [{' '.join(last)}]")
        said.append(f"{built.package.name}, {built.package.stat().st_size} bytes")
        return built.package


def _lease(work: StageWork, tell: Tell, held: ExitStack) -> Device:
    folder = work.folder / "device"
    folder.mkdir()
    with _step(tell, "device") as said:
        device = held.enter_context(work.toolchain.devices.lease(scratch=folder))
        said.append(f"{device.serial} answers")
        return device


def _check(
    work: StageWork, device: Device, tell: Tell, *, name: str, package: Path
) -> None:
    folder = work.folder / f"checks-{name}"
    folder.mkdir()
    copy = folder / "app.hap"
    copy.write_bytes(package.read_bytes())
    (folder / "checks").mkdir()
    with _step(tell, f"install and check: {name}") as said:
        found = work.toolchain.checks.run(
            copy,
            work.suite(),
            device,
            scratch=folder / "checks",
            deadline=work.deadline,
        )
        said.append(_as_promised(found, passes=name == "reference"))


def _as_promised(found: ChecksOutcome, *, passes: bool) -> str:
    if found.trouble is not None:
        raise _FailedStepError(f"{found.trouble.reason}: {found.trouble.detail}")
    passed = sum(each.passed for each in found.outcomes)
    words = f"{passed} of {len(found.outcomes)} F-points passed"
    if not found.install_ok or (passed == len(found.outcomes)) is not passes:
        messages = "; ".join(each.message for each in found.outcomes if each.message)
        expected = "all" if passes else "not all"
        raise _FailedStepError(f"{words}, {expected} were expected. {messages}"[:1000])
    return words


@contextmanager
def _step(tell: Tell, name: str) -> Iterator[list[str]]:
    """Tell how what is done inside ended; ends the meeting where it failed."""
    said: list[str] = []
    began = time.monotonic()
    try:
        yield said
    except (_FailedStepError, *_EXPECTED) as error:
        detail = str(error) or type(error).__name__
        tell(Step(name, False, detail, time.monotonic() - began))
        raise _EndOfMeetingError from error
    tell(Step(name, True, "; ".join(said), time.monotonic() - began))


@contextmanager
def _work(task: Task, toolchain: Toolchain) -> Iterator[StageWork]:
    settings.WORK_DIR.mkdir(parents=True, exist_ok=True)
    folder = Path(mkdtemp(prefix="meeting-", dir=settings.WORK_DIR))
    spare = control_time(Stage.CHECKS, f_point_count=task.f_points.count())
    end = time.monotonic() + 2 * spare.total_seconds()
    try:
        yield StageWork(
            job=Job(task=task, agent=AgentKind.REFERENCE),
            folder=folder,
            toolchain=toolchain,
            deadline=end,
            control_deadline=end,
            stop=threading.Event(),
        )
    finally:
        remove_tree(folder)


def _apart(work: StageWork, folder: Path) -> StageWork:
    return StageWork(
        job=work.job,
        folder=folder,
        toolchain=work.toolchain,
        deadline=work.deadline,
        control_deadline=work.control_deadline,
        stop=work.stop,
    )
