"""Failure reasons on pages, in files and in the API: counts with their denominators."""

from __future__ import annotations

import csv
from io import StringIO

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from leaderboard.failures.labels import add_review, label_run
from leaderboard.failures.rules import RULES_BY_CODE, Evidence, Finding
from leaderboard.models import Evaluation, TaskResult
from tests.factories import TaskFactory, UserFactory, scored_evaluation

pytestmark = pytest.mark.django_db


def html_of(client, path: str) -> str:
    response = client.get(path)
    assert response.status_code == 200
    return " ".join(response.content.decode().split())


def label(result: TaskResult, code: str, evidence: Evidence | None = None) -> None:
    found = Finding(RULES_BY_CODE[code], evidence or Evidence(quote="seen"))
    label_run(result.run, {result.pk: [found]})


@pytest.fixture
def evaluation() -> Evaluation:
    """Five failed task runs: 2 build errors, 1 near miss, 1 in dispute, 1 without."""
    made = scored_evaluation([[0], [], []], task_count=2)
    first, second, *rest = TaskResult.objects.filter(completed=False).order_by("pk")
    log = Evidence("build_final.log", 12, "no such name", {"errors": 3})
    label(first, "build_failed", log)
    label(second, "build_failed", log)
    label(
        rest[0],
        "near_miss",
        Evidence(figures={"passed": 3, "checked": 4, "point": "FP-4"}),
    )
    for reason in ("wrong_logic", "regression"):
        add_review(rest[1], reason, by=UserFactory(), note="because", evidence={})
    made.snapshot.tasks.first().kits.create(name="ArkUI", slug="arkui")
    return made


def test_the_split_has_every_count_beside_its_denominator(client, evaluation):
    html = html_of(client, evaluation.get_absolute_url())

    path = reverse("evaluation-failures", args=[evaluation.pk])
    assert "5 of 6 task runs failed; every count below is of these 5." in html
    assert (
        f'<a href="{path}?reason=build_error">2</a></td><td class="number">40.00'
        in (html)
    )
    assert f'<a href="{path}?reason=disputed">1</a>' in html
    assert f'<a href="{path}?reason=none">1</a>' in html
    assert "Reviewers agree: 0.00 % (0 of 1 pairs of labels)" in html
    # The only task of this Kit failed twice.
    assert f'<a href="{path}?kit=arkui">2</a>' in html


@pytest.mark.parametrize(
    ("query", "shown"),
    [
        ("", 5),
        ("reason=build_error", 2),
        ("reason=missed_requirement", 1),
        ("reason=none", 1),
        ("reason=disputed", 1),
        ("reason=cheating", 0),
        ("run=1", 1),
        ("kit=arkui", 2),
        ("source=spec-driven", 3),
        ("reason=nonsense", 5),
    ],
)
def test_failed_task_runs_are_filtered(client, evaluation, query, shown):
    path = reverse("evaluation-failures", args=[evaluation.pk])

    html = html_of(client, f"{path}?{query}")

    assert f"{shown} of 5 failed task runs." in html
    assert ("is not known here and was ignored" in html) == ("nonsense" in query)


def test_evidence_leads_to_the_line_of_the_file(client, evaluation):
    html = html_of(client, reverse("evaluation-failures", args=[evaluation.pk]))

    assert "?file=build_final.log&amp;line=12" in html
    assert "3 of 4 F-points passed; missing is FP-4." in html


def test_a_run_is_filtered_by_reason(client, evaluation):
    run = TaskResult.objects.get(shown_reason__reason="missed_requirement").run

    found = html_of(client, f"{run.get_absolute_url()}?reason=missed_requirement")
    none = html_of(client, f"{run.get_absolute_url()}?reason=cheating")

    assert "Missed requirement</span>" in found
    assert "No task run matches" in none


def test_the_matrix_of_a_task_is_filtered_by_reason(client, evaluation):
    result = TaskResult.objects.get(shown_reason__reason="missed_requirement")
    path = result.task.get_absolute_url()
    model = evaluation.configuration.model

    everything = html_of(client, path)

    assert ">Missed requirement</a> 1" in everything
    assert model in html_of(client, f"{path}?reason=missed_requirement")
    assert model not in html_of(client, f"{path}?reason=cheating")


def test_a_task_run_keeps_the_history_of_its_labels(client, evaluation):
    result = TaskResult.objects.get(shown_reason__reason="missed_requirement")
    label_run(result.run, {result.pk: [Finding(RULES_BY_CODE["near_miss"], None)]})

    html = html_of(client, result.get_absolute_url())

    assert "<s>Missed requirement</s>" in html
    assert "Taken back" in html
    assert "No reason yet" in html


def test_the_methodology_explains_every_reason(client):
    english = html_of(client, reverse("methodology"))
    chinese = html_of(client, "/zh-hans/methodology/")

    for name in ("build_error", "cheating", "tests_need_changes"):
        assert f'<span class="under mono">{name}</span>' in english
    assert "误解任务" in chinese


def test_files_hold_every_failed_task_run(client, evaluation):
    response = client.get(reverse("evaluation-failures-file", args=[evaluation.pk]))

    rows = list(csv.DictReader(StringIO(response.content.decode())))
    reasons = sorted((row["failure_reason"], row["disputed"]) for row in rows)
    assert reasons == [
        ("", ""),
        ("", "true"),
        ("build_error", "false"),
        ("build_error", "false"),
        ("missed_requirement", "false"),
    ]
    row = next(row for row in rows if row["failure_reason"] == "build_error")
    assert (row["failure_group"], row["evidence_line"]) == ("model_error", "12")


def test_the_api_gives_reasons_with_the_split_and_names_no_reviewer(client, evaluation):
    path = reverse("api-failure-list", args=[evaluation.pk])

    document = client.get(path).json()

    assert (document["failed"], document["decided"], document["count"]) == (5, 6, 5)
    assert sum(each["task_runs"] for each in document["split"]) == 5
    assert document["agreement"]["pairs"] == [
        {"agreed": 0, "task_runs": 1, "kappa": 0.0}
    ]
    disputed = client.get(f"{path}?reason=disputed").json()["results"]
    (failure,) = (each["failure"] for each in disputed)
    assert (failure["reason"], failure["disputed"]) == (None, True)
    assert [each["reviewer"] for each in failure["labels"]] == [1, 2]
    assert client.get(f"{path}?reason=x").json()["errors"][0]["saw"] == "x"
    run = evaluation.runs.first()
    results = reverse("api-result-list", args=[run.pk])
    (only,) = client.get(f"{results}?reason=build_error").json()["results"]
    assert only["failure"]["labels"][0]["rule"] == "build_failed"


def across_path(evaluation: Evaluation) -> str:
    place = [evaluation.snapshot.benchmark.slug, evaluation.snapshot.version]
    return reverse("snapshot-failures", args=place)


@pytest.mark.parametrize(
    ("query", "failed"),
    [("", "5/6"), ("source=new-feature", "2/3"), ("kit=arkui", "2/3")],
)
def test_configurations_stand_side_by_side(client, evaluation, query, failed):
    missed = TaskResult.objects.get(shown_reason__reason="missed_requirement")
    of_first_task = missed.task == evaluation.snapshot.tasks.first()

    html = html_of(client, f"{across_path(evaluation)}?{query}")

    assert f'<td class="number">{failed}</td>' in html
    shown = html.count('reason=missed_requirement">1</a>')
    assert shown == (int(of_first_task) if query else 1)


@pytest.mark.parametrize("name", ["evaluation", "evaluation-failures", "across"])
def test_the_number_of_queries_does_not_grow(client, evaluation, name):
    if name == "across":
        path = across_path(evaluation)
    else:
        path = reverse(name, args=[evaluation.pk])

    def queries() -> int:
        with CaptureQueriesContext(
            connection,
        ) as found:
            client.get(path)
        return len(found)

    before = queries()
    for _ in range(4):
        task = TaskFactory(snapshot=evaluation.snapshot)
        for run in evaluation.runs.all():
            result = TaskResult.objects.create(
                run=run,
                task=task,
                completed=False,
                reason="check_failed",
                final_build_ok=True,
                f_points_passed=0,
                f_point_count=1,
            )
            label(result, "nothing_works")

    assert queries() == before
