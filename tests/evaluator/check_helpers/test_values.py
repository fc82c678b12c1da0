"""Values drawn for an attempt: on record, the same from the record, new each time."""

from __future__ import annotations

import json
import time
from datetime import date
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from pydantic import ValidationError

from evaluator.toolchains.base import CheckSuite, ExpectedCheck
from evaluator.toolchains.hypium import HypiumRunner
from evaluator.toolchains.simulated import SimulatedChecks
from leaderboard.check_values import draw, drawn_record, read_rules
from leaderboard.snapshots import PackageError, import_package, read_package
from tests.evaluator.simulator.apps import (
    BUNDLE,
    ENVIRONMENT,
    HDC,
    device_pool,
    write_package,
)
from tests.leaderboard.packages import CANARY, edit_json
from tests.leaderboard.packages import write_package as write_task_package

CHECKS = Path(__file__).parent / "checks"
RULES = {
    "message": {"kind": "text", "words": 3},
    "count": {"kind": "number", "least": -2, "most": 2},
    "day": {"kind": "date", "first": "2026-02-27", "last": "2026-03-01"},
    "color": {"kind": "choice", "of": ["red", "green"]},
}


def test_values_follow_their_rules_and_their_seed():
    rules = read_rules({"values": RULES})
    drawn = [draw(rules, seed=str(seed), case="case") for seed in range(60)]

    assert {each["count"] for each in drawn} == {-2, -1, 0, 1, 2}
    assert {each["color"] for each in drawn} == {"red", "green"}
    assert {date.fromisoformat(each["day"]).day for each in drawn} == {27, 28, 1}
    assert {len(each["message"].split()) for each in drawn} == {4}
    assert len({each["message"] for each in drawn}) == 60
    assert drawn[7] == draw(rules, seed="7", case="case")
    assert drawn[7] != draw(rules, seed="7", case="another")


@pytest.mark.parametrize(
    "rule",
    [
        {"kind": "colour"},
        {"kind": "number", "least": 3, "most": 3},
        {"kind": "date", "first": "2026-02-30", "last": "2026-03-01"},
        {"kind": "text", "words": 0},
        {"kind": "choice", "of": ["one"]},
        {"kind": "text", "more": 1},
    ],
)
def test_rules_that_draw_nothing_are_refused(rule):
    with pytest.raises(ValidationError):
        read_rules({"values": {"a": rule}})


def test_a_package_with_a_wrong_rule_is_refused_with_its_place(tmp_path):
    package = write_task_package(tmp_path / "package")
    settings = package / "tasks" / "alpha" / "checks" / "it_works.json"
    edit_json(settings, values={"day": {"kind": "date", "first": 5, "last": "x"}})

    with pytest.raises(PackageError) as caught:
        read_package(package)

    places = {(fault.file, fault.place) for fault in caught.value.faults}
    name = "tasks/alpha/checks/it_works.json"
    assert (name, "values.day.date.last") in places


@pytest.mark.django_db
def test_the_command_gives_the_values_of_a_record(tmp_path, capsys):
    package = write_task_package(tmp_path / "package", "alpha", "beta")
    checks = package / "tasks" / "alpha" / "checks"
    edit_json(checks / "it_works.json", values=RULES)
    import_package(package)

    call_command("check_values", "tiny-1.0", "alpha", "--seed", "abc")

    told = json.loads(capsys.readouterr().out)
    assert told == drawn_record(checks, ["it_works"], seed="abc")
    assert told["seed"] == "abc"
    assert CANARY not in str(told)
    with pytest.raises(CommandError, match="draw no values"):
        call_command("check_values", "tiny-1.0", "beta", "--seed", "abc")
    with pytest.raises(CommandError, match="has no task 'gamma'"):
        call_command("check_values", "tiny-1.0", "gamma", "--seed", "abc")


@pytest.mark.hypium
@pytest.mark.parametrize(("mode", "sent"), [("chat", True), ("hardcoded", False)])
def test_an_app_that_knows_the_sample_answer_fails_where_an_honest_one_passes(
    tmp_path: Path, settings, mode: str, sent: bool
):
    pool = device_pool()
    hypium = HypiumRunner(settings.OHB_HYPIUM_PYTHON, HDC, ENVIRONMENT)
    methods = ("test_send_appends", "test_components", "test_one_picture")
    suite = CheckSuite(
        CHECKS,
        BUNDLE,
        tuple(ExpectedCheck(name, "chat_values", name) for name in methods),
        seed="0123",
    )
    package = write_package(tmp_path / "app.hap", mode)
    (tmp_path / "device").mkdir()
    (tmp_path / "scratch").mkdir()

    with pool.lease(scratch=tmp_path / "device") as device:
        outcome = SimulatedChecks(hypium, pool).run(
            package,
            suite,
            device,
            scratch=tmp_path / "scratch",
            deadline=time.monotonic() + 600,
        )

    assert outcome.trouble is None
    assert [each.passed for each in outcome.outcomes] == [sent, True, False]
    # The words of a helper reach the verdict as those of an assertion do.
    message = outcome.outcomes[2].message
    assert "no component with the text 'A picture has no text'" in message
    assert outcome.files["checks/screens/chat.png"].startswith(b"\x89PNG")
    assert json.loads(outcome.files["checks/values.json"]) == drawn_record(
        CHECKS, suite.cases, seed="0123"
    )
