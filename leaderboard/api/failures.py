"""Endpoint of failed task runs with their reasons."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from leaderboard.api.failure_serializers import FailureListSerializer
from leaderboard.api.lookup import (
    TASK_SOURCE,
    answers,
    requested_source,
    viewable_evaluation,
    wrong_choice,
)
from leaderboard.api.results import WholePages, paging
from leaderboard.failures.chosen import CHOICES, Narrowed, chosen_results
from leaderboard.failures.files import failure_as_dict
from leaderboard.failures.split import FailureSplit, split_of
from leaderboard.models import Evaluation, TaskResult

_REASONS = [name for name, _ in CHOICES]
REASON = OpenApiParameter(
    "reason",
    enum=_REASONS,
    description="Failed task runs with this failure reason only; none for those "
    "without any, disputed where reviewers disagree.",
)


class FailureListView(APIView):
    @extend_schema(
        operation_id="evaluations_failures_list",
        summary="Failed task runs of one evaluation, with reasons",
        parameters=[
            REASON,
            TASK_SOURCE,
            *paging(WholePages),
        ],
        responses=answers(FailureListSerializer, 404),
    )
    def get(self, request: Request, pk: int) -> Response:
        """Diagnostics with their evidence: no figure of the evaluation follows."""
        evaluations = Evaluation.objects.select_related("snapshot__benchmark")
        evaluation = viewable_evaluation(request, evaluations, pk=pk)
        narrowed = Narrowed(
            reason=requested_reason(request),
            source=requested_source(request, evaluation.snapshot),
        )
        pages = WholePages()
        found = pages.paginate_queryset(chosen_results(evaluation, narrowed), request)
        split = split_of(evaluation)
        document = pages.get_paginated_response(
            [_as_dict(result, evaluation) for result in found or []],
            **_split_as_dict(split),
        ).data
        return Response(FailureListSerializer(document).data)


def requested_reason(request: Request) -> str:
    """The value of ``?reason=``, empty without it."""
    reason = str(request.query_params.get("reason", ""))
    if reason and reason not in _REASONS:
        raise wrong_choice("reason", reason, _REASONS)
    return reason


def _as_dict(result: TaskResult, evaluation: Evaluation) -> dict[str, Any]:
    result.run.evaluation = evaluation
    return {
        "run": result.run.number,
        "task": result.task.slug,
        "source": result.task.source,
        "difficulty": result.task.difficulty,
        "outcome": "overruled" if result.is_overruled else result.reason,
        "f_points_passed": result.f_points_passed,
        "f_point_count": result.f_point_count,
        "failure": failure_as_dict(result),
        "url": result.get_absolute_url(),
    }


def _split_as_dict(split: FailureSplit) -> dict[str, Any]:
    agreement = split.agreement
    return {
        "failed": split.failed,
        "decided": split.decided,
        "split": [
            {
                "reason": reason or None,
                "source": source,
                "origin": origin or None,
                "task_runs": count,
            }
            for (source, reason, origin), count in sorted(split.counts.items())
        ],
        "kits": [
            {"kit": kit.name, "reason": reason or None, "task_runs": count}
            for kit in split.kits
            for reason, count in sorted(kit.counts.items())
        ],
        "agreement": {
            "task_runs": agreement.items,
            "agreed": agreement.agreed,
            "compared": agreement.compared,
            "share": agreement.share,
            "pairs": [
                {"agreed": pair.agreed, "task_runs": pair.items, "kappa": pair.kappa}
                for pair in agreement.pairs
            ],
        },
    }
