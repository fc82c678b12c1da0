"""kill -9 of the worker in the middle: same final result, nothing lost or doubled."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import uuid
from pathlib import Path

import psycopg
import pytest

from evaluator.models import Stage
from tests.requirements import postgresql_url, rabbitmq_url, redis_url

ROOT = Path(__file__).resolve().parents[3]
JOBS = 6


@pytest.fixture
def postgresql_database():
    """The URL of an empty database of its own."""
    name = f"ohb_fault_{uuid.uuid4().hex[:12]}"
    with psycopg.connect(postgresql_url(), autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name}")
        yield f"{postgresql_url().rpartition('/')[0]}/{name}"
        connection.execute(f"DROP DATABASE {name} WITH (FORCE)")


def final_state(
    tmp_path: Path, *stages: Stage, database: str = "", broker: str = ""
) -> dict[str, object]:
    """Run the driver, killing the worker once in each of ``stages``."""
    environment = {
        **os.environ,
        "DJANGO_SETTINGS_MODULE": "tests.evaluator.faults.settings",
        "OHB_DEBUG": "1",
        "OHB_DATA_DIR": str(tmp_path),
        "DATABASE_URL": database or f"sqlite:///{tmp_path}/fault.sqlite3",
        "OHB_BROKER_URL": broker or f"filesystem://{tmp_path}/broker",
        "OHB_STORAGE_URL": f"file://{tmp_path}/artifacts",
        "OHB_LEASE_SECONDS": "2",
        "OHB_SANDBOX": "none",
    }
    done = subprocess.run(
        [sys.executable, "-m", "tests.evaluator.faults.driver", *stages],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    found: dict[str, object] = json.loads(done.stdout.splitlines()[-1])
    return found


def expect_nothing_lost_or_doubled(found: dict[str, object], kills: int) -> None:
    assert len(found["kills"]) == kills
    assert found["jobs"] == ["scored"] * JOBS
    assert found["results"] == JOBS
    assert found["accepted"] == JOBS * len(Stage)
    assert found["completed_by_run"] == [3, 3]
    assert found["lost"] >= (1 if kills else 0)


def test_nothing_is_lost_on_sqlite_with_the_filesystem_broker(tmp_path):
    found = final_state(tmp_path, Stage.BUILD_FIRST, Stage.CHECKS)

    expect_nothing_lost_or_doubled(found, kills=2)


@pytest.mark.broker
def test_nothing_is_lost_with_redis(tmp_path):
    found = final_state(tmp_path, Stage.CHECKS, broker=redis_url())

    expect_nothing_lost_or_doubled(found, kills=1)


@pytest.mark.broker
@pytest.mark.postgresql
def test_nothing_is_lost_on_postgresql_with_rabbitmq(tmp_path, postgresql_database):
    found = final_state(
        tmp_path,
        Stage.BUILD_FINAL,
        Stage.CHECKS,
        database=postgresql_database,
        broker=rabbitmq_url(),
    )

    expect_nothing_lost_or_doubled(found, kills=2)
