"""What must be said beside a number stands where the number is, in both languages."""

from __future__ import annotations

import pytest

from leaderboard.models import Benchmark, ScoringPolicy
from leaderboard.totals import write_run_totals, write_summary
from tests.factories import (
    EvaluationFactory,
    EvaluationSnapshotFactory,
    RunFactory,
    TaskFactory,
    TaskResultFactory,
)

GROSS_USE = {
    "": "Tokens and time are gross use: an agent that gives up early looks cheap.",
    "/zh-hans": "Token 数与时间为总消耗：过早放弃的智能体看起来消耗更低。",
}
PRICES = {"": "date of its price list", "/zh-hans": "价格表的日期"}


def measured(snapshot):
    found = EvaluationFactory(snapshot=snapshot, run_count=1, public=True)
    run = RunFactory(evaluation=found)
    TaskResultFactory(run=run, total_tokens=1000, agent_milliseconds=2000)
    write_run_totals(run)
    write_summary(found)
    return found


@pytest.fixture
def evaluation(db):
    snapshot = EvaluationSnapshotFactory(task_count=0, run_count=1)
    TaskFactory(snapshot=snapshot)
    return measured(snapshot)


@pytest.mark.parametrize("language", GROSS_USE)
def test_every_page_with_tokens_or_times_says_what_they_are(
    client, evaluation, language
):
    snapshot, run = evaluation.snapshot, evaluation.runs.get()
    pages = [
        snapshot.get_absolute_url(),
        f"/explore/?snapshot={snapshot.version}",
        evaluation.get_absolute_url(),
        run.get_absolute_url(),
        run.results.get().get_absolute_url(),
        f"/compare/?a={evaluation.pk}&b={measured(snapshot).pk}",
    ]
    texts = {
        page: client.get(f"{language}{page}", follow=True).content.decode()
        for page in pages
    }
    silent = [
        page
        for page, text in texts.items()
        if GROSS_USE[language] not in text or PRICES[language] not in text
    ]

    assert silent == []


def test_a_run_by_pass_rate_says_so_though_it_has_no_totals(client, evaluation):
    Benchmark.objects.update(policy=ScoringPolicy.PASS_AND_COMPLETION)

    page = client.get(evaluation.runs.get().get_absolute_url()).content.decode()

    assert "1,000" in page
    assert GROSS_USE[""] in page


def test_the_document_of_the_api_says_so_as_well(client, db):
    schemas = client.get("/api/schema/?format=json").json()["components"]["schemas"]

    row = schemas["Row"]["properties"]
    assert "gives up early" in row["tokens_per_task"]["description"]
    assert "one environment" in row["seconds_per_task"]["description"]
    result = schemas["TaskResult"]["properties"]
    assert "day of the price list" in result["total_tokens"]["description"]
    assert "one environment" in result["agent_seconds"]["description"]
    assert "need not mean little work" in schemas["HowFar"]["description"]
