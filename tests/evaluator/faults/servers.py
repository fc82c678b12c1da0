"""Servers of a test's own, which it may kill: Redis and PostgreSQL on free ports."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path

START_SECONDS = 240
_POSTGRESQL = Path("/usr/lib/postgresql")


def wait_until_it_listens(port: int) -> None:
    deadline = time.monotonic() + START_SECONDS
    while True:
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
        except OSError:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.05)
        else:
            return


def postgresql_program(name: str) -> str | None:
    """The path of initdb or pg_ctl, which distributions hide in their own folders."""
    hidden = sorted(_POSTGRESQL.glob(f"*/bin/{name}"), reverse=True)
    return shutil.which(name) or next(map(str, hidden), None)


@dataclass(frozen=True)
class Redis:
    """Keeps nothing on disk: what is in it when it is killed is gone."""

    folder: Path
    port: int

    @property
    def url(self) -> str:
        return f"redis://127.0.0.1:{self.port}/0"

    def start(self) -> None:
        pidfile = self.folder / "redis.pid"
        words = ["--port", str(self.port), "--save", "", "--appendonly", "no"]
        words += ["--dir", str(self.folder), "--pidfile", str(pidfile)]
        words += ["--daemonize", "yes", "--logfile", str(self.folder / "redis.log")]
        subprocess.run(["redis-server", *words], check=True, capture_output=True)
        wait_until_it_listens(self.port)

    def kill(self) -> None:
        pid = int((self.folder / "redis.pid").read_text())
        os.kill(pid, signal.SIGKILL)

    stop = kill


@dataclass(frozen=True)
class PostgreSQL:
    """A cluster below ``folder``; as root its processes belong to ``postgres``."""

    folder: Path
    port: int

    @property
    def url(self) -> str:
        return f"postgresql://postgres@127.0.0.1:{self.port}/postgres"

    def create(self) -> None:
        if os.geteuid() == 0:
            shutil.chown(self.folder, "postgres")
        self._run("initdb", "-U", "postgres", "-A", "trust", "-E", "UTF8")

    def start(self) -> None:
        options = f"-p {self.port} -k {self.folder} -c listen_addresses=127.0.0.1"
        log = str(self.folder / "log")
        self._control("start", "-l", log, "-o", options)

    def kill(self) -> None:
        """As after a power cut: no connection ends in order."""
        self._control("stop", "-m", "immediate")

    stop = kill

    def _control(self, act: str, *words: str) -> None:
        self._run("pg_ctl", act, "-w", "-t", str(START_SECONDS), *words)

    def _run(self, program: str, *words: str) -> None:
        found = postgresql_program(program)
        assert found is not None, f"{program} is not installed"
        user = ["runuser", "-u", "postgres", "--"] if os.geteuid() == 0 else []
        subprocess.run(
            [*user, found, "-D", str(self.folder / "data"), *words],
            check=True,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            cwd=self.folder,
        )
