"""Real devices and emulators that are known to this worker by their serials."""

from __future__ import annotations

import threading
import time
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

from evaluator.toolchains.base import Device, DeviceUnavailableError
from evaluator.toolchains.hdc import Hdc, HdcError
from evaluator.toolchains.needs import Needs, compare_device, differences

# Another slot of this worker may be at its checks for a while; then a retry is better.
WAIT_SECONDS = 120.0
READY_SECONDS = 60.0
_LOOK_SECONDS = 1.0

# Every stage makes a pool of its own, and all of them share the devices.
_held: set[str] = set()
_change = threading.Condition()


def is_network_address(serial: str) -> bool:
    """Whether hdc has to be told to connect: emulators are ``127.0.0.1:5555``."""
    host, colon, port = serial.rpartition(":")
    return bool(host and colon and port.isdigit())


@dataclass(frozen=True, slots=True)
class HdcDevicePool:
    """Lends the devices of ``serials``, one holder each, to the slots of this process.

    Other processes are kept away by the database (``evaluator/devices.py``).
    """

    hdc: Path
    serials: tuple[str, ...]
    profile: str
    environment: Mapping[str, str]
    server_port: int = 8710
    needs: Needs = field(default_factory=Needs)
    stop: threading.Event | None = None
    wait_seconds: float = WAIT_SECONDS

    @contextmanager
    def lease(self, *, scratch: Path, avoid: Collection[str] = ()) -> Iterator[Device]:
        """Hold a device that answers; one that does not is passed over."""
        if not self.serials:
            raise DeviceUnavailableError(
                "This worker has no device: name their serials in OHB_DEVICES."
            )
        refused: dict[str, str] = {}
        until = time.monotonic() + self.wait_seconds
        while True:
            serial = self._take(avoid, refused, until=until)
            device = Device(serial, self.server_port, self.profile)
            try:
                fault = self._make_ready(device, scratch)
                if not fault:
                    yield device
                    return
            finally:
                _give_back(serial)
            refused[serial] = fault

    def _take(
        self, avoid: Collection[str], refused: Mapping[str, str], *, until: float
    ) -> str:
        left = [serial for serial in self.serials if serial not in refused]
        # Stable: those to be avoided come last, the others in their order.
        left.sort(key=lambda serial: serial in avoid)
        with _change:
            while left:
                free = next((serial for serial in left if serial not in _held), None)
                if free is not None:
                    _held.add(free)
                    return free
                if time.monotonic() >= until or (self.stop and self.stop.is_set()):
                    break
                _change.wait(_LOOK_SECONDS)
        busy = dict.fromkeys(left, "in use by another slot of this worker")
        said = "; ".join(f"{key}: {why}" for key, why in {**refused, **busy}.items())
        raise DeviceUnavailableError(f"no device is to be had: {said}")

    def _make_ready(self, device: Device, scratch: Path) -> str:
        """Connect an emulator and look at the device; what is wrong, or nothing.

        A device that is not what the snapshot names gives numbers of another benchmark.
        """
        hdc = Hdc(
            self.hdc,
            device,
            folder=scratch,
            environment=self.environment,
            deadline=time.monotonic() + READY_SECONDS,
            stop=self.stop,
        )
        if fault := connect(hdc, device.serial):
            return fault
        try:
            return differences(compare_device(self.needs, hdc.facts()))
        except HdcError as error:
            return str(error)


def connect(hdc: Hdc, serial: str) -> str:
    """Reach a device, over TCP if it is an address; what is wrong, or nothing."""
    try:
        hdc.ensure_server()
    except HdcError as error:
        return str(error)
    if not is_network_address(serial):
        return hdc.health().detail
    with suppress(HdcError):
        hdc.connect(serial)
    if hdc.health().alive:
        return ""
    # An old connection to an emulator that was restarted stays Offline.
    with suppress(HdcError):
        hdc.disconnect(serial)
    try:
        hdc.connect(serial)
    except HdcError as error:
        return str(error)
    return hdc.health().detail


def _give_back(serial: str) -> None:
    with _change:
        _held.discard(serial)
        _change.notify_all()
