"""A message is a hint: lost, tripled or never sent, the evaluation ends the same."""

from __future__ import annotations

import socket
from collections.abc import Iterator

import pytest

from evaluator.models import Stage
from tests.evaluator.faults.scenario import JOBS, Scenario, losses

DATABASES = {"filesystem": "sqlite", "redis": "sqlite"}


@pytest.mark.parametrize(
    "broker",
    [
        "filesystem",
        "redis",
        pytest.param("rabbitmq", marks=[pytest.mark.broker, pytest.mark.postgresql]),
        pytest.param("pgmq", marks=pytest.mark.postgresql),
    ],
)
def test_with_every_message_tripled_the_result_is_the_same(broker, request):
    if broker == "redis":
        request.getfixturevalue("redis_program")
    database = DATABASES.get(broker, "postgresql")

    found = Scenario(broker, database=database, messages="triple", patrol=False).run()

    assert losses(found) == {}
    assert found["attempts"] == {"model": JOBS, "passed": JOBS * (len(Stage) - 1)}


def test_with_every_message_lost_the_evaluation_still_ends():
    found = Scenario("filesystem", messages="drop").run()

    assert losses(found) == {}


def test_without_any_broker_the_evaluation_still_ends():
    found = Scenario("none", ["worker:build_final"]).run()

    assert losses(found) == {}


@pytest.fixture
def silent_broker() -> Iterator[str]:
    """A broker that takes connections and never says a word."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield f"127.0.0.1:{server.getsockname()[1]}"


@pytest.mark.parametrize(
    "url",
    [
        "redis://127.0.0.1:1/0",
        "amqp://guest:guest@127.0.0.1:1//",
        "pgmq://postgres@127.0.0.1:1/postgres",
        "redis://SILENT/0",
        "amqp://guest:guest@SILENT//",
        "pgmq://postgres@SILENT/postgres",
    ],
)
def test_a_submission_neither_fails_nor_waits_when_the_broker_is_down(
    url, silent_broker
):
    found = Scenario(url.replace("SILENT", silent_broker)).submit()

    assert found["jobs"] == ["queued"] * JOBS
    # A moment of patience, and what the rows take on a busy machine.
    assert found["hint_seconds"] < 2
