"""The dictionaries that the API answers with, built from prefetched rows."""

from __future__ import annotations

from typing import Any

from django.urls import reverse

from leaderboard.failures.files import failure_as_dict
from leaderboard.metrics import Scope
from leaderboard.models import Evaluation, Run, ScopeTotals, TaskResult
from leaderboard.passing.documents import scopes_as_dict
from leaderboard.standings import (
    configuration_as_dict,
    decision_as_dict,
    figures,
    figures_as_dict,
)


def evaluation_as_dict(evaluation: Evaluation) -> dict[str, Any]:
    """Needs ``with_totals()``, configuration, ``rerun_of``, snapshot and benchmark."""
    summary: list[ScopeTotals] = evaluation.summary  # type: ignore[attr-defined]  # set by with_totals()
    return {
        "id": evaluation.pk,
        "benchmark": evaluation.snapshot.benchmark.slug,
        "version": evaluation.snapshot.version,
        "configuration": configuration_as_dict(evaluation.configuration),
        "provenance": evaluation.provenance,
        "visibility": evaluation.shown_visibility,
        "simulated": evaluation.simulated,
        "unverified": evaluation.unverified,
        "comparable": evaluation.comparable,
        "differing_fields": evaluation.differing_fields,
        "declared_comparable": decision_as_dict(evaluation.decision),
        "run_count": evaluation.run_count,
        "runs_in_order": evaluation.runs_in_order,
        "run_order": evaluation.run_order,
        "toolchain_facts": evaluation.toolchain_facts,
        "rerun_of": _public_number(evaluation.rerun_of),
        "submitter_note": evaluation.submitter_note,
        "scored_at": evaluation.scored_at,
        "published_at": evaluation.published_at,
        "scopes": _by_scope(summary),
        # Attached by with_pass_totals().
        "pass_scopes": scopes_as_dict(getattr(evaluation, "pass_summary", [])),
        "url": evaluation.get_absolute_url(),
        "runs_url": reverse("api-run-list", args=[evaluation.pk]),
    }


def run_as_dict(run: Run) -> dict[str, Any]:
    """Needs the run's totals prefetched."""
    return {
        "id": run.pk,
        "number": run.number,
        "run_order": run.evaluation.run_order,
        "finished_at": run.finished_at,
        "scopes": _by_scope(list(run.totals.all())),
        "url": run.get_absolute_url(),
        "archive_url": reverse("api-run-archive", args=[run.pk]),
        "results_url": reverse("api-result-list", args=[run.pk]),
    }


def result_as_dict(result: TaskResult) -> dict[str, Any]:
    """Needs the task, the run, the labels, and the checks with their F-points."""
    milliseconds = result.agent_milliseconds
    return {
        "task": result.task.slug,
        "source": result.task.source,
        "difficulty": result.task.difficulty,
        "completed": result.completed,
        "reason": result.reason or None,
        "detail": result.detail,
        "first_build_ok": result.first_build_ok,
        "final_build_ok": result.final_build_ok,
        "repair_rounds": result.repair_rounds,
        "total_tokens": result.total_tokens,
        "agent_seconds": None if milliseconds is None else milliseconds / 1000,
        "f_points_passed": result.f_points_passed,
        "f_point_count": result.f_point_count,
        "flags": result.flags,
        "overruled": _overruling(result),
        "failure": failure_as_dict(result),
        "scored_at": result.scored_at,
        "checks": [
            {
                "f_point": check.f_point.f_point,
                "passed": check.passed,
                "message": check.message,
                "milliseconds": check.milliseconds,
            }
            for check in result.checks.all()
        ],
        "url": result.get_absolute_url(),
    }


def _overruling(result: TaskResult) -> dict[str, Any] | None:
    if not result.is_overruled:
        return None
    return {"reason": result.overruling.reason, "at": result.overruling.at}


def _public_number(evaluation: Evaluation | None) -> int | None:
    """That something private exists is nobody's business."""
    return evaluation.pk if evaluation is not None and evaluation.is_public else None


def _by_scope(totals: list[ScopeTotals]) -> dict[str, dict[str, Any]]:
    """Figures of each scope in the order in which scopes are always shown."""
    found = {Scope(each.scope): each for each in totals}
    return {
        scope.value: figures_as_dict(figures(found[scope]))
        for scope in Scope
        if scope in found
    }
