from __future__ import annotations

import csv
import json
from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from leaderboard.metrics import Scope
from leaderboard.models import Evaluation
from leaderboard.standings import row_as_dict, standings
from tests.factories import (
    EvaluationFactory,
    EvaluationSnapshotFactory,
    ScopeTotalsFactory,
)

pytestmark = pytest.mark.django_db


@pytest.fixture
def snapshot():
    return EvaluationSnapshotFactory(
        version="v9.0", task_count=0, scopes={"overall": (10, 12)}
    )


def add_row(snapshot, model, completed_by_run, **evaluation) -> Evaluation:
    found = EvaluationFactory(
        public=True, snapshot=snapshot, configuration__model=model, **evaluation
    )
    ScopeTotalsFactory(evaluation=found, completed_by_run=completed_by_run)
    return found


def ranked(snapshot):
    return [
        (row.rank_label, row.evaluation.configuration.model)
        for row in standings(snapshot).rows
    ]


def test_rows_are_ordered_by_mean_and_ties_by_name(snapshot):
    add_row(snapshot, "zeta", [4, 5, 6])
    add_row(snapshot, "Alpha", [5, 5, 5])
    add_row(snapshot, "omega", [1, 2, 3])
    add_row(snapshot, "best", [9, 9, 9])

    assert ranked(snapshot) == [
        ("1", "best"),
        ("2=", "Alpha"),
        ("2=", "zeta"),
        ("4", "omega"),
    ]


def test_tied_leaders_share_the_lowest_of_their_runs_as_anchor(snapshot):
    add_row(snapshot, "narrow", [6, 6, 6])
    add_row(snapshot, "wide", [3, 6, 9])
    add_row(snapshot, "third", [3, 3, 4])
    add_row(snapshot, "last", [1, 1, 2])

    leading = [row.leading_group for row in standings(snapshot).rows]

    assert leading == [True, True, True, False]


@pytest.mark.parametrize(
    "difference",
    [
        {"provenance": "self-reported"},
        {"provenance": "baseline"},
        {"unverified": True},
        {"differing_fields": ["sdk"]},
        {"differing_fields": ["sdk"], "comparability_key": "other"},
    ],
)
def test_what_is_not_comparable_stands_apart_without_a_rank(snapshot, difference):
    add_row(snapshot, "ranked", [1, 2, 3])
    add_row(snapshot, "apart", [9, 9, 9], **difference)

    table = standings(snapshot)

    assert ranked(snapshot) == [("1", "ranked")]
    assert table.rows[0].leading_group
    (apart,) = table.unranked
    assert apart.evaluation.configuration.model == "apart"
    assert row_as_dict(apart)["rank"] is row_as_dict(apart)["rank_label"] is None
    assert row_as_dict(apart)["rank_span"] is None


def test_private_evaluations_and_other_snapshots_are_not_shown(snapshot):
    hidden = EvaluationFactory(snapshot=snapshot)
    ScopeTotalsFactory(evaluation=hidden)
    ScopeTotalsFactory()

    table = standings(snapshot)

    assert table.rows == table.unranked == table.withdrawn == ()


def test_a_withdrawn_evaluation_keeps_its_place_in_the_record_only(snapshot):
    evaluation = add_row(snapshot, "gone", [9, 9, 9])
    evaluation.visibility = "withdrawn"
    evaluation.withdrawn_reason = "The training data held the checks."
    evaluation.save()

    table = standings(snapshot)

    assert table.rows == ()
    assert table.withdrawn == (evaluation,)


def test_unknown_figures_are_null_and_never_zero(snapshot):
    found = EvaluationFactory(public=True, snapshot=snapshot)
    ScopeTotalsFactory(evaluation=found, first_build_count=None)

    row = row_as_dict(standings(snapshot).rows[0])

    assert row["first_build"] is row["first_build_count"] is None
    assert row["tokens_per_task"] is row["seconds_per_task"] is None


def test_standings_cost_one_query_at_any_size(snapshot, django_assert_num_queries):
    for place in range(30):
        add_row(snapshot, f"model-{place}", [place % 10] * 3)

    with django_assert_num_queries(1):
        assert len(standings(snapshot, Scope.OVERALL).rows) == 30


def printed(capsys, *options: str) -> str:
    call_command("standings", "--snapshot", "v9", *options)
    return capsys.readouterr().out


def test_the_table_shows_ranks_counts_and_two_decimals(snapshot, capsys):
    add_row(snapshot, "one", [6, 7, 7])
    add_row(snapshot, "other", [1, 1, 2], provenance="self-reported")

    lines = printed(capsys, "--format", "table").splitlines()

    assert lines[0] == "OpenHarmony Bench v9.0, overall"
    assert lines[2].split() == [
        "1", "1-1", "*", "one", "20/30", "66.67", "60.00", "70.00", "66.67", "66.67",
        "not", "reported", "not", "reported", "official",
    ]  # fmt: skip
    assert lines[3].split()[:4] == ["-", "-", "other", "4/30"]


def test_an_empty_table_says_so(snapshot, capsys):
    assert "No evaluation is public yet." in printed(capsys)


def test_the_json_has_the_rows_beside_snapshot_and_scope(snapshot, capsys):
    add_row(snapshot, "one", [6, 7, 7])

    document = json.loads(printed(capsys, "--format", "json"))

    assert document["snapshot"]["version"] == "v9.0"
    assert document["scope"] == "overall"
    assert document["results"] == [row_as_dict(standings(snapshot).rows[0])]
    assert document["results"][0]["completed"] == 20


def test_csv_cells_cannot_become_formulas(snapshot, capsys):
    for sign in "=+-@":
        add_row(snapshot, f"{sign}cmd", [6, 7, 7])

    rows = list(csv.DictReader(StringIO(printed(capsys, "--format", "csv"))))

    assert {row["model"] for row in rows} == {"'=cmd", "'+cmd", "'-cmd", "'@cmd"}
    assert rows[0]["completed_by_run"] == "6 7 7"
    assert rows[0]["tokens_per_task"] == ""
    assert rows[0]["leading_group"] == "true"
    assert float(rows[0]["task_completion_mean"]) == pytest.approx(2 / 3)


def test_a_name_cannot_steer_the_terminal(snapshot, capsys):
    add_row(snapshot, "bad\x1b[2J\nname", [1, 1, 1])

    assert "bad?[2J?name" in printed(capsys)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--snapshot", "v8"], r"No snapshot 'v8'. Known: v9\.0\."),
        (["--snapshot", "v9", "--source", "bugs"], "Known: overall"),
    ],
)
def test_a_wrong_option_is_answered_with_the_choices(snapshot, options, message):
    with pytest.raises(CommandError, match=message):
        call_command("standings", *options)
