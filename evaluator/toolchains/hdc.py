"""The hdc client. It exits with 0 whatever happened, so its words are judged."""

from __future__ import annotations

import json
import re
import socket
import subprocess
import threading
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from evaluator.processes import run
from evaluator.toolchains.base import Device
from evaluator.toolchains.needs import DeviceFacts
from evaluator.verdicts import Refused, Trouble, install_fault

CALL_SECONDS = 60.0
INSTALL_SECONDS = 180.0
START_SECONDS = 20.0
FAULT_LOGS = "/data/log/faultlog/faultlogger"

_BOOT_ID = "/proc/sys/kernel/random/boot_id"
_UUID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_HDC_FAULT = re.compile(r"\[Fail\]|\[E0\d{5}\]|Connect server failed")
_NAME = re.compile(r"[\w.]+")
_CONNECTED = ("Connect OK", "[Info]Target is connected")
_NO_PARAMETER = re.compile(r'Get parameter ".*" fail')
_SCREEN = re.compile(r"(?:render resolution=|activeMode: )(\d+)x(\d+)")


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


class HdcServer:
    """Calls that concern the server on ``port``, not one device."""

    def __init__(
        self,
        command: Path,
        port: int,
        *,
        folder: Path,
        environment: Mapping[str, str],
        deadline: float,
        stop: threading.Event | None = None,
    ) -> None:
        self._client = command
        self._port = port
        self._command: list[str | Path] = [command]
        self._folder = folder
        self._environment = {**environment, "OHOS_HDC_SERVER_PORT": str(port)}
        self._deadline = deadline
        self._stop = stop

    def ask(self, *words: str, seconds: float = CALL_SECONDS) -> str:
        """Run one command and return what it printed.

        Raises HdcError when it does not end in time or hdc itself reports a fault.
        """
        return self._call([*self._command, *words], words[0], seconds=seconds)

    def _call(
        self, argv: Sequence[str | Path], name: str, *, seconds: float = CALL_SECONDS
    ) -> str:
        try:
            finished = run(
                argv,
                cwd=self._folder,
                env=self._environment,
                deadline=min(self._deadline, time.monotonic() + seconds),
                stop=self._stop,
            )
        except OSError as error:
            raise HdcError(f"hdc does not start: {error}") from None
        answer = finished.output.decode("utf-8", "replace")
        if finished.timed_out or finished.stopped:
            raise HdcError(f"hdc {name} was ended after {finished.seconds:.0f} s")
        if _HDC_FAULT.match(answer.lstrip()):
            raise HdcError(f"hdc {name}: {answer.strip()[:300]}")
        return answer

    def ensure_server(self) -> None:
        """Start the server unless it runs; it outlives every call, and this worker.

        A call would start one too, but its process group ends with it, and all
        connections to emulators with the server. Devices know the server by a key in
        the home of its user, so it gets that one.
        """
        with suppress(OSError), socket.create_connection(("127.0.0.1", self._port), 2):
            return
        home = str(Path.home())
        try:
            process = subprocess.Popen(
                [str(self._client), "start"],
                cwd=home,
                env={**self._environment, "HOME": home, "USERPROFILE": home},
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                start_new_session=True,
            )
            process.wait(START_SECONDS)
        except OSError as error:
            raise HdcError(f"hdc does not start: {error}") from None
        except subprocess.TimeoutExpired:
            # It became the server itself.
            return

    def targets(self) -> Mapping[str, str]:
        """The state of every device by its serial: Connected, Offline, ..."""
        lines = self.ask("list", "targets", "-v").splitlines()
        rows = [line.split() for line in lines]
        # Serial, USB or TCP or UART, state, name: the columns between may be empty.
        return {row[0]: row[2] for row in rows if len(row) > 2}

    def connect(self, address: str) -> None:
        """Connect a device that is reached over TCP; twice is as good as once."""
        # The one call that names no device: there is none before it.
        answer = self._call([self._client, "tconn", address], "tconn").strip()
        if not answer.startswith(_CONNECTED):
            raise HdcError(f"hdc tconn {address}: {answer[:300] or 'no answer'}")

    def disconnect(self, address: str) -> None:
        self._call([self._client, "tconn", address, "-remove"], "tconn")

    def version(self) -> str:
        return self._call([self._client, "-v"], "-v").strip()


class Hdc(HdcServer):
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
        super().__init__(
            command,
            device.server_port,
            folder=folder,
            environment=environment,
            deadline=deadline,
            stop=stop,
        )
        self._command = [command, "-t", device.serial]
        self._device = device

    def shell(self, line: str) -> str:
        return self.ask("shell", line)

    def health(self) -> Health:
        """Whether the device is connected and has booted; never raises."""
        try:
            return self._health()
        except HdcError as error:
            return Health(alive=False, detail=str(error))

    def _health(self) -> Health:
        targets = self.targets()
        if targets.get(self._device.serial) != "Connected":
            seen = ", ".join(f"{key} {state}" for key, state in targets.items())
            detail = f"{self._device.serial} is not connected; seen: {seen or 'none'}"
            return Health(False, detail)
        booted = self.shell("param get bootevent.boot.completed").strip()
        if booted != "true":
            return Health(False, f"{self._device.serial} has not booted: {booted}")
        boot_id = self.shell(f"cat {_BOOT_ID}").strip()
        known = boot_id if _UUID.fullmatch(boot_id) else None
        return Health(alive=True, detail="", boot_id=known)

    def parameter(self, name: str) -> str | None:
        """A system parameter; None if the device has none of that name."""
        answer = self.shell(f"param get {name}").strip()
        return None if not answer or _NO_PARAMETER.match(answer) else answer

    def screen(self) -> tuple[int, int] | None:
        """Width and height of the first screen in pixels, if the device tells."""
        found = _SCREEN.search(self.shell("hidumper -s RenderService -a screen"))
        return None if found is None else (int(found[1]), int(found[2]))

    def facts(self) -> DeviceFacts:
        """What the device says of itself."""
        level = (self.parameter("const.ohos.apiversion") or "").partition(".")[0]
        return DeviceFacts(
            model=self.parameter("const.product.model"),
            api_level=int(level) if level.isdigit() else None,
            resolution=self.screen(),
            software=self.parameter("const.product.software.version"),
        )

    def install(self, package: Path) -> Refused | Trouble | None:
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

    def home_ability(self, bundle: str) -> str | None:
        """The ability that an icon on the home screen starts, if the dump names it."""
        _, _, dump = self.shell(f"bm dump -n {bundle}").partition(":")
        try:
            facts = json.loads(dump)
            modules = facts["hapModuleInfos"]
            modules.sort(key=lambda each: each.get("name") != facts.get("mainEntry"))
            named = [str(each.get("mainAbility") or "") for each in modules]
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
            return None
        return next(filter(_NAME.fullmatch, named), None)

    def start_ability(self, bundle: str, ability: str) -> str:
        """Start an ability; what is wrong, or nothing. Its words are all that tells."""
        answer = self.shell(f"aa start -b {bundle} -a {ability}")
        if "start ability successfully" in answer:
            return ""
        return f"aa start -a {ability}: {' '.join(answer.split())[:300] or 'no answer'}"

    def reset(self, bundle: str) -> None:
        """End a bundle and clear its data, as if it had never been started."""
        self.shell(f"aa force-stop {bundle}")
        answer = self.shell(f"bm clean -n {bundle} -d")
        if "successfully" not in answer:
            raise HdcError(f"bm clean -n {bundle} -d: {' '.join(answer.split())[:300]}")

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
