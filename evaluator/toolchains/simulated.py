"""The simulated device behind the production adapters: one process, one lease."""

from __future__ import annotations

import os
import secrets
import signal
import subprocess
import sys
import time
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

from evaluator.sandbox import NOTHING_PRIVATE, Privacy
from evaluator.simulator.device.omissions import read_omissions
from evaluator.toolchains.base import (
    CheckRunner,
    ChecksOutcome,
    CheckSuite,
    Device,
    DeviceUnavailableError,
)
from evaluator.verdicts import InfraReason, Trouble

PROFILE = "Simulated Pura 90 Pro Max"
SANDBOX_PREFIX = "sandbox: "

_REPOSITORY = Path(__file__).resolve().parents[2]
_READY_SECONDS = 20.0
_END_SECONDS = 3.0


@dataclass(slots=True)
class SimulatedDevicePool:
    """Starts a fresh device for every lease, so there is always one to be had.

    ``options`` are further words for the device process, such as an app host.
    """

    node: Path
    sandbox_mode: str
    environment: Mapping[str, str]
    options: tuple[str | Path, ...] = ()
    privacy: Privacy = NOTHING_PRIVATE
    _roots: dict[str, Path] = field(default_factory=dict)

    @contextmanager
    def lease(self, *, scratch: Path, avoid: Collection[str] = ()) -> Iterator[Device]:
        """Start a device whose files lie in ``scratch``; it is gone afterwards.

        Each is a new one, so none has to be avoided.
        """
        serial = f"SIM{secrets.randbelow(10**13):013d}"
        root = scratch.absolute() / "device"
        log = scratch.absolute() / "device.log"
        root.mkdir(parents=True)
        process = self._start(serial, root, log)
        self._roots[serial] = root
        try:
            port = _wait_until_ready(process, root, log)
            yield Device(serial=serial, server_port=port, profile=PROFILE)
        finally:
            _end(process)
            del self._roots[serial]

    def not_simulated(self, serial: str) -> tuple[str, ...]:
        """What was asked of a leased device that it cannot do."""
        return read_omissions(self._roots[serial])

    def _start(self, serial: str, root: Path, log: Path) -> subprocess.Popen[bytes]:
        words = ["--port", "0", "--serial", serial, "--root", root]
        words += ["--sandbox", self.sandbox_mode, "--node", self.node, *self.options]
        words += ["--closed", *self.privacy.closed, "--opened", *self.privacy.opened]
        with log.open("wb") as output:
            return subprocess.Popen(
                [
                    *[sys.executable, "-m", "evaluator.simulator.device"],
                    *map(str, words),
                    *["--role", "hdc", "--until-stdin-closes"],
                ],
                cwd=_REPOSITORY,
                env=dict(self.environment),
                # The device ends with this pipe, also when this process is killed.
                stdin=subprocess.PIPE,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )


@dataclass(frozen=True, slots=True)
class SimulatedChecks:
    """Runs checks, and takes a result back that rests on something not simulated."""

    checks: CheckRunner
    pool: SimulatedDevicePool

    def run(
        self,
        package: Path,
        suite: CheckSuite,
        device: Device,
        *,
        scratch: Path,
        deadline: float,
    ) -> ChecksOutcome:
        outcome = self.checks.run(
            package, suite, device, scratch=scratch, deadline=deadline
        )
        names = self.pool.not_simulated(device.serial)
        if not names:
            return outcome
        trouble = _trouble(names)
        return replace(outcome, outcomes=(), install_ok=True, trouble=trouble)


def _trouble(names: tuple[str, ...]) -> Trouble:
    broken = [name for name in names if name.startswith(SANDBOX_PREFIX)]
    if broken:
        return Trouble(InfraReason.SANDBOX, broken[0].removeprefix(SANDBOX_PREFIX))
    return Trouble(InfraReason.NOT_SIMULATED, f"not simulated: {', '.join(names)}")


def _wait_until_ready(process: subprocess.Popen[bytes], root: Path, log: Path) -> int:
    """The port of the device's hdc server, once it listens."""
    ready = root / "ready"
    deadline = time.monotonic() + _READY_SECONDS
    while time.monotonic() < deadline and process.poll() is None:
        if ready.exists() and (text := ready.read_text("utf-8")):
            return int(text)
        time.sleep(0.02)
    said = log.read_bytes()[-500:].decode("utf-8", "replace").strip()
    raise DeviceUnavailableError(f"the simulated device did not start: {said}")


def _end(process: subprocess.Popen[bytes]) -> None:
    """Let the device end its app, then make sure that its group is gone."""
    if process.stdin is not None:
        process.stdin.close()
    try:
        process.wait(_END_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except (ProcessLookupError, PermissionError):
        process.poll()
    process.wait()
