"""Run the whole house on one machine: load the data, start web and worker, add samples.

Run by ``make demo`` inside .venv. Ctrl-C or SIGTERM ends every process it started.
"""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path
from types import FrameType

import django

from scripts import family
from scripts.environment import setting
from scripts.steps import ROOT, say

HOST = "127.0.0.1"
START_SECONDS = 60
GRACE_SECONDS = 20  # more than the services have
STOP_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class StoppedError(BaseException):
    """Somebody asked the demo to end."""


def stop(signum: int, frame: FrameType | None) -> None:
    raise StoppedError


def chosen_port() -> int:
    text = setting("OHB_PORT", "8000")
    if not text.isdigit() or not 0 < int(text) < 65536:
        raise SystemExit(f"OHB_PORT is {text!r}. Use a number from 1 to 65535.")
    return int(text)


def demo_providers() -> Path:
    """Scripts in the place of models, which every page calls so."""
    return ROOT / "fixtures" / "agents" / "providers.toml"


def refuse_taken_port(port: int) -> None:
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((HOST, port))
        except OSError as error:
            raise SystemExit(
                f"Port {port} cannot be used: {error.strerror}. Is the demo running "
                f"already? For another port: OHB_PORT={port + 1} make demo"
            ) from None


def wait_until_up(port: int, services: subprocess.Popen[bytes]) -> None:
    """Return when the site answers; raise SystemExit when it does not come up."""
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline and services.poll() is None:
        try:
            with urllib.request.urlopen(f"http://{HOST}:{port}/healthz", timeout=5):
                return
        except (urllib.error.URLError, OSError):
            time.sleep(0.2)
    raise SystemExit("The site did not come up; its messages stand above.")


def set_up_django() -> None:
    """Only when the variables are set; what needs Django is imported after it."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "leaderboard.config.settings")
    django.setup()


def run_samples() -> int:
    set_up_django()
    from scripts import demo_samples

    demo_samples.main()
    return 0


def run(port: int, children: list[subprocess.Popen[bytes]]) -> int:
    """Start everything and wait; returns the exit status once a service has ended."""
    set_up_django()
    from scripts import demo_data

    credentials = demo_data.prepare()
    honcho = [sys.executable, "-m", "scripts.services"]
    services = family.start([*honcho, "-f", str(ROOT / "Procfile"), "start"])
    children.append(services)
    wait_until_up(port, services)
    say("")
    say(f"  OpenHarmony Bench:  {os.environ['OHB_PUBLIC_URL']}/")
    for name, (password, role) in credentials.items():
        say(f"  sign in as          {name} / {password}  ({role})")
    say("  stop with           Ctrl-C")
    say("")
    samples = family.start([sys.executable, "-m", "scripts.demo", "samples"])
    children.append(samples)
    told = False
    while services.poll() is None:
        family.bury_orphans(children)
        if samples.returncode and not told:
            told = True
            say("The samples were not evaluated (see above); the site goes on.")
        time.sleep(0.5)
    say("Web or worker has ended; the reason stands above.")
    return 1


def main() -> int:
    for number in STOP_SIGNALS:
        signal.signal(number, stop)
    children: list[subprocess.Popen[bytes]] = []
    try:
        port = chosen_port()
        refuse_taken_port(port)
        os.environ["OHB_PORT"] = str(port)
        # The demo is for one person, who has its passwords before them.
        os.environ.setdefault(
            "OHB_STAFF_SECOND_FACTOR", setting("OHB_STAFF_SECOND_FACTOR", "0")
        )
        os.environ.setdefault(
            "OHB_MODEL_PROVIDERS",
            setting("OHB_MODEL_PROVIDERS", "") or str(demo_providers()),
        )
        os.environ.setdefault(
            "OHB_PUBLIC_URL", setting("OHB_PUBLIC_URL", f"http://localhost:{port}")
        )
        family.adopt_orphans()
        return run(port, children)
    except StoppedError:
        say("\nStopping web and worker ...")
        return 0
    finally:
        # A second Ctrl-C must not interrupt the clearing up.
        for number in STOP_SIGNALS:
            signal.signal(number, signal.SIG_IGN)
        family.end(children, grace=GRACE_SECONDS)


if __name__ == "__main__":
    sys.exit(run_samples() if sys.argv[1:] == ["samples"] else main())
