"""The report counts every kill and says what went wrong."""

from __future__ import annotations

import pytest

from evaluator.models import Stage
from tests.evaluator.faults import report
from tests.evaluator.faults.scenario import JOBS

BROKERS = ["filesystem", "redis", "rabbitmq", "pgmq"]
FINE = {
    "seconds": 1.0,
    "jobs": ["scored"] * JOBS,
    "results": JOBS,
    "accepted": JOBS * len(Stage),
    "missing": 0,
    "doubled": 0,
    "attempts": {"lost": 2, "drained": 1, "passed": 30, "model": 6},
    "completed_by_run": [3, 3],
    "differences": [],
}


def answer(monkeypatch, found) -> None:
    monkeypatch.setattr(report, "_run", lambda column: found)


@pytest.mark.parametrize(("kills", "evaluations"), [(1, 1), (6, 1), (50, 9), (66, 11)])
def test_the_plan_reaches_the_number_of_kills_asked_for(kills, evaluations):
    planned = list(report.plan(kills, BROKERS))

    assert len(planned) == evaluations
    assert sum(len(column.scenario().events) for column in planned) >= kills


def test_every_stage_and_every_broker_is_in_a_plan_of_fifty():
    planned = list(report.plan(50, BROKERS))

    assert {column.broker for column in planned} == set(BROKERS)
    assert {column.what for column in planned} == {"worker", "broker", "database"}
    for column in planned:
        stages = [event.partition(":")[2] for event in column.scenario().events]
        assert stages == [stage.value for stage in Stage]


def test_the_table_counts_what_survived(monkeypatch, capsys):
    answer(monkeypatch, FINE)
    monkeypatch.setattr("sys.argv", ["report", "--kills", "12", "--brokers", "redis"])

    assert report.main() == 0

    text = capsys.readouterr().out
    assert "| checks | 1 / 1 | 1 / 1 |" in text
    assert "kills 12, evaluations 2, jobs 12: lost 0, doubled 0" in text


@pytest.mark.parametrize(
    ("found", "said"),
    [
        ({**FINE, "results": JOBS - 1}, "lost 1, doubled 0"),
        ({**FINE, "doubled": 2}, "lost 0, doubled 2"),
        ("AssertionError: waited in vain", "waited in vain"),
    ],
)
def test_a_loss_is_told_and_is_a_failure(found, said, monkeypatch, capsys):
    answer(monkeypatch, found)
    monkeypatch.setattr("sys.argv", ["report", "--kills", "6"])

    assert report.main() == 1

    text = capsys.readouterr().out
    assert said in text
    assert "| checks | 0 / 1 |" in text
