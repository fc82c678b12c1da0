"""Tests of races once more, on PostgreSQL, where nothing waits by itself."""

from __future__ import annotations

import os
import subprocess
import sys
import uuid

import pytest
from django.conf import settings
from django.db import connection

from tests.requirements import postgresql_url

RACES = (
    "tests/submissions/test_quota.py",
    "tests/submissions/review/test_decision_races.py",
)


@pytest.mark.postgresql
def test_races_end_the_same_on_postgresql():
    if connection.vendor == "postgresql":
        return  # the whole suite runs there already
    name = f"ohb_{uuid.uuid4().hex[:12]}"
    server = postgresql_url().rpartition("/")[0]
    done = subprocess.run(
        [
            *[sys.executable, "-m", "pytest", *RACES],
            *["-q", "-p", "no:randomly", "-n", "0"],
        ],
        cwd=settings.BASE_DIR,
        env={**os.environ, "OHB_TEST_DATABASE_URL": f"{server}/{name}"},
        capture_output=True,
        text=True,
        timeout=800,
        check=False,
    )

    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-1000:]
    assert " passed" in done.stdout
