"""How far task runs got: exact, beside Task Completion, and never in a rank."""

from __future__ import annotations

import json
from fractions import Fraction

import pytest

from leaderboard.benchmark_files import benchmark_file
from leaderboard.checks import check_benchmark_facts
from leaderboard.completion_rate import (
    DEFAULT_MULTIPLIERS,
    DimensionScore,
    MultiplierError,
    completion_rate,
    contributions,
    read_multipliers,
)
from leaderboard.metrics import Scope, rounded
from leaderboard.models import FPoint, Overruling, Task, TaskResult
from leaderboard.presenters.progress import bucket, how_far
from leaderboard.progress import progress_of
from leaderboard.standings import standings
from leaderboard.totals import write_run_totals, write_summary
from tests.factories import (
    CheckResultFactory,
    EvaluationFactory,
    EvaluationSnapshotFactory,
    RunFactory,
    TaskFactory,
    TaskResultFactory,
    UserFactory,
)


def score(dimension, value, weight):
    return DimensionScore(dimension, Fraction(value), Fraction(weight))


# The worked example of the methodology: a conversion that has no regression part.
EXAMPLE = [
    score("visual", "0.8291", "1.0"),
    score("functional", "1", "0.3"),
    score("requirements", "1", "0.2"),
]


def test_the_worked_example_of_the_methodology():
    found = contributions(EXAMPLE)

    assert [str(rounded(each.share, 4)) for each in found] == [
        "0.6667",
        "0.2000",
        "0.1333",
    ]
    # It prints products of the printed weights.
    printed = [
        rounded(part.score * Fraction(rounded(each.share, 4)), 4)
        for part, each in zip(EXAMPLE, found, strict=True)
    ]
    assert [str(each) for each in printed] == ["0.5528", "0.2000", "0.1333"]
    assert str(rounded(completion_rate(EXAMPLE), 4)) == "0.8861"
    assert str(sum(printed)) == "0.8861"


def test_weights_are_normalized_over_the_dimensions_that_a_task_has():
    assert completion_rate([score("functional", "1/2", 7)]) == Fraction(1, 2)
    assert completion_rate(
        [score("functional", 1, 3), score("regression", 0, 1)]
    ) == Fraction(3, 4)


@pytest.mark.parametrize(
    ("penalties", "rate"),
    [
        ([], "1"),
        (["build_failed"], "0"),
        (["cheating"], "0"),
        (["foreign_language_files"], "0"),
        (["legacy_api"], "1/2"),
        (["legacy_api", "legacy_api"], "1/2"),
        (["legacy_api", "build_failed"], "0"),
        (["something else"], "1"),
    ],
)
def test_penalties_multiply_once_each(penalties, rate):
    assert completion_rate([score("functional", 1, 1)], penalties) == Fraction(rate)


@pytest.mark.parametrize(
    "scores", [[], [score("visual", 1, 0)], [score("visual", 2, 1)]]
)
def test_what_is_no_score_is_refused(scores):
    with pytest.raises(ValueError, match="score"):
        completion_rate(scores)


def test_multipliers_come_from_the_file_of_a_benchmark(tmp_path, settings):
    own = read_multipliers(benchmark_file("openharmony-bench", "multipliers.json"))
    assert own == DEFAULT_MULTIPLIERS
    assert read_multipliers(benchmark_file("another", "multipliers.json")) == own

    settings.BENCHMARK_FACTS = str(tmp_path)
    (tmp_path / "another").mkdir()
    path = tmp_path / "another" / "multipliers.json"
    path.write_text(json.dumps({"multipliers": {"legacy_api": "0.25"}}))
    changed = read_multipliers(benchmark_file("another", "multipliers.json"))
    assert changed == {**own, "legacy_api": Fraction(1, 4)}


@pytest.mark.parametrize(
    "text",
    [
        "{",
        "[]",
        '{"multipliers": {"legacy": 1}}',
        '{"multipliers": {"legacy_api": "x"}}',
        '{"multipliers": {"legacy_api": 2}}',
        '{"multipliers": {"legacy_api": null}}',
    ],
)
def test_multipliers_that_cannot_be_are_refused_by_name(tmp_path, text):
    path = tmp_path / "multipliers.json"
    path.write_text(text)

    with pytest.raises(MultiplierError, match=r"multipliers\.json"):
        read_multipliers(path)


@pytest.fixture
def snapshot(db):
    """One spec-driven task of four F-points, one bug-fix of a single one."""
    found = EvaluationSnapshotFactory(task_count=0)
    TaskFactory(
        snapshot=found, slug="spec", source="spec-driven", f_point_count=4, position=0
    )
    TaskFactory(snapshot=found, slug="bug", source="bug-fix", position=1)
    return found


def measured(snapshot, *runs):
    """An evaluation; a run is the number of F-points of "spec" and of "bug" passed."""
    evaluation = EvaluationFactory(snapshot=snapshot, run_count=len(runs), public=True)
    for counts in runs:
        run = RunFactory(evaluation=evaluation)
        for task, passed in zip(snapshot.tasks.all(), counts, strict=True):
            total = task.f_points.count()
            result = TaskResultFactory(
                run=run, task=task, completed=passed == total, f_points_passed=passed
            )
            for place in range(total):
                CheckResultFactory(result=result, passed=place < passed)
        write_run_totals(run)
    write_summary(evaluation)
    return evaluation


def of_scope(evaluation, scope):
    found = progress_of(evaluation)
    assert found is not None
    return next(each for each in found.scopes if each.scope == scope)


def test_f_points_and_rates_have_mean_range_and_counts(snapshot):
    evaluation = measured(snapshot, (1, 0), (3, 1))

    spec = of_scope(evaluation, Scope.SPEC_DRIVEN)
    assert (spec.passed_count, spec.f_point_count, spec.task_runs) == (4, 8, 2)
    assert spec.passed == (Fraction(1, 2), Fraction(1, 4), Fraction(3, 4))
    assert spec.rate == spec.passed
    overall = of_scope(evaluation, Scope.OVERALL)
    # F-points weigh the same in the one, tasks in the other.
    assert overall.passed == (Fraction(1, 2), Fraction(1, 5), Fraction(4, 5))
    assert overall.rate == (Fraction(1, 2), Fraction(1, 8), Fraction(7, 8))


def test_weights_and_dimensions_of_f_points_count(snapshot):
    first = FPoint.objects.filter(task__slug="spec").order_by("position").first()
    FPoint.objects.filter(pk=first.pk).update(weight=7, dimension="visual")

    spec = of_scope(measured(snapshot, (1, 0)), Scope.SPEC_DRIVEN)

    assert spec.passed.mean == Fraction(1, 4)
    assert spec.rate.mean == Fraction(7, 10)


def test_what_was_not_built_or_was_overruled_gets_nowhere(snapshot):
    evaluation = measured(snapshot, (3, 1), (4, 1))
    results = TaskResult.objects.filter(task__slug="spec").order_by("run")
    TaskResult.objects.filter(pk=results[0].pk).update(
        final_build_ok=False, reason="build_failed"
    )
    Overruling.objects.create(
        result=results[1],
        reason="A shortcut.",
        proposed_by=UserFactory(),
        confirmed_by=UserFactory(),
    )

    spec = of_scope(evaluation, Scope.SPEC_DRIVEN)

    assert (spec.passed_count, spec.rate.high) == (0, 0)


def test_a_flag_of_a_result_multiplies_its_rate_only(snapshot):
    evaluation = measured(snapshot, (2, 1))
    TaskResult.objects.filter(task__slug="spec").update(
        flags=["legacy_api entry/a.ets:2 @ohos.router", "legacy_api and 3 more"]
    )

    spec = of_scope(evaluation, Scope.SPEC_DRIVEN)

    assert (spec.passed.mean, spec.rate.mean) == (Fraction(1, 2), Fraction(1, 4))


def test_nothing_is_said_before_every_task_run_is_decided(snapshot):
    evaluation = measured(snapshot, (2, 1))
    TaskResult.objects.filter(task__slug="bug").delete()

    assert progress_of(evaluation) is None
    assert how_far(evaluation) is None


def test_rules_that_cannot_be_read_leave_the_page_standing(
    client, snapshot, settings, tmp_path, caplog
):
    evaluation = measured(snapshot, (2, 1))
    settings.BENCHMARK_FACTS = str(tmp_path)
    (tmp_path / snapshot.benchmark.slug).mkdir()
    (tmp_path / snapshot.benchmark.slug / "multipliers.json").write_text("{")

    response = client.get(evaluation.get_absolute_url())

    assert response.status_code == 200
    assert "How far did it get?" not in response.content.decode()
    assert "multipliers.json has no usable multipliers" in caplog.text


def test_files_of_the_operator_that_cannot_be_used_are_told_by_check(
    settings, tmp_path
):
    settings.BENCHMARK_FACTS = str(tmp_path)
    assert check_benchmark_facts() == []
    (tmp_path / "ours").mkdir()
    (tmp_path / "ours" / "multipliers.json").write_text("{")
    (tmp_path / "ours" / "kits.json").write_text("[]")

    found = check_benchmark_facts()

    assert [error.id for error in found] == ["leaderboard.E002"] * 2
    assert "kits.json is not a list of Kits" in found[0].msg
    assert "multipliers.json has no usable multipliers" in found[1].msg
    settings.BENCHMARK_FACTS = str(tmp_path / "nowhere")
    assert "which is no folder" in check_benchmark_facts()[0].msg


@pytest.mark.parametrize(
    ("passed", "name"),
    [
        (0, "none"),
        (1, "to_quarter"),
        (2, "to_quarter"),
        (3, "to_half"),
        (4, "to_half"),
        (5, "to_three_quarters"),
        (6, "to_three_quarters"),
        (7, "not_all"),
        (8, "all"),
    ],
)
def test_a_task_run_falls_into_one_bar(passed, name):
    assert bucket(passed, 8) == name


def test_the_page_shows_shares_rates_bars_and_caveats(client, snapshot):
    evaluation = measured(snapshot, (1, 0), (3, 1))

    html = client.get(evaluation.get_absolute_url()).content.decode()

    assert "How far did it get?" in html
    assert '50.00 <span class="subtle">[25.00–75.00]</span>' in html
    assert ">4/8<" in html
    assert "2 runs of tasks with several F-points" in html
    assert "no part of it ever moves a rank" in html
    assert "0.5 where it imports an interface" in html
    assert "By dimension" not in html


def test_the_api_tells_them_with_their_counts(client, snapshot):
    evaluation = measured(snapshot, (1, 0), (3, 1))

    found = client.get(f"/api/v1/evaluations/{evaluation.pk}/").json()["progress"]

    assert found["multipliers"]["legacy_api"] == 0.5
    assert found["scopes"]["spec-driven"] == {
        "task_runs": 2,
        "f_points_passed": 4,
        "f_points": 8,
        "passed": {"mean": 0.5, "min": 0.25, "max": 0.75},
        "completion_rate": {"mean": 0.5, "min": 0.25, "max": 0.75},
        "dimensions": {
            "functional": {
                "task_runs": 2,
                "f_points_passed": 4,
                "f_points": 8,
                "score": {"mean": 0.5, "min": 0.25, "max": 0.75},
                "unjudged": 0,
            }
        },
    }


def test_tasks_without_parts_have_no_such_section(client, db):
    snapshot = EvaluationSnapshotFactory(task_count=0)
    TaskFactory(snapshot=snapshot)
    evaluation = EvaluationFactory(snapshot=snapshot, run_count=1, public=True)
    run = RunFactory(evaluation=evaluation)
    TaskResultFactory(run=run)
    write_run_totals(run)
    write_summary(evaluation)

    assert how_far(evaluation) is None
    html = client.get(evaluation.get_absolute_url()).content.decode()
    assert "How far did it get?" not in html


def test_no_progress_moves_the_rank_or_a_figure_of_the_standings(snapshot):
    far = measured(snapshot, (3, 0), (3, 0))
    near = measured(snapshot, (0, 1), (0, 0))
    order = [row.evaluation for row in standings(snapshot, Scope.OVERALL).rows]
    assert order == [near, far]
    before = [
        (row.rank, row.rank_span, row.in_scope)
        for row in standings(snapshot, Scope.OVERALL).rows
    ]

    FPoint.objects.filter(task__in=Task.objects.filter(slug="spec")).update(weight=900)
    TaskResult.objects.filter(run__evaluation=near).update(flags=["legacy_api"])

    after = [
        (row.rank, row.rank_span, row.in_scope)
        for row in standings(snapshot, Scope.OVERALL).rows
    ]
    assert after == before
    assert (
        of_scope(far, Scope.OVERALL).rate.mean > of_scope(near, Scope.OVERALL).rate.mean
    )
