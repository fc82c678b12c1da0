"""A phone in this process, with the chat of `fake_app.py` ready to be started.

And, for the ArkTS half, an app built from `pages/` that is started on demand.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from evaluator.sandbox import HostSandbox
from evaluator.simulator.device.app import AppHost
from evaluator.simulator.device.commands import Commands
from evaluator.simulator.device.phone import Phone
from evaluator.simulator.device.uitest import UiTest
from tests.evaluator.simulator.apps import BUNDLE, FAKE_APP, write_package
from tests.evaluator.simulator.arkts import PAGES, App, built_with_pages, need_node


@pytest.fixture
def phone(tmp_path: Path) -> Iterator[Phone]:
    root = tmp_path / "root"
    root.mkdir()
    with ThreadPoolExecutor(max_workers=1) as starter:
        host = AppHost(Path(sys.executable), FAKE_APP, HostSandbox(), starter)
        phone = Phone("SIM1", root, host)
        yield phone
        phone.stop_all()


@pytest.fixture
def hdc(phone: Phone) -> Iterator[Callable[[str], str]]:
    """Ask the device as the hdc client does."""
    commands = Commands(phone)
    yield lambda text: commands.answer(text) or ""
    commands.close()


@pytest.fixture
def start(phone: Phone, hdc: Callable[[str], str], tmp_path: Path):
    """Install the chat in one of its modes and start it."""

    def run(mode: str = "chat") -> str:
        package = write_package(tmp_path / "app.hap", mode)
        assert "install bundle successfully" in hdc(f"install -r {package}")
        return hdc(f"shell aa start -b {BUNDLE} -a EntryAbility")

    return run


class Driver:
    """Calls the uitest daemon as Hypium does, and unpacks the reply."""

    def __init__(self, phone: Phone) -> None:
        self._uitest = UiTest(phone)
        self.call("Driver.create")

    def reply(self, api: str, this: str | None = None, *args: object) -> dict:
        params = {"api": api, "this": this, "args": list(args)}
        return self._uitest.answer({"method": "callHypiumApi", "params": params})

    def call(self, api: str, this: str | None = None, *args: object):
        reply = self.reply(api, this, *args)
        assert "exception" not in reply, reply
        return reply["result"]

    def on(self, *links: tuple) -> str:
        """A chain such as ``on(("text", "Send"), ("enabled", True))``."""
        chain = "On#seed"
        for name, *arguments in links:
            chain = self.call(f"On.{name}", chain, *arguments)
        return chain

    def find(self, *links: tuple) -> str | None:
        return self.call("Driver.waitForComponent", "Driver#0", self.on(*links), 0)

    def texts(self, *links: tuple) -> list[str]:
        found = self.call("Driver.findComponents", "Driver#0", self.on(*links))
        return [self.call("Component.getText", each) for each in found]

    def touch(self, *links: tuple, how: str = "click") -> None:
        found = self.find(*links)
        assert found is not None, links
        self.call(f"Component.{how}", found)

    def driver(self, name: str, *args: object):
        return self.call(f"Driver.{name}", "Driver#0", *args)


@pytest.fixture
def ui(phone: Phone, start) -> Driver:
    """A driver of the started chat."""
    start()
    return Driver(phone)


@pytest.fixture(scope="session")
def package(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An unpacked HAP with every page of `pages/`."""
    need_node()
    names = sorted(path.stem for path in PAGES.glob("*.ets"))
    return built_with_pages(tmp_path_factory.mktemp("arkts"), names)


@pytest.fixture
def run_app(package: Path, tmp_path: Path) -> Iterator[Callable[[], App]]:
    """Start the app of `pages/`; each start finds the data of the one before."""
    started: list[App] = []

    def run() -> App:
        started.append(App(package, tmp_path / "app-data"))
        return started[-1]

    yield run
    for app in started:
        app.end()


@pytest.fixture
def app(run_app: Callable[[], App]) -> App:
    return run_app()
