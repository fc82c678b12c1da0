from __future__ import annotations

import pytest
from django.core.management import CommandError, call_command
from django.db import IntegrityError, transaction

from leaderboard.models import ScopeTotals, TaskResult
from leaderboard.published import load_published
from leaderboard.totals import write_run_totals, write_summary
from leaderboard.totals_errors import IncompleteEvaluationError, IncompleteRunError
from tests.factories import (
    EvaluationFactory,
    RunFactory,
    ScopeTotalsFactory,
    TaskResultFactory,
    scored_evaluation,
)
from tests.leaderboard.test_published import FOLDER

pytestmark = pytest.mark.django_db


def totals_of(owner) -> dict[str, ScopeTotals]:
    return {totals.scope: totals for totals in owner.totals.all()}


def test_a_run_gets_one_row_of_totals_a_scope():
    run = RunFactory(evaluation__snapshot__task_count=3)
    for completed in (True, False, True):
        TaskResultFactory(
            run=run, completed=completed, total_tokens=100, agent_milliseconds=1500
        )

    write_run_totals(run)

    found = totals_of(run)
    overall = found.pop("overall")
    assert overall.task_count == 3
    assert overall.completed_by_run == [2]
    assert overall.completed_count == 2
    assert overall.first_build_count == overall.final_build_count == 3
    assert (overall.total_tokens, overall.agent_milliseconds) == (300, 4500)
    assert {scope: totals.completed_count for scope, totals in found.items()} == {
        "new-feature": 1,
        "spec-driven": 0,
        "bug-fix": 1,
    }


def test_totals_are_refused_while_a_task_lacks_its_result():
    run = RunFactory(evaluation__snapshot__task_count=2)
    TaskResultFactory(run=run)

    with pytest.raises(IncompleteRunError, match="1 of 2 tasks"):
        write_run_totals(run)

    assert not run.totals.exists()


def test_a_result_of_a_task_of_another_snapshot_does_not_fill_the_gap():
    run = RunFactory(evaluation__snapshot__task_count=2)
    TaskResultFactory(run=run)
    TaskResultFactory(run=run, task=RunFactory().evaluation.snapshot.tasks.get())

    with pytest.raises(IncompleteRunError, match="1 of 2 tasks"):
        write_run_totals(run)


def test_a_first_build_that_was_not_reported_leaves_its_scopes_unknown():
    run = RunFactory(evaluation__snapshot__task_count=2)
    TaskResultFactory(run=run, first_build_ok=None)
    TaskResultFactory(run=run, first_build_ok=False)

    write_run_totals(run)

    found = totals_of(run)
    assert found["new-feature"].first_build_count is None
    assert found["spec-driven"].first_build_count == 0
    assert found["overall"].first_build_count is None


def test_tokens_and_times_that_are_partly_missing_are_unknown_not_smaller():
    run = RunFactory(evaluation__snapshot__task_count=2)
    TaskResultFactory(run=run, total_tokens=100, agent_milliseconds=0)
    TaskResultFactory(run=run, total_tokens=None, agent_milliseconds=20)

    write_run_totals(run)

    found = totals_of(run)
    assert found["new-feature"].total_tokens == 100
    assert found["overall"].total_tokens is None
    assert found["overall"].agent_milliseconds == 20


def test_the_summary_keeps_the_runs_in_their_order():
    evaluation = scored_evaluation([[0, 1], [], [0]], task_count=2)

    summary = {totals.scope: totals for totals in evaluation.totals.filter(run=None)}

    assert summary["overall"].completed_by_run == [2, 0, 1]
    assert summary["new-feature"].completed_by_run == [1, 0, 1]
    assert summary["spec-driven"].completed_by_run == [1, 0, 0]
    assert summary["overall"].run_count == 3


@pytest.mark.parametrize("field", ["task_count", "completed_count", "total_tokens"])
def test_sources_add_up_to_overall(field):
    evaluation = scored_evaluation(
        [[0, 1, 4], [2], [0, 3]], task_count=5, total_tokens=7
    )

    summary = {
        totals.scope: getattr(totals, field)
        for totals in evaluation.totals.filter(run=None)
    }

    assert summary.pop("overall") == sum(summary.values())


def test_a_summary_is_refused_while_a_run_is_missing():
    evaluation = EvaluationFactory()
    TaskResultFactory(run=RunFactory(evaluation=evaluation))

    with pytest.raises(IncompleteEvaluationError, match="1 of 3 runs"):
        write_summary(evaluation)


def test_writing_totals_twice_leaves_one_row_a_scope():
    evaluation = scored_evaluation([[0], [], []], task_count=1)
    before = evaluation.totals.count()

    write_summary(evaluation)
    write_run_totals(evaluation.runs.first())

    assert evaluation.totals.count() == before == 2 * 4


def test_totals_cost_the_same_number_of_queries_at_any_size(
    django_assert_max_num_queries,
):
    evaluation = scored_evaluation([[0], [1], [2]], task_count=12)

    with django_assert_max_num_queries(8):
        write_summary(evaluation)


def test_the_database_refuses_more_completed_task_runs_than_final_builds():
    with pytest.raises(IntegrityError), transaction.atomic():
        ScopeTotalsFactory(completed_by_run=[5, 5, 5], final_build_count=14)


def test_recount_finds_nothing_wrong_with_fresh_and_published_totals(capsys):
    load_published(FOLDER)
    scored_evaluation([[0], [], [1]], task_count=2)

    call_command("recount")

    assert "9 evaluations agree" in capsys.readouterr().out


def test_recount_names_a_wrong_figure_and_ends_with_exit_code_1(capsys):
    evaluation = scored_evaluation([[0], [], [1]], task_count=2)
    evaluation.totals.filter(run=None, scope="overall").update(total_tokens=5)

    with pytest.raises(CommandError, match="1 figures differ") as caught:
        call_command("recount")

    assert caught.value.returncode == 1
    assert (
        f"evaluation {evaluation.pk}, overall, total_tokens: stored 5, "
        "the rows give None" in capsys.readouterr().out
    )


def test_recount_puts_totals_right_when_asked(capsys):
    evaluation = scored_evaluation([[0], [], [1]], task_count=2)
    TaskResult.objects.filter(run__number=2).update(first_build_ok=False)
    evaluation.totals.filter(scope="new-feature").delete()

    call_command("recount", "--fix")
    call_command("recount")

    overall = evaluation.totals.get(run=None, scope="overall")
    assert overall.first_build_count == 4


def test_recount_reports_results_that_went_missing_even_with_fix(capsys):
    evaluation = scored_evaluation([[0], [], [1]], task_count=2)
    evaluation.runs.last().results.first().delete()

    with pytest.raises(CommandError, match="cannot be put right"):
        call_command("recount", "--fix")

    assert "1 of 2 tasks" in capsys.readouterr().out


def test_recount_checks_published_figures_against_themselves(capsys):
    load_published(FOLDER)
    ScopeTotals.objects.filter(
        evaluation__configuration__model="GLM-5.2", scope="bug-fix"
    ).update(final_build_count=208)

    with pytest.raises(CommandError, match="1 figures differ"):
        call_command("recount")

    assert "sources together, final_build_count: stored 450" in capsys.readouterr().out
