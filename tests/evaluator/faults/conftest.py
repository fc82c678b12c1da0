from __future__ import annotations

import shutil

import pytest

from tests.evaluator.faults.servers import postgresql_program
from tests.requirements import require


@pytest.fixture
def redis_program() -> None:
    """A Redis that the test may kill."""
    found = shutil.which("redis-server") is not None
    require("redis", found, "install Redis (Debian: apt-get install redis-server)")


@pytest.fixture
def postgresql_programs() -> None:
    """A PostgreSQL that the test may kill."""
    found = postgresql_program("initdb") is not None
    how = "install PostgreSQL (Debian: apt-get install postgresql)"
    require("postgresql", found, how)
