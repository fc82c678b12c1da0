"""The hdc client. It exits with 0 whatever happened, so its words are judged."""

from __future__ import annotations

import re
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from evaluator.processes import run
from evaluator.toolchains.base import Device
from evaluator.verdicts import FailReason, Trouble, install_fault

CALL_SECONDS = 60.0
INSTALL_SECONDS = 180.0
FAULT_LOGS = "/data/log/faultlog/faultlogger"

_BOOT_ID = "/proc/sys/kernel/random/boot_id"
_UUID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_HDC_FAULT = re.compile(r"\[Fail\]|\[E0\d{5}\]|Connect server failed")


class HdcError(Exception):
    """A call of hdc that got no answer about the device: our own trouble."""


@dataclass(frozen=True, slots=True)
class Health:
    """Whether a device answers. ``boot_id`` changes when it restarts, if it tells."""

    alive: bool
    detail: str
    boot_id: str | None = None

    def same_device_as(self, earlier: Health) -> bool:
        """Whether it has been up all the time since ``earlier``."""
        known = {self.boot_id, earlier.boot_id} - {None}
        return self.alive and earlier.alive and len(known) < 2


class Hdc:
    """Calls for one device; every one names it, and none outlasts ``deadline``."""

    def __init__(
        self,
        command: Path,
        device: Device,
        *,
        folder: Path,
        environment: Mapping[str, str],
        deadline: float,
        stop: threading.Event | None = None,
    ) -> None:
        self._command = command
        self._device = device
        self._folder = folder
        self._environment = dict(environment)
        self._environment["OHOS_HDC_SERVER_PORT"] = str(device.server_port)
        self._deadline = deadline
        self._stop = stop

    def ask(self, *words: str, seconds: float = CALL_SECONDS) -> str:
        """Run one command and return what it printed.

        Raises HdcError when it does not end in time or hdc itself reports a fault.
        """
        finished = run(
            [self._command, "-t", self._device.serial, *words],
            cwd=self._folder,
            env=self._environment,
            deadline=min(self._deadline, time.monotonic() + seconds),
            stop=self._stop,
        )
        answer = finished.output.decode("utf-8", "replace")
        if finished.timed_out or finished.stopped:
            raise HdcError(f"hdc {words[0]} was ended after {finished.seconds:.0f} s")
        if _HDC_FAULT.match(answer.lstrip()):
            raise HdcError(f"hdc {words[0]}: {answer.strip()[:300]}")
        return answer

    def shell(self, line: str) -> str:
        return self.ask("shell", line)

    def health(self) -> Health:
        """Whether the device is connected and has booted; never raises."""
        try:
            return self._health()
        except HdcError as error:
            return Health(alive=False, detail=str(error))

    def _health(self) -> Health:
        targets = self.ask("list", "targets", "-v")
        state = next(
            (
                line.split()
                for line in targets.splitlines()
                if line.split()[:1] == [self._device.serial]
            ),
            [],
        )
        if "Connected" not in state:
            seen = " ".join(targets.split()) or "no answer"
            return Health(False, f"{self._device.serial} is not connected: {seen}")
        booted = self.shell("param get bootevent.boot.completed").strip()
        if booted != "true":
            return Health(False, f"{self._device.serial} has not booted: {booted}")
        boot_id = self.shell(f"cat {_BOOT_ID}").strip()
        known = boot_id if _UUID.fullmatch(boot_id) else None
        return Health(alive=True, detail="", boot_id=known)

    def install(self, package: Path) -> FailReason | Trouble | None:
        """Install a package; None when it is installed, else whose fault it is."""
        try:
            answer = self.ask("install", "-r", str(package), seconds=INSTALL_SECONDS)
        except HdcError as error:
            answer = str(error)
        return install_fault(answer)

    def bundles(self) -> frozenset[str]:
        """The bundles on the device."""
        lines = self.shell("bm dump -a").splitlines()
        return frozenset(line.strip() for line in lines if line.startswith("\t"))

    def has_bundle(self, bundle: str) -> bool:
        return self.shell(f"bm dump -n {bundle}").lstrip().startswith(f"{bundle}:")

    def remove(self, bundle: str) -> None:
        """Uninstall a bundle with its data; one that is not there is no fault."""
        self.shell(f"bm clean -n {bundle} -d")
        answer = self.shell(f"bm uninstall -n {bundle}")
        if "successfully" not in answer and self.has_bundle(bundle):
            raise HdcError(f"{bundle} stays installed: {' '.join(answer.split())}")

    def crash_logs(self, bundle: str) -> frozenset[str]:
        """The names of the crash logs that a bundle left on the device."""
        names = self.shell(f"ls {FAULT_LOGS}").split()
        return frozenset(name for name in names if f"crash-{bundle}-" in name)
