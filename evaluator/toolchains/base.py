"""What the pipeline asks of a toolchain, and the shapes of the answers.

The pipeline knows these Protocols only. A real worker plugs in DevEco tools and a
device, every other machine the simulator; the adapters between are the same.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from evaluator.judges.base import VisualJudge
from evaluator.verdicts import InfraReason, Trouble


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """One compiler message; ``line`` and ``column`` count from 1, None if not given.

    ``log_line`` is where it begins in the log of the build.
    """

    code: str
    message: str
    file: str
    line: int | None = None
    column: int | None = None
    severity: str = "error"
    log_line: int | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class BuildOutcome:
    """The end of one build.

    ``trouble`` is set when the build says nothing about the project (tool missing,
    sandbox refused, ...); ``ok`` and ``package`` mean nothing then. ``failed_task`` is
    the task of hvigor that failed, such as ``CompileArkTS``, if it names one.
    """

    ok: bool
    package: Path | None
    log: bytes
    diagnostics: tuple[Diagnostic, ...] = ()
    seconds: float = 0.0
    trouble: Trouble | None = None
    failed_task: str = ""


@dataclass(frozen=True, slots=True)
class AgentSession:
    """A conversation that a later turn goes on with; ``root`` is its id.

    ``database`` is the program's own store, opaque here.
    """

    root: str
    database: bytes = field(repr=False)


@dataclass(frozen=True, slots=True)
class AgentOutcome:
    """The end of one turn of an agent.

    ``total_tokens`` are those of the whole session so far, sub-agents included;
    ``endpoint_tokens`` what the endpoint itself reported in this turn. None means not
    known. ``trouble`` is set when the turn says nothing about the configuration.
    """

    seconds: float
    total_tokens: int | None = None
    endpoint_tokens: int | None = None
    session: AgentSession | None = None
    timed_out: bool = False
    files: Mapping[str, bytes] = field(default_factory=dict)
    trouble: Trouble | None = None


@dataclass(frozen=True, slots=True)
class ExpectedCheck:
    """One F-point and the Hypium method that decides it.

    A task may be completed without one that is not ``required``.
    """

    f_point: str
    case: str
    method: str
    required: bool = True


@dataclass(frozen=True, slots=True)
class CheckSuite:
    """The hidden checks of one task: their folder, and what they must report.

    ``seed`` decides what is drawn for an attempt where a case draws values.
    """

    folder: Path
    bundle_name: str
    expected: tuple[ExpectedCheck, ...]
    seed: str = ""

    @property
    def cases(self) -> tuple[str, ...]:
        """The names of the test classes to run, each once, in order."""
        return tuple(dict.fromkeys(check.case for check in self.expected))

    def satisfied(self, found: ChecksOutcome) -> bool:
        """Whether the package was installed and every required F-point passed."""
        passed = {each.f_point for each in found.outcomes if each.passed}
        required = {each.f_point for each in self.expected if each.required}
        return found.install_ok and bool(required) and required <= passed


@dataclass(frozen=True, slots=True)
class CheckOutcome:
    """The verdict on one F-point."""

    f_point: str
    passed: bool
    message: str = ""
    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class ChecksOutcome:
    """The end of one check stage.

    ``outcomes`` holds every expected F-point exactly once, unless ``trouble`` is set.
    ``install_ok`` is False when the device refused the package for the package's own
    fault; every F-point is failed then. ``files`` are artifacts by their name.
    """

    outcomes: tuple[CheckOutcome, ...] = ()
    install_ok: bool = True
    seconds: float = 0.0
    files: Mapping[str, bytes] = field(default_factory=dict)
    trouble: Trouble | None = None


@dataclass(frozen=True, slots=True)
class Device:
    """A device that one check stage holds for itself.

    ``server_port`` is the port of the hdc server that knows ``serial``.
    """

    serial: str
    server_port: int
    profile: str


class DeviceUnavailableError(Exception):
    """No device could be lent; ``trouble`` is the infrastructure outcome to report."""

    def __init__(self, detail: str) -> None:
        self.trouble = Trouble(InfraReason.DEVICE_LOST, detail)
        super().__init__(detail)


class Agent(Protocol):
    """Changes a project as it is told to, by asking a model."""

    def run(
        self,
        workspace: Path,
        prompt: str,
        *,
        scratch: Path,
        deadline: float,
        session: AgentSession | None = None,
    ) -> AgentOutcome:
        """Take one turn on ``workspace``; with ``session``, the next of that one.

        ``scratch`` is an empty folder for the agent's own files; ``deadline`` is in
        seconds of monotonic time, and what runs then is ended.
        """
        ...


class Builder(Protocol):
    """Builds an ArkTS project into an installable package."""

    def build(self, workspace: Path, *, scratch: Path, deadline: float) -> BuildOutcome:
        """Build ``workspace``; ``deadline`` is in seconds of monotonic time.

        ``scratch`` is an empty folder for the build's own home and temporary files.
        """
        ...


class DevicePool(Protocol):
    """Lends devices; one holder at a time each."""

    def lease(
        self, *, scratch: Path, avoid: Collection[str] = ()
    ) -> AbstractContextManager[Device]:
        """Hold one clean device; raises DeviceUnavailableError if there is none.

        ``avoid`` names serials that met trouble with the job: any other comes first.
        """
        ...


class CheckRunner(Protocol):
    """Installs a package on a device and runs the checks of one task against it."""

    def run(
        self,
        package: Path,
        suite: CheckSuite,
        device: Device,
        *,
        scratch: Path,
        deadline: float,
    ) -> ChecksOutcome:
        """Decide every F-point of ``suite``; ``deadline`` is monotonic seconds."""
        ...


@dataclass(frozen=True, slots=True)
class Toolchain:
    """The adapters that one evaluation snapshot needs on this worker."""

    builder: Builder
    devices: DevicePool
    checks: CheckRunner
    judge: VisualJudge | None = None
