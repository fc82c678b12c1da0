"""Answers of the API whose rows were made ready before."""

from __future__ import annotations

import json
import random

import pytest
from rest_framework.renderers import JSONRenderer

from leaderboard.api.ready import Ready, ReadyRenderer
from leaderboard.ranking.documents import as_json
from leaderboard.ranking.renewal import renew
from tests.factories import EvaluationSnapshotFactory
from tests.leaderboard.test_hostile_texts import PAYLOADS
from tests.leaderboard.test_ranking import TASKS, add

# As long as the name of a model may be, and without what no database takes.
HOSTILE = sorted({text[:90] for text in PAYLOADS.values()} - {"\0\0"})
ROWS = [{"name": text, "rate": 0.1, "none": None} for text in HOSTILE]


@pytest.mark.parametrize(
    "answer",
    [
        {"rows": ROWS},
        {"rows": ROWS, "count": 1},
        {"count": 1, "rows": ROWS, "others": [], "next": "\u2028 é"},
        {"count": 1, "others": [], "rows": ROWS},
        {"count": 1},
    ],
)
@pytest.mark.parametrize("accepted", ["application/json", "application/json; indent=2"])
def test_ready_rows_give_the_same_bytes_as_rows_written_now(answer, accepted):
    ready = {
        name: Ready(map(as_json, value)) if isinstance(value, list) else value
        for name, value in answer.items()
    }

    assert ReadyRenderer().render(ready, accepted) == JSONRenderer().render(
        answer, accepted
    )


def test_stored_rows_of_the_api_are_those_that_are_written_now(client, committed_db):
    snapshot, chance = EvaluationSnapshotFactory(task_count=TASKS), random.Random(1)
    for text in HOSTILE:
        add(snapshot, chance, configuration__model=text)
    now = client.get("/api/v1/leaderboard/").content

    assert renew()
    stored = client.get("/api/v1/leaderboard/")

    assert stored.content == now
    assert {row["configuration"]["model"] for row in stored.json()["results"]} == {
        *HOSTILE
    }
    indented = client.get(
        "/api/v1/leaderboard/", headers={"accept": "application/json; indent=1"}
    )
    assert indented.content.count(b"\n") > len(HOSTILE)
    assert json.loads(indented.content) == stored.json()
