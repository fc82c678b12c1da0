"""Trouble of ours in one evaluation: what was repeated, apart from every outcome."""

from __future__ import annotations

from typing import NamedTuple

from django.db.models import Count, Q
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.functional import Promise
from django.views.decorators.http import require_safe

from evaluator.models import Attempt, AttemptOutcome, Job, JobState, Stage
from evaluator.reasons import reason_label
from leaderboard.models import Evaluation
from leaderboard.visibility import evaluation_or_404

_OURS = (AttemptOutcome.INFRASTRUCTURE, AttemptOutcome.LOST, AttemptOutcome.DRAINED)
_MAX_ROWS = 200


class ReasonCount(NamedTuple):
    reason: str | Promise
    stage: str | Promise
    attempts: int


class TroubledJob(NamedTuple):
    """A task run with so many repeated attempts; ``settled`` when it was decided."""

    job: Job
    attempts: int
    settled: bool


@require_safe
def evaluation_trouble(request: HttpRequest, pk: int) -> HttpResponse:
    """Whoever may read the evaluation sees what was repeated; four queries."""
    rows = Evaluation.objects.select_related("configuration", "snapshot__benchmark")
    evaluation = evaluation_or_404(request.user, rows.filter(pk=pk).first())
    reasons = _reasons(evaluation)
    jobs = _jobs(evaluation)
    context = {
        "evaluation": evaluation,
        "attempt_count": Attempt.objects.filter(job__evaluation=evaluation).count(),
        "trouble_count": sum(each.attempts for each in reasons),
        "reasons": reasons,
        "jobs": jobs[:_MAX_ROWS],
        "more_jobs": len(jobs) > _MAX_ROWS,
    }
    return render(request, "evaluator/trouble.html", context)


def _reasons(evaluation: Evaluation) -> list[ReasonCount]:
    """Repeated attempts by stage and reason, the most frequent first."""
    rows = (
        Attempt.objects.filter(job__evaluation=evaluation, outcome__in=_OURS)
        .order_by()
        .values_list("reason", "outcome", "stage")
        .annotate(attempts=Count("pk"))
        .order_by("-attempts", "stage", "reason")
    )
    return [
        ReasonCount(
            reason_label(reason) or AttemptOutcome(outcome).label,
            Stage(stage).label,
            attempts,
        )
        for reason, outcome, stage, attempts in rows
    ]


def _jobs(evaluation: Evaluation) -> list[TroubledJob]:
    """Task runs that were repeated, the most troubled first; one row too many."""
    ours = Q(attempts__outcome__in=_OURS)
    found = (
        Job.objects.filter(evaluation=evaluation)
        .select_related("run", "task")
        .annotate(troubled=Count("attempts", filter=ours))
        .filter(troubled__gt=0)
        .order_by("-troubled", "run__number", "task__position")[: _MAX_ROWS + 1]
    )
    return [
        TroubledJob(job, job.troubled, job.state == JobState.SCORED) for job in found
    ]
