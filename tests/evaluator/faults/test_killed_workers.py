"""kill -9 in the middle: same final result, nothing lost or doubled.

A selection of what ``python -m tests.evaluator.faults.report`` does at length.
"""

from __future__ import annotations

import pytest

from evaluator.models import INFRA_BUDGET
from tests.evaluator.faults.scenario import JOBS, Scenario, losses


def test_nothing_is_lost_on_sqlite_with_the_filesystem_broker():
    found = Scenario("filesystem", ["worker:build_first", "worker:checks"]).run()

    assert losses(found) == {}
    assert found["attempts"]["lost"] >= 1


@pytest.mark.usefixtures("redis_program")
def test_nothing_is_lost_with_redis():
    found = Scenario("redis", ["worker:checks"]).run()

    assert losses(found) == {}
    assert found["attempts"]["lost"] >= 1


@pytest.mark.broker
@pytest.mark.postgresql
def test_nothing_is_lost_on_postgresql_with_rabbitmq():
    found = Scenario("rabbitmq", ["worker:build_final"], "postgresql").run()

    assert losses(found) == {}
    assert found["attempts"]["lost"] >= 1


@pytest.mark.postgresql
def test_nothing_is_lost_with_postgresql_as_database_and_broker():
    found = Scenario("pgmq", ["worker:agent"], "postgresql").run()

    assert losses(found) == {}
    assert found["attempts"]["lost"] >= 1


@pytest.mark.usefixtures("redis_program")
def test_a_broker_that_is_killed_and_forgets_everything_stops_nothing():
    found = Scenario("redis", ["broker:build_first"]).run()

    assert losses(found) == {}
    assert found["budget_left"] == JOBS * INFRA_BUDGET


@pytest.mark.usefixtures("postgresql_programs")
def test_a_database_that_restarts_in_the_middle_loses_nothing():
    found = Scenario("filesystem", ["database:build_final"], "private").run()

    assert losses(found) == {}


def test_a_worker_that_is_told_to_stop_gives_its_leases_back_for_nothing():
    found = Scenario("filesystem", ["drain:build_first", "drain:checks"]).run()

    assert losses(found) == {}
    assert found["attempts"]["drained"] >= 2
    assert "lost" not in found["attempts"]
    assert found["budget_left"] == JOBS * INFRA_BUDGET
