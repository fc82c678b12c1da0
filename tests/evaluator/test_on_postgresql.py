"""The tests of the queue once more, on PostgreSQL with real connections."""

from __future__ import annotations

import os
import subprocess
import sys
import uuid
from pathlib import Path

import pytest
from django.db import connection

from tests.requirements import postgresql_url

ROOT = Path(__file__).resolve().parents[2]
# Which tests of which file; one run of them all makes the tables only once.
CHOSEN = {
    "test_queue": "",
    "test_closing": "",
    "test_breaker": "",
    "test_queue_races": "",
    "test_stage_times": "",
    "test_forecast": "at_any_size or ahead",
    "test_status": "counted or times or queue",
    # PostgreSQL refuses texts that SQLite takes.
    "trust/test_evidence": "nasty or refused or afterwards",
    # Mutants are caught by the same invariants on any database.
    "test_queue_machine": "every_history or no_total",
}


@pytest.mark.postgresql
@pytest.mark.timeout(1800)
def test_the_queue_is_the_same_on_postgresql():
    if connection.vendor == "postgresql":
        return  # the whole suite runs there already
    name = f"ohb_{uuid.uuid4().hex[:12]}"
    paths = [f"tests/evaluator/{file}.py" for file in CHOSEN]
    chosen = " or ".join(
        f"({Path(file).name}.py and ({words}))" if words else f"{Path(file).name}.py"
        for file, words in CHOSEN.items()
    )
    done = subprocess.run(
        [
            *[sys.executable, "-m", "pytest", *paths, "-q"],
            *["-p", "no:randomly", "-n", "0", "-k", chosen],
        ],
        cwd=ROOT,
        env={
            **os.environ,
            "OHB_TEST_DATABASE_URL": f"{postgresql_url().rpartition('/')[0]}/{name}",
        },
        capture_output=True,
        text=True,
        timeout=1700,
        check=False,
    )

    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-1000:]
    assert " passed" in done.stdout
