"""What some tests need and a machine may lack: said plainly, or demanded.

A test names its needs by markers (``agent``, ``browser``, ``hypium``, ``postgresql``,
``broker``, ``sandbox``) or calls :func:`require`. Where a part is missing the test is
skipped and the summary says how to get it. ``OHB_TEST_REQUIRE=all``, or names as in
``OHB_TEST_REQUIRE=hypium,browser``, turns such a skip into a failure; ``all`` does so
with every skip, whatever its reason.
"""

from __future__ import annotations

import functools
import os
import shutil
import socket
from collections import Counter
from collections.abc import Callable, Generator
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlsplit

import pytest

ROOT = Path(__file__).resolve().parent.parent
BROWSERS = ("chromium", "chromium-browser", "google-chrome")
MAC_BROWSER = "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome"


HARBOR_HOW = "install Python 3.12 or newer with venv, then run `make test`"


class Part(NamedTuple):
    """Something a test may need; ``how`` says how to get it."""

    is_present: Callable[[], bool]
    how: str


def browser_path() -> str | None:
    """The Chromium that browser tests drive."""
    named = os.environ.get("OHB_TEST_BROWSER", "")
    found = named or next(filter(None, map(shutil.which, BROWSERS)), None)
    return found or (MAC_BROWSER if Path(MAC_BROWSER).exists() else None)


def postgresql_url() -> str:
    return os.environ.get(
        "OHB_TEST_POSTGRESQL_URL", "postgresql://postgres@127.0.0.1:5432/postgres"
    )


def redis_url() -> str:
    return os.environ.get("OHB_TEST_REDIS_URL", "redis://127.0.0.1:6379/15")


def rabbitmq_url() -> str:
    return os.environ.get(
        "OHB_TEST_RABBITMQ_URL", "amqp://guest:guest@127.0.0.1:5672//"
    )


def harbor_command() -> Path | None:
    """The real Harbor, where its command is named; it needs Python 3.12 or newer."""
    named = os.environ.get("OHB_TEST_HARBOR", "")
    return Path(named) if named else None


def harbor_python() -> Path | None:
    """A Python that imports the real Harbor: that of the command, or of `make test`."""
    command, own = harbor_command(), ROOT / ".venv-harbor"
    if command is not None:
        return command.resolve().with_name("python")
    return own / "bin" / "python" if (own / ".done").exists() else None


def _hypium() -> bool:
    python = ROOT / ".venv-hypium" / "bin" / "python"
    compiler = ROOT / "evaluator" / "simulator" / "node_modules" / "ohos-typescript"
    return python.exists() and compiler.exists()


def _agent() -> bool:
    packages = ROOT / "evaluator" / "agents" / "node_modules"
    return any(packages.glob("opencode-*/bin/opencode"))


@functools.cache
def _postgresql() -> bool:
    import psycopg

    try:
        psycopg.connect(postgresql_url(), connect_timeout=3).close()
    except psycopg.OperationalError:
        return False
    return True


@functools.cache
def _listens(url: str) -> bool:
    parts = urlsplit(url)
    try:
        socket.create_connection((parts.hostname, parts.port), timeout=3).close()
    except OSError:
        return False
    return True


@functools.cache
def _sandbox() -> bool:
    from evaluator.sandbox import open_sandbox

    return open_sandbox("auto").isolates


PARTS = {
    "browser": Part(
        lambda: browser_path() is not None,
        "install Chromium (Debian: apt-get install chromium), "
        "or name one with OHB_TEST_BROWSER",
    ),
    "agent": Part(_agent, "run `make setup` on Linux for x64"),
    "hypium": Part(_hypium, "run `make setup`"),
    "postgresql": Part(
        _postgresql, "start PostgreSQL and name it with OHB_TEST_POSTGRESQL_URL"
    ),
    "redis": Part(
        lambda: _listens(redis_url()), "start Redis, or name it with OHB_TEST_REDIS_URL"
    ),
    "rabbitmq": Part(
        lambda: _listens(rabbitmq_url()),
        "start RabbitMQ, or name it with OHB_TEST_RABBITMQ_URL",
    ),
    "sandbox": Part(
        _sandbox,
        "install bubblewrap (Debian: apt-get install bubblewrap) and run as root",
    ),
}
MARKERS = {"broker": ("redis", "rabbitmq")}


def demanded(part: str) -> bool:
    wanted = os.environ.get("OHB_TEST_REQUIRE", "").replace(" ", "").split(",")
    return part in wanted or "all" in wanted


def require(part: str, present: bool, how: str) -> None:
    """Skip the running test, or fail it when the part is demanded, if not ``present``.

    ``how`` ends the sentence "to run this, ...".
    """
    if present:
        return
    reason = f"needs {part}: to run this, {how}"
    if demanded(part):
        pytest.fail(f"OHB_TEST_REQUIRE demands {part}. This {reason}.", pytrace=False)
    pytest.skip(reason)


def require_part(name: str) -> None:
    part = PARTS[name]
    require(name, part.is_present(), part.how)


def pytest_runtest_setup(item: pytest.Item) -> None:
    for marker in item.iter_markers():
        for name in MARKERS.get(marker.name, (marker.name,)):
            if name in PARTS:
                require_part(name)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    if report.skipped and not hasattr(report, "wasxfail") and demanded("all"):
        report.outcome = "failed"
        report.longrepr = f"OHB_TEST_REQUIRE=all allows no skip: {_reason(report)}"
    return report


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(
    collector: pytest.Collector,
) -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    report = yield
    if report.skipped and demanded("all"):
        report.outcome = "failed"
        report.longrepr = f"OHB_TEST_REQUIRE=all allows no skip: {_reason(report)}"
    return report


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say what was not run, once per reason, however pytest was called."""
    skipped = terminalreporter.stats.get("skipped", [])
    if not skipped and harbor_python():
        return
    terminalreporter.section("not run on this machine")
    if not harbor_python():
        terminalreporter.write_line(f"real Harbor: to run this, {HARBOR_HOW}")
    for reason, count in sorted(Counter(map(_reason, skipped)).items()):
        tests = "1 test" if count == 1 else f"{count} tests"
        terminalreporter.write_line(f"{tests}: {reason}")


def _reason(report: pytest.TestReport | pytest.CollectReport) -> str:
    if isinstance(report.longrepr, tuple):
        return report.longrepr[2].removeprefix("Skipped: ")
    return str(report.longrepr)
