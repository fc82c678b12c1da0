from __future__ import annotations

import json
import shutil
from decimal import Decimal
from fractions import Fraction

import pytest
from django.conf import settings
from django.core.management import CommandError, call_command

from leaderboard.metrics import Scope, rounded
from leaderboard.models import (
    Configuration,
    Evaluation,
    EvaluationSnapshot,
    Run,
    ScopeTotals,
    TaskResult,
)
from leaderboard.published import PublishedFiguresError, load_published
from leaderboard.standings import standings

pytestmark = pytest.mark.django_db

FOLDER = settings.BASE_DIR / "fixtures" / "published"
SOURCES = [Scope.NEW_FEATURE, Scope.SPEC_DRIVEN, Scope.BUG_FIX]


@pytest.fixture
def v1() -> EvaluationSnapshot:
    return load_published(FOLDER).snapshot


def table(snapshot, scope=Scope.OVERALL):
    return {
        row.evaluation.configuration.model: row
        for row in standings(snapshot, scope).rows
    }


def computed(found) -> dict[str, Fraction]:
    """The seven figures of a row in the units of the report."""
    return {
        "task_completion_mean": found.task_completion.mean * 100,
        "task_completion_min": found.task_completion.low * 100,
        "task_completion_max": found.task_completion.high * 100,
        "first_build": found.first_build * 100,
        "final_build": found.final_build * 100,
        "tokens_per_task_millions": found.tokens_per_task / 1_000_000,
        "seconds_per_task": found.seconds_per_task,
    }


def test_every_figure_of_tables_4_to_7_agrees_with_the_printed_one(v1):
    compared = 0
    for scope in Scope:
        for row in standings(v1, scope).rows:
            found = computed(row.in_scope)
            assert found.keys() == row.in_scope.printed.keys()
            for name, printed in row.in_scope.printed.items():
                tolerance = "0.1" if name == "seconds_per_task" else "0.01"
                difference = abs(found[name] - Fraction(printed))
                assert difference <= Fraction(tolerance), (row, name, printed)
                # And as the page shows it: rounded once, to the printed decimals.
                decimals = len(printed.partition(".")[2])
                shown = rounded(found[name], decimals)
                assert abs(shown - Decimal(printed)) <= Decimal(tolerance)
                compared += 1

    assert compared == 32 * 7


def test_the_leading_group_is_the_one_that_the_report_names(v1):
    leading = {model for model, row in table(v1).items() if row.leading_group}

    assert leading == {"GLM-5.2", "Kimi-K3", "Qwen3.8-Max-Preview"}


def test_an_exact_tie_shares_rank_6_and_rank_8_follows(v1):
    labels = {model: row.rank_label for model, row in table(v1).items()}

    assert labels == {
        "GLM-5.2": "1",
        "Kimi-K3": "2",
        "Qwen3.8-Max-Preview": "3",
        "Qwen3.7-Max": "4",
        "GLM-5.1": "5",
        "DeepSeek-V4-Pro": "6=",
        "Kimi-K2.7-Code": "6=",
        "MiniMax-M3": "8",
    }


def test_run_ranges_leave_open_the_known_rank_spans(v1):
    spans = {model: row.rank_span for model, row in table(v1).items()}

    assert spans == {
        "GLM-5.2": (1, 3),
        "Kimi-K3": (1, 6),
        "Qwen3.8-Max-Preview": (1, 5),
        "Qwen3.7-Max": (2, 7),
        "GLM-5.1": (2, 7),
        "DeepSeek-V4-Pro": (3, 7),
        "Kimi-K2.7-Code": (4, 7),
        "MiniMax-M3": (8, 8),
    }


def test_rank_1_stays_open_for_7_of_8_rows_on_new_feature(v1):
    spans = [row.rank_span for row in table(v1, Scope.NEW_FEATURE).values()]

    assert sum(best == 1 for best, _ in spans) == 7


@pytest.mark.parametrize(
    "count", ["task_count", "completed_count", "first_build_count", "final_build_count"]
)
def test_source_counts_add_up_to_the_overall_count(v1, count):
    for row in table(v1).values():
        parts = [getattr(row.figures[source], count) for source in SOURCES]
        assert sum(parts) == getattr(row.figures[Scope.OVERALL], count)


def test_source_tokens_and_times_add_up_within_the_printed_digits(v1):
    for evaluation in Evaluation.objects.with_totals():
        totals = {each.scope: each for each in evaluation.summary}
        overall = totals.pop("overall")
        task_runs = overall.task_count * overall.run_count
        tokens = sum(each.total_tokens for each in totals.values())
        milliseconds = sum(each.agent_milliseconds for each in totals.values())

        # Each printed mean is off by half a unit of its last digit at most.
        assert abs(tokens - overall.total_tokens) <= 2 * 5_000 * task_runs
        assert abs(milliseconds - overall.agent_milliseconds) <= 2 * 50 * task_runs


def test_totals_are_whole_numbers_from_the_printed_means(v1):
    totals = ScopeTotals.objects.get(
        evaluation__configuration__model="GLM-5.2", scope="overall"
    )

    assert totals.completed_by_run == [86, 89, 93]
    assert totals.total_tokens == 2_570_000 * 459
    assert totals.agent_milliseconds == 1_936_400 * 459
    assert totals.printed["first_build"] == "67.10"


def test_nothing_that_was_not_published_is_made_up(v1):
    assert not Run.objects.exists()
    assert not TaskResult.objects.exists()
    assert not v1.tasks.exists()
    assert v1.package_path == ""
    for evaluation in Evaluation.objects.with_totals():
        assert evaluation.provenance == "published"
        assert not evaluation.runs_in_order
        for totals in evaluation.summary:
            assert totals.completed_by_run == sorted(totals.completed_by_run)


def test_the_snapshot_has_the_published_denominators_and_composition(v1):
    scopes = v1.scopes.values_list("scope", "task_count", "f_point_count")

    assert set(scopes) == {
        ("overall", 153, 242),
        ("new-feature", 32, 32),
        ("spec-driven", 50, 139),
        ("bug-fix", 71, 71),
    }
    assert v1.status == "frozen"
    assert not v1.device_profile_simulated
    assert v1.composition["kit_coverage"]["covered"] == 29
    assert (v1.floor_completed, v1.ceiling_completed) == (0, 153)


def test_loading_twice_changes_nothing(v1):
    before = list(ScopeTotals.objects.order_by("pk").values())

    again = load_published(FOLDER)

    assert (again.snapshot, again.created_count) == (v1, 0)
    assert Configuration.objects.count() == Evaluation.objects.count() == 8
    assert list(ScopeTotals.objects.order_by("pk").values()) == before


def test_loading_twice_is_not_disturbed_by_a_submission_of_the_same_model(v1):
    twin = v1.evaluations.first().configuration
    twin.pk = None
    twin.save()

    assert load_published(FOLDER).created_count == 0
    assert Evaluation.objects.count() == 8


def test_an_evaluation_withdrawn_since_stays_withdrawn(v1):
    evaluation = Evaluation.objects.first()
    evaluation.visibility = "withdrawn"
    evaluation.withdrawn_reason = "Contamination was found."
    evaluation.save()

    load_published(FOLDER)

    evaluation.refresh_from_db()
    assert evaluation.visibility == "withdrawn"


def test_a_folder_without_the_files_is_named(tmp_path):
    with pytest.raises(CommandError, match=r"results-v1\.0\.json cannot be read"):
        call_command("load_published", str(tmp_path))


def test_a_wrong_field_is_named_with_its_place_and_nothing_is_loaded(tmp_path):
    shutil.copytree(FOLDER, tmp_path, dirs_exist_ok=True)
    path = tmp_path / "results-v1.0.json"
    results = json.loads(path.read_text())
    results["configurations"][1]["scopes"]["overall"]["first_build_count"] = "402"
    path.write_text(json.dumps(results))

    place = r"configurations\.1\.scopes\.overall\.first_build_count"
    with pytest.raises(PublishedFiguresError, match=place):
        load_published(tmp_path)

    assert not EvaluationSnapshot.objects.exists()
