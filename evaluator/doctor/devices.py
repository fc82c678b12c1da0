"""The devices of a worker: which of them answer, and what they say of themselves."""

from __future__ import annotations

import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from django.conf import settings

from evaluator import devices
from evaluator.capability import real_settings
from evaluator.toolchains.base import Device
from evaluator.toolchains.command_line_tools import find_tools
from evaluator.toolchains.hdc import Hdc, HdcError
from evaluator.toolchains.hdc_pool import connect
from evaluator.toolchains.needs import DeviceFacts
from evaluator.toolchains.real import check_environment

LOOK_SECONDS = 60.0


@dataclass(frozen=True, slots=True)
class SeenDevice:
    """One serial of OHB_DEVICES; ``fault`` is empty where all is well."""

    serial: str
    fault: str
    facts: DeviceFacts
    suspect: str = ""


def look_at_all() -> list[SeenDevice]:
    """Ask every device of this worker; each call of hdc has its time limit."""
    real = real_settings()
    tools = find_tools(real.tools)
    if tools.hdc is None:
        return [
            SeenDevice(serial, "there is no hdc", DeviceFacts())
            for serial in real.devices
        ]
    environment = check_environment(tools, settings.OHB_HYPIUM_PYTHON, real.system)
    suspicions = {
        each.serial: each.reason
        for each in devices.open_suspicions().filter(serial__in=real.devices)
    }
    found = []
    for serial in real.devices:
        with tempfile.TemporaryDirectory(prefix="doctor-") as home:
            hdc = Hdc(
                tools.hdc,
                Device(serial, real.hdc_port, ""),
                folder=Path(home),
                environment={**environment, "HOME": home, "USERPROFILE": home},
                deadline=time.monotonic() + LOOK_SECONDS,
            )
            fault, facts = _look(hdc, serial)
        found.append(SeenDevice(serial, fault, facts, suspicions.get(serial, "")))
    return found


def _look(hdc: Hdc, serial: str) -> tuple[str, DeviceFacts]:
    try:
        fault = connect(hdc, serial)
        return fault, DeviceFacts() if fault else hdc.facts()
    except HdcError as error:
        return str(error), DeviceFacts()
