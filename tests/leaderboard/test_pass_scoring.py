"""Official evaluations by pass rate, scored from task results; figures by hand."""

from __future__ import annotations

from fractions import Fraction

import pytest

from leaderboard.models import (
    Benchmark,
    Evaluation,
    EvaluationSnapshot,
    Overruling,
    PassTotals,
    ScopeTotals,
    ScoringPolicy,
    Stream,
    TaskResult,
    TaskSource,
)
from leaderboard.passing.scoring import RulesError
from leaderboard.passing.standings import pass_standings
from leaderboard.recount import differences, rewrite
from leaderboard.totals import write_run_totals, write_summary
from leaderboard.totals_errors import IncompleteEvaluationError
from tests.factories import (
    BenchmarkFactory,
    CheckResultFactory,
    ConfigurationFactory,
    EvaluationFactory,
    EvaluationSnapshotFactory,
    RunFactory,
    TaskFactory,
    TaskResultFactory,
    UserFactory,
)

pytestmark = pytest.mark.django_db

# By task and run: perfect, four of five F-points, not built, incomplete.
P, MOST, NONE, GONE = "P", "M", "N", "-"
EXAMPLE = ("PPPMM", "PMMMM", "NNNN-")


@pytest.fixture
def snapshot() -> EvaluationSnapshot:
    """Three tasks of five F-points each, one in every stream; five runs."""
    benchmark = BenchmarkFactory(
        slug="pass-bench", name="Pass", policy=ScoringPolicy.PASS_AND_COMPLETION
    )
    found = EvaluationSnapshotFactory(benchmark=benchmark, task_count=0, run_count=5)
    for position, source in enumerate(TaskSource.values):
        TaskFactory(snapshot=found, source=source, position=position, f_point_count=5)
        Stream.objects.create(
            snapshot=found,
            slug=source,
            names={"en": source.title()},
            task_count=1,
            position=position,
        )
    return found


def evaluated(
    snapshot: EvaluationSnapshot, outcomes: tuple[str, ...] = EXAMPLE
) -> Evaluation:
    """A public evaluation with the ``outcomes`` of each task, a letter a run."""
    evaluation = EvaluationFactory(
        snapshot=snapshot, public=True, configuration=ConfigurationFactory()
    )
    for place in range(snapshot.run_count):
        run = RunFactory(evaluation=evaluation)
        for task, letters in zip(snapshot.tasks.all(), outcomes, strict=True):
            _result(run, task, letters[place])
        write_run_totals(run)
    write_summary(evaluation)
    return evaluation


def _result(run, task, letter: str) -> None:
    if letter == GONE:
        return
    passed = {P: 5, MOST: 4, NONE: 0}[letter]
    result = TaskResultFactory(
        run=run,
        task=task,
        completed=letter == P,
        final_build_ok=letter != NONE,
        f_points_passed=passed,
    )
    for number in range(5 if letter != NONE else 0):
        CheckResultFactory(result=result, passed=number < passed)


def totals(evaluation: Evaluation) -> dict[str, tuple[int | None, ...]]:
    """Perfect, finished, incomplete and the exact sum, by stream."""
    rows = PassTotals.objects.filter(evaluation=evaluation).select_related("stream")
    return {
        row.stream.slug if row.stream else "overall": (
            row.perfect_count,
            row.finished_count,
            row.incomplete_count,
            Fraction(row.completion_total),
        )
        for row in rows
    }


def test_rates_are_over_finished_task_runs_and_the_others_are_counted(snapshot):
    evaluation = evaluated(snapshot)

    assert totals(evaluation) == {
        "overall": (4, 14, 1, Fraction(44, 5)),
        "new-feature": (3, 5, 0, Fraction(23, 5)),
        "spec-driven": (1, 5, 0, Fraction(21, 5)),
        "bug-fix": (0, 4, 1, 0),
    }
    (row,) = pass_standings(snapshot).rows
    assert (row.figures.pass_rate, row.figures.completion_rate) == (
        Fraction(2, 7),
        Fraction(22, 35),
    )
    assert not ScopeTotals.objects.exists()


def test_rows_are_ranked_by_pass_rate_and_only_then_by_completion_rate(snapshot):
    # Pass rates 3/15, 4/15, 4/15; completion rates 13.4/15, 8/15, 8.8/15.
    high = evaluated(snapshot, ("PPPMM", "MMMMM", "MMMMM"))
    low = evaluated(snapshot, ("PPPMM", "PMMMN", "NNNNN"))
    middle = evaluated(snapshot, ("PPPMM", "PMMMM", "NNNNN"))

    rows = pass_standings(snapshot).rows

    assert [(row.rank, row.evaluation) for row in rows] == [
        (1, middle),
        (2, low),
        (3, high),
    ]
    stream = snapshot.streams.get(slug="bug-fix")
    assert [row.rank_label for row in pass_standings(snapshot, stream).rows] == [
        "1",
        "2=",
        "2=",
    ]


def test_a_violation_or_an_overruling_takes_the_pass_away(snapshot):
    evaluation = evaluated(snapshot)
    flagged, overruled = TaskResult.objects.filter(completed=True)[:2]
    TaskResult.objects.filter(pk=flagged.pk).update(flags=["legacy_api"])
    Overruling.objects.create(
        result=overruled,
        reason="the answer was copied",
        proposed_by=UserFactory(),
        confirmed_by=UserFactory(),
    )

    rewrite(evaluation)

    # 8.8 less half of the flagged one and all of the overruled one.
    assert totals(evaluation)["overall"] == (2, 14, 1, Fraction(73, 10))


def test_a_recount_finds_what_the_rows_do_not_give_and_puts_it_right(snapshot):
    evaluation = evaluated(snapshot)
    assert list(differences()) == []
    PassTotals.objects.filter(evaluation=evaluation, stream=None).update(
        perfect_count=14
    )

    (found,) = differences()
    assert (found.field, found.stored, found.computed) == ("perfect_count", "14", "4")

    rewrite(evaluation)
    assert list(differences()) == []


def test_nothing_is_scored_by_other_rules_or_before_every_run(
    snapshot, settings, tmp_path
):
    evaluation = evaluated(snapshot)
    folder = tmp_path / "pass-bench"
    folder.mkdir()
    (folder / "multipliers.json").write_text("{}")
    settings.BENCHMARK_FACTS = str(tmp_path)
    with pytest.raises(RulesError, match="multipliers"):
        write_summary(evaluation)
    settings.BENCHMARK_FACTS = ""

    evaluation.runs.last().delete()
    with pytest.raises(IncompleteEvaluationError, match="4 of 5"):
        write_summary(evaluation)


def test_pages_of_an_official_evaluation_show_rates_with_their_counts(client, snapshot):
    evaluation = evaluated(snapshot)

    table = client.get(snapshot.get_absolute_url()).content.decode()
    page = client.get(evaluation.get_absolute_url()).content.decode()
    run = client.get(evaluation.runs.first().get_absolute_url())
    row = client.get(f"/api/v1/leaderboard/?snapshot={snapshot.version}").json()

    for text in (table, page):
        assert "28.57" in text
        assert "62.86" in text
        assert "4/14" in text
    assert "New-Feature" in page
    assert run.status_code == 200
    assert "Task Completion" not in run.content.decode().split("<main")[1]
    (found,) = row["results"]
    assert (found["passed"], found["finished"], found["incomplete"]) == (4, 14, 1)
    assert found["completion_total"] == "44/5"
    assert client.get("/").status_code == 200
    assert not Benchmark.objects.get(slug="pass-bench").guest
