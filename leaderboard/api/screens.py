"""Endpoint of what judges say of single screens."""

from __future__ import annotations

from typing import Any, TypeAlias

from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from leaderboard.api.lookup import answers, viewable_evaluation, wrong_choice
from leaderboard.api.problems import Problem
from leaderboard.api.results import PagedSerializer, Pages, paging
from leaderboard.models import Evaluation, Task, VisualOrigin, VisualScore
from leaderboard.visual import MILLION, JudgeSummary, judges_of

Document: TypeAlias = Any


class JudgeSerializer(serializers.Serializer[Document]):
    """All that one judge in one version says of an evaluation's screens."""

    origin = serializers.ChoiceField(
        choices=VisualOrigin.choices,
        help_text="Only what was measured enters the completion rate.",
    )
    judge = serializers.CharField(help_text="The measure, or the model that was asked.")
    judge_version = serializers.CharField()
    screens = serializers.IntegerField(help_text="Screens of task runs.")
    unjudged = serializers.IntegerField(help_text="Of these, without a score.")
    mean = serializers.FloatField(
        allow_null=True, help_text="Over the screens that have a score; null if none."
    )
    largest_spread = serializers.FloatField(
        allow_null=True,
        help_text="Largest difference between answers of a model on one screen; null "
        "of a measure.",
    )


class ScreenScoreSerializer(serializers.Serializer[Document]):
    """One screen of a task run, as one judge sees it; scores are fractions of 1."""

    run = serializers.IntegerField(help_text="Its number in the evaluation.")
    task = serializers.CharField()
    screen = serializers.CharField()
    origin = serializers.ChoiceField(choices=VisualOrigin.choices)
    judge = serializers.CharField()
    judge_version = serializers.CharField()
    score = serializers.FloatField(
        allow_null=True, help_text="Null where the judge could not say; never zero."
    )
    reason = serializers.CharField(
        allow_blank=True, help_text="Why there is no score, or why it is what it is."
    )
    answers = serializers.IntegerField(
        allow_null=True, help_text="How often a model was asked; null of a measure."
    )
    spread = serializers.FloatField(
        allow_null=True, help_text="Between these answers; null without any."
    )
    reference_sha256 = serializers.CharField(
        allow_blank=True, help_text="Of the reference, which is hidden."
    )
    picture_sha256 = serializers.CharField(
        allow_blank=True,
        help_text="Of the app's picture, among the artifacts of the run; empty where "
        "the checks did not come to the screen.",
    )
    judged_at = serializers.DateTimeField()
    url = serializers.CharField(help_text="Page of the task run.")


class ScreenListSerializer(PagedSerializer):
    """Screens of task runs, and what each judge says of all of them beside."""

    judges = JudgeSerializer(many=True)
    results = ScreenScoreSerializer(many=True)


class ScreenListView(APIView):
    @extend_schema(
        operation_id="evaluations_screens_list",
        summary="What judges say of the screens of one evaluation",
        parameters=[
            OpenApiParameter(
                "origin",
                enum=VisualOrigin.values,
                description="Scores that were measured, or asked of a model, only.",
            ),
            OpenApiParameter("task", description="Slug of a task."),
            *paging(),
        ],
        responses=answers(ScreenListSerializer, 404),
    )
    def get(self, request: Request, pk: int) -> Response:
        """A diagnostic: no screen decides whether a task is completed."""
        evaluation = viewable_evaluation(request, Evaluation.objects.all(), pk=pk)
        found = VisualScore.objects.filter(result__run__evaluation=evaluation)
        if origin := str(request.query_params.get("origin", "")):
            if origin not in VisualOrigin.values:
                raise wrong_choice("origin", origin, list(VisualOrigin.values))
            found = found.filter(origin=origin)
        if task := request.query_params.get("task"):
            _require_task(evaluation, task)
            found = found.filter(result__task__slug=task)
        pages = Pages()
        rows = pages.paginate_queryset(
            found.select_related("result__run", "result__task").order_by(
                "result__run__number",
                "result__task__position",
                "result__task__slug",
                *("screen", "origin", "judge", "judge_version"),
            ),
            request,
        )
        document = pages.get_paginated_response(
            [_score_as_dict(each, evaluation) for each in rows or []],
            judges=[_judge_as_dict(each) for each in judges_of(evaluation)],
        ).data
        return Response(ScreenListSerializer(document).data)


def _require_task(evaluation: Evaluation, slug: str) -> None:
    if not Task.objects.filter(snapshot=evaluation.snapshot_id, slug=slug).exists():
        raise Problem(
            f"?task= cannot be {slug!r}.",
            errors=[
                {
                    "code": "unknown_task",
                    "where": "?task",
                    "saw": slug,
                    "fix": "Give the slug of a task of the evaluation's snapshot, as "
                    "/api/v1/tasks/ lists them.",
                }
            ],
        )


def _score_as_dict(row: VisualScore, evaluation: Evaluation) -> Document:
    result = row.result
    result.run.evaluation = evaluation
    asked = row.detail.get("answers")
    spread = row.detail.get("spread_millionths")
    return {
        "run": result.run.number,
        "task": result.task.slug,
        "screen": row.screen,
        "origin": row.origin,
        "judge": row.judge,
        "judge_version": row.judge_version,
        "score": None if row.millionths is None else row.millionths / MILLION,
        "reason": row.reason,
        "answers": None if asked is None else len(asked),
        "spread": None if spread is None else spread / MILLION,
        "reference_sha256": row.reference_sha256,
        "picture_sha256": row.picture_sha256,
        "judged_at": row.judged_at,
        "url": result.get_absolute_url(),
    }


def _judge_as_dict(found: JudgeSummary) -> Document:
    asked = found.origin == VisualOrigin.MODEL
    return {
        "origin": found.origin,
        "judge": found.judge,
        "judge_version": found.version,
        "screens": found.screens,
        "unjudged": found.unjudged,
        "mean": None if found.mean is None else float(found.mean),
        "largest_spread": float(found.largest_spread) if asked else None,
    }
