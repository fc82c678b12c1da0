"""A toolchain without tools: slow enough to be killed in, decided by the workspace.

A workspace that differs from its base builds and passes; an unchanged one builds and
fails. So the built-in agents have results known beforehand.
"""

from __future__ import annotations

import secrets
import threading
import zipfile
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from evaluator.toolchains.base import (
    BuildOutcome,
    CheckOutcome,
    ChecksOutcome,
    CheckSuite,
    Device,
    Toolchain,
)
from evaluator.verdicts import InfraReason, Trouble
from leaderboard.trees import tree_digest

BUILD_SECONDS = 0.3
CHECK_SECONDS = 0.5


TOLD_TO_STOP = Trouble(InfraReason.DRAIN, "told to stop")


@dataclass(frozen=True)
class SlowBuilder:
    stop: threading.Event

    def build(self, workspace: Path, *, scratch: Path, deadline: float) -> BuildOutcome:
        if self.stop.wait(BUILD_SECONDS):
            return BuildOutcome(False, None, b"", trouble=TOLD_TO_STOP)
        package = scratch / "app.hap"
        with zipfile.ZipFile(package, "w") as archive:
            archive.writestr("digest", tree_digest(workspace))
        return BuildOutcome(ok=True, package=package, log=b"built")


class OneDevice:
    @contextmanager
    def lease(self, *, scratch: Path, avoid: Collection[str] = ()) -> Iterator[Device]:
        serial = f"SLOW{secrets.randbelow(10**9):09d}"
        yield Device(serial=serial, server_port=0, profile="Simulated")


@dataclass(frozen=True)
class SlowChecks:
    stop: threading.Event

    def run(
        self,
        package: Path,
        suite: CheckSuite,
        device: Device,
        *,
        scratch: Path,
        deadline: float,
    ) -> ChecksOutcome:
        if self.stop.wait(CHECK_SECONDS):
            return ChecksOutcome(trouble=TOLD_TO_STOP)
        with zipfile.ZipFile(package) as archive:
            digest = archive.read("digest").decode()
        changed = digest != tree_digest(suite.folder.parent / "base")
        return ChecksOutcome(
            tuple(CheckOutcome(each.f_point, changed) for each in suite.expected)
        )


def slow_toolchain(
    device_profile_simulated: bool, *, stop: threading.Event, **_: Any
) -> Toolchain:
    return Toolchain(SlowBuilder(stop), OneDevice(), SlowChecks(stop))
