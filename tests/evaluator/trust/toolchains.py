"""Toolchains without tools: each part does what a test says, and nothing else."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from pathlib import Path

from evaluator.toolchains.base import (
    BuildOutcome,
    CheckOutcome,
    ChecksOutcome,
    CheckSuite,
    Device,
    Toolchain,
)


class FakeBuilder:
    """Packs nothing: ``act`` sees the folders and may answer in the builder's place."""

    def __init__(
        self, act: Callable[[Path, Path], BuildOutcome | None] = lambda *_: None
    ) -> None:
        self._act = act

    def build(self, workspace: Path, *, scratch: Path, deadline: float) -> BuildOutcome:
        answer = self._act(workspace, scratch)
        if answer is not None:
            return answer
        package = scratch / "app.hap"
        package.write_bytes(b"a package")
        return BuildOutcome(ok=True, package=package, log=b"BUILD SUCCESSFUL")


class FakeDevices:
    def __init__(self, act: Callable[[], None] = lambda: None) -> None:
        self._act = act

    @contextmanager
    def lease(self, *, scratch: Path, avoid: Collection[str] = ()) -> Iterator[Device]:
        self._act()
        yield Device(serial="FAKE", server_port=0, profile="Simulated")


class FakeChecks:
    """Every F-point ends as ``passed`` says, unless ``act`` answers."""

    def __init__(
        self,
        *,
        passed: bool = True,
        act: Callable[[Path, CheckSuite], ChecksOutcome | None] = lambda *_: None,
    ) -> None:
        self._passed = passed
        self._act = act

    def run(
        self,
        package: Path,
        suite: CheckSuite,
        device: Device,
        *,
        scratch: Path,
        deadline: float,
    ) -> ChecksOutcome:
        answer = self._act(scratch, suite)
        if answer is not None:
            return answer
        return ChecksOutcome(
            tuple(CheckOutcome(each.f_point, self._passed) for each in suite.expected)
        )


def good_toolchain(
    *,
    builder: FakeBuilder | None = None,
    devices: FakeDevices | None = None,
    checks: FakeChecks | None = None,
) -> Toolchain:
    """Builds everything and passes everything, but for the parts that are given."""
    return Toolchain(
        builder or FakeBuilder(), devices or FakeDevices(), checks or FakeChecks()
    )
