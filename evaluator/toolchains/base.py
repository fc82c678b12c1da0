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

from evaluator.verdicts import InfraReason, Trouble


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """One compiler message; ``line`` and ``column`` count from 1, None if not given."""

    code: str
    message: str
    file: str
    line: int | None = None
    column: int | None = None
    severity: str = "error"


@dataclass(frozen=True, slots=True)
class BuildOutcome:
    """The end of one build.

    ``trouble`` is set when the build says nothing about the project (tool missing,
    sandbox refused, ...); ``ok`` and ``package`` mean nothing then.
    """

    ok: bool
    package: Path | None
    log: bytes
    diagnostics: tuple[Diagnostic, ...] = ()
    seconds: float = 0.0
    trouble: Trouble | None = None


@dataclass(frozen=True, slots=True)
class ExpectedCheck:
    """One F-point and the Hypium method that decides it."""

    f_point: str
    case: str
    method: str


@dataclass(frozen=True, slots=True)
class CheckSuite:
    """The hidden checks of one task: their folder, and what they must report."""

    folder: Path
    bundle_name: str
    expected: tuple[ExpectedCheck, ...]

    @property
    def cases(self) -> tuple[str, ...]:
        """The names of the test classes to run, each once, in order."""
        return tuple(dict.fromkeys(check.case for check in self.expected))


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
