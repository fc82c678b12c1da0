"""One fault scenario: which database and broker, what breaks, and how it ended."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import uuid
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psycopg

from evaluator.models import Stage
from tests.evaluator.faults.servers import PostgreSQL, Redis
from tests.migrated import migrated_database
from tests.ports import free_port
from tests.requirements import postgresql_url, rabbitmq_url

ROOT = Path(__file__).resolve().parents[3]
JOBS = 6
# Nothing listens there.
NO_BROKER = "redis://127.0.0.1:1/0"


@dataclass(frozen=True)
class Scenario:
    """``events`` happen in turn, each in the stage that it names.

    ``database`` is sqlite, postgresql or private, ``broker`` filesystem, redis,
    rabbitmq, pgmq, none or a URL, ``messages`` empty, drop or triple. Without
    ``patrol`` a worker finds work by messages only.
    """

    broker: str
    events: Sequence[str] = ()
    database: str = "sqlite"
    messages: str = ""
    patrol: bool = True

    def run(self, *, timeout: float = 850) -> dict[str, Any]:
        """Run it in processes of its own; the final state as the driver prints it."""
        return self._in_a_place(timeout)

    def submit(self) -> dict[str, Any]:
        """Only start the evaluation; the jobs, and how long the hints took."""
        return self._in_a_place(400, "submit")

    def _in_a_place(self, timeout: float, act: str = "") -> dict[str, Any]:
        # Not pytest's folder: a server that runs as another user must get there.
        with tempfile.TemporaryDirectory(prefix="ohb-fault-") as name:
            folder = Path(name)
            folder.chmod(0o755)
            with self._database(folder) as database, self._broker(folder) as broker:
                environment = self._environment(folder, database[0], broker[0])
                if self.broker == "pgmq":
                    self._run("manage.py", "prepare_broker", environment=environment)
                servers = {**database[1], **broker[1]}
                scenario = json.dumps({"events": self.events, "servers": servers})
                printed = self._run(
                    *["-m", "tests.evaluator.faults.driver", act or scenario],
                    environment=environment,
                    timeout=timeout,
                )
        found: dict[str, Any] = json.loads(printed.splitlines()[-1])
        return found

    def _environment(self, folder: Path, database: str, broker: str) -> dict[str, str]:
        return {
            **os.environ,
            "DJANGO_SETTINGS_MODULE": "tests.evaluator.faults.settings",
            "OHB_DEBUG": "1",
            "OHB_DATA_DIR": str(folder / "data"),
            "DATABASE_URL": database,
            "OHB_BROKER_URL": broker.replace("DATABASE", database.partition("://")[2]),
            "OHB_STORAGE_URL": f"file://{folder}/artifacts",
            "OHB_LEASE_SECONDS": self._lease_seconds,
            "OHB_SANDBOX": "none",
            "OHB_FAULT_MESSAGES": self.messages,
            "OHB_FAULT_PATROL": "on" if self.patrol else "off",
        }

    @property
    def _lease_seconds(self) -> str:
        """Short where a killed worker's has to run out, though not for a busy machine.

        Elsewhere none may run out.
        """
        return "6" if any(event.startswith("worker") for event in self.events) else "90"

    def _run(
        self, *words: str, environment: dict[str, str], timeout: float = 400
    ) -> str:
        done = subprocess.run(
            [sys.executable, *words],
            cwd=ROOT,
            env=environment,
            capture_output=True,
            text=True,
            timeout=timeout,
            check=False,
        )
        assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-6000:]
        return done.stdout

    @contextmanager
    def _database(self, folder: Path) -> Iterator[tuple[str, dict[str, Any]]]:
        match self.database:
            case "sqlite":
                yield migrated_database(folder / "fault.sqlite3"), {}
            case "postgresql":
                name = f"ohb_fault_{uuid.uuid4().hex[:12]}"
                with psycopg.connect(postgresql_url(), autocommit=True) as connection:
                    connection.execute(f"CREATE DATABASE {name}")
                    yield f"{postgresql_url().rpartition('/')[0]}/{name}", {}
                    connection.execute(f"DROP DATABASE {name} WITH (FORCE)")
            case "private":
                with private_postgresql(folder) as cluster:
                    place = {"folder": str(cluster.folder), "port": cluster.port}
                    yield cluster.url, {"postgresql": place}

    @contextmanager
    def _broker(self, folder: Path) -> Iterator[tuple[str, dict[str, Any]]]:
        match self.broker:
            case "filesystem":
                yield f"filesystem://{folder}/broker", {}
            case "redis":
                with private_redis(folder) as redis:
                    place = {"folder": str(redis.folder), "port": redis.port}
                    yield redis.url, {"redis": place}
            case "rabbitmq":
                yield rabbitmq_url(), {}
            case "pgmq":
                yield "pgmq://DATABASE", {}
            case "none":
                yield NO_BROKER, {}
            case url:
                yield url, {}


@contextmanager
def private_redis(folder: Path) -> Iterator[Redis]:
    redis = Redis(folder / "redis", free_port())
    redis.folder.mkdir()
    redis.start()
    try:
        yield redis
    finally:
        redis.stop()


@contextmanager
def private_postgresql(folder: Path) -> Iterator[PostgreSQL]:
    cluster = PostgreSQL(folder / "postgresql", free_port())
    cluster.folder.mkdir()
    cluster.create()
    cluster.start()
    try:
        yield cluster
    finally:
        cluster.stop()


def losses(found: dict[str, Any]) -> dict[str, Any]:
    """What is wrong with a final state; empty when nothing was lost or doubled."""
    wanted = {
        "jobs": ["scored"] * JOBS,
        "results": JOBS,
        "accepted": JOBS * len(Stage),
        "missing": 0,
        "doubled": 0,
        "completed_by_run": [3, 3],
        "differences": [],
    }
    return {key: found[key] for key, value in wanted.items() if found[key] != value}
