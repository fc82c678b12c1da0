"""Regression checks: they pass before and after, and count as the task says."""

from __future__ import annotations

from fractions import Fraction

import pytest

from evaluator import admission
from evaluator.queue import ModelOutcome
from evaluator.toolchains.base import (
    CheckOutcome,
    ChecksOutcome,
    CheckSuite,
    ExpectedCheck,
)
from evaluator.verdicts import FailReason
from leaderboard.models import SnapshotStatus, TaskProof, TaskResult
from leaderboard.progress import progress_of
from tests.evaluator.jobs import make_jobs, report, take
from tests.evaluator.test_proofs import score
from tests.factories import EvaluationSnapshotFactory, FPointFactory, TaskFactory

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize(
    ("passed", "found"),
    [
        ((False, True), ""),
        ((False, False), "FP-2 is a regression check and fails"),
        ((True, True), "FP-1 passes already"),
    ],
)
def test_the_base_passes_regression_checks_and_fails_all_others(passed, found):
    snapshot = EvaluationSnapshotFactory(task_count=0, status=SnapshotStatus.DRAFT)
    task = TaskFactory(snapshot=snapshot, digest="a" * 64)
    FPointFactory(task=task, dimension="regression")
    base, _ = admission.begin(snapshot)

    score(base, *passed)

    proof = TaskProof.objects.get(result__run__evaluation=base)
    assert (proof.holds, proof.found) == (not found, found)


def scored(*, required: bool) -> TaskResult:
    """A task run that did what was asked, and broke what had worked."""
    job = make_jobs().jobs.get()
    FPointFactory(task=job.task, dimension="regression", required=required, weight=3)
    verdicts = {"FP-1": {"passed": True}, "FP-2": {"passed": False}}
    reason = FailReason.CHECK_FAILED if required else None
    facts = {"final_build_ok": True, "f_points": verdicts}
    report(take(job), ModelOutcome(reason, facts=facts))
    return TaskResult.objects.get()


@pytest.mark.parametrize(
    ("required", "completed", "counts"),
    [(True, False, (1, 2)), (False, True, (1, 1))],
)
def test_what_is_broken_counts_as_the_task_says(required, completed, counts):
    result = scored(required=required)

    assert result.completed is completed
    assert (result.f_points_passed, result.f_point_count) == counts
    # Stored either way, and a dimension of its own in the completion rate.
    assert [check.passed for check in result.checks.all()] == [True, False]
    found = progress_of(result.run.evaluation)
    assert found is not None
    overall = found.scopes[0]
    assert overall.rate.mean == Fraction(1, 4)
    assert [
        (each.dimension, each.score.mean, each.passed_count, each.f_point_count)
        for each in overall.dimensions
    ] == [("functional", 1, 1, 1), ("regression", 0, 0, 1)]


def test_the_pages_show_the_dimension_apart(client):
    result = scored(required=False)
    evaluation = result.run.evaluation
    evaluation.refresh_from_db()
    evaluation.visibility = "public"
    evaluation.save()

    html = " ".join(client.get(result.get_absolute_url()).content.decode().split())
    assert "regression · not needed for completion" in html
    html = client.get(result.task.get_absolute_url()).content.decode()
    assert "Those that are not needed for completion are a diagnostic." in html
    answer = client.get(f"/api/v1/evaluations/{evaluation.pk}/").json()
    assert answer["progress"]["scopes"]["overall"]["dimensions"]["regression"] == {
        "task_runs": 1,
        "f_points_passed": 0,
        "f_points": 1,
        "score": {"mean": 0.0, "min": 0.0, "max": 0.0},
        "unjudged": 0,
    }


@pytest.mark.parametrize(
    ("passed", "satisfied"),
    [({"a", "b"}, True), ({"a"}, True), ({"b"}, False), (set(), False)],
)
def test_a_suite_is_satisfied_by_its_required_checks(tmp_path, passed, satisfied):
    suite = CheckSuite(
        tmp_path,
        "com.example.app",
        (
            ExpectedCheck("a", "case", "test_a"),
            ExpectedCheck("b", "case", "test_b", required=False),
        ),
    )
    outcomes = tuple(CheckOutcome(name, name in passed) for name in ("a", "b"))

    assert suite.satisfied(ChecksOutcome(outcomes)) is satisfied
    assert not suite.satisfied(ChecksOutcome(outcomes, install_ok=False))
