"""The device itself: what is installed, which app is in front, and its fate."""

from __future__ import annotations

import threading
import time
import uuid
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from evaluator.simulator.device.app import (
    AppGoneError,
    AppHost,
    AppHostError,
    AppProcess,
)
from evaluator.simulator.device.omissions import Omissions
from evaluator.simulator.device.packages import Installed, Packages
from evaluator.simulator.device.storage import Storage
from evaluator.simulator.device.tree import Node, Tree

SANDBOX_PREFIX = "sandbox: "
FAULT_LOGS = "/data/log/faultlog/faultlogger"

_POPUPS = ("Toast", "Dialog")
_PARAMETERS = {
    "bootevent.boot.completed": "true",
    "const.ohos.apiversion": "23",
    "const.ohos.fullname": "OpenHarmony-6.1.0.31",
    "const.product.cpu.abilist": "x86_64",
    "const.product.devicetype": "phone",
    "const.product.manufacturer": "OpenHarmony Bench",
    "const.product.model": "SIM-P90PM",
    "const.product.name": "Simulated Pura 90 Pro Max",
    "const.product.software.version": "OpenHarmony 6.1.0.31",
    "ohos.boot.hardware": "simulated",
}


class Popup(NamedTuple):
    """A toast or a dialog, with the texts in it."""

    type: str
    text: str


@dataclass(slots=True)
class Running:
    """A started app."""

    bundle: Installed
    ability: str
    process: AppProcess


class Phone:
    """One device. Methods may be called from any thread; they take their turns.

    An app that crashes, freezes or talks nonsense is gone afterwards, and the home
    screen (an empty tree) is in front. The device itself never ends for an app.
    """

    def __init__(self, serial: str, root: Path, host: AppHost) -> None:
        self.serial = serial
        self.boot_id = str(uuid.uuid4())
        self.omissions = Omissions(root)
        self.storage = Storage(root / "files")
        self.packages = Packages(root)
        self.front: Running | None = None
        self.lock = threading.RLock()
        self._host = host
        self._started: dict[str, Running] = {}
        self._popups: dict[int, Popup] = {}

    def parameter(self, name: str) -> str | None:
        return _PARAMETERS.get(name)

    def start(self, bundle: str, ability: str) -> bool:
        """Bring an ability to the front; False when there is no such ability."""
        with self.lock:
            found = self.packages.get(bundle)
            if found is None or ability not in found.abilities:
                return False
            running = self._started.get(bundle)
            if running is not None and running is self.front:
                return True
            self.go_home()
            try:
                if running is None:
                    self._launch(found, ability)
                else:
                    self.front = running
                    running.process.foreground()
            except AppGoneError as error:
                self._crashed(bundle, str(error))
            except AppHostError as error:
                self.omissions.add(SANDBOX_PREFIX + str(error))
                self.stop(bundle)
            return True

    def stop(self, bundle: str) -> None:
        with self.lock:
            running = self._started.pop(bundle, None)
            if running is not None:
                running.process.end()
                if running is self.front:
                    self.front = None

    def stop_all(self) -> None:
        with self.lock:
            for bundle in list(self._started):
                self.stop(bundle)

    def go_home(self) -> None:
        """Put the app in front into the background."""
        with self.lock:
            running, self.front = self.front, None
            if running is None:
                return
            try:
                running.process.background()
            except AppGoneError as error:
                self._crashed(running.bundle.bundle, str(error))

    def press_back(self) -> None:
        with self.lock:
            if self.front is None:
                return
            try:
                handled = self.front.process.back()
            except AppGoneError as error:
                self._crashed(self.front.bundle.bundle, str(error))
            else:
                if not handled:
                    self.go_home()

    def tree(self) -> Tree:
        """What is on the screen now; empty on the home screen."""
        with self.lock:
            if self.front is None:
                return Tree()
            try:
                return self._looked_at(self.front.process.tree())
            except AppGoneError as error:
                self._crashed(self.front.bundle.bundle, str(error))
                return Tree()

    def settled(self) -> bool:
        """Whether waiting is of no use: only a touch or a command changes the screen.

        True on the home screen, and while the app in front has nothing scheduled.
        """
        with self.lock:
            return self.front is None or self.front.process.idle

    def fire(self, node: Node, event: str, value: object = None) -> Tree:
        """Let an event happen to a component; returns the tree afterwards."""
        with self.lock:
            if self.front is None:
                return Tree()
            try:
                tree = self.front.process.fire(node.uid, event, value)
                return self._looked_at(tree)
            except AppGoneError as error:
                self._crashed(self.front.bundle.bundle, str(error))
                return Tree()

    def popups(self) -> list[Popup]:
        """Every toast and dialog that was seen on the screen, in order."""
        with self.lock:
            return list(self._popups.values())

    def _looked_at(self, tree: Tree) -> Tree:
        for node in tree:
            if node.type.endswith(_POPUPS) and node.uid not in self._popups:
                texts = [below.text for below in tree.below(node) if below.text]
                popup = Popup(node.type, " ".join([node.text, *texts]).strip())
                self._popups[node.uid] = popup
        return tree

    def _launch(self, bundle: Installed, ability: str) -> None:
        process = AppProcess(
            self._host, bundle.folder, data=bundle.data, omit=self.omissions.add
        )
        running = Running(bundle, ability, process)
        self._started[bundle.bundle] = self.front = running
        process.start()

    def _crashed(self, bundle: str, message: str) -> None:
        running = self._started.pop(bundle, None)
        log = running.process.log if running else []
        if running is self.front:
            self.front = None
        name = f"{FAULT_LOGS}/jscrash-{bundle}-20010001-{time.time_ns()}.log"
        lines = [f"Process name:{bundle}", f"Reason:{message}", *log[-100:], ""]
        self.storage.write(name, "\n".join(lines).encode())
