"""Endpoints for what was measured: evaluations, runs, results."""

from __future__ import annotations

from django.db.models import Prefetch, QuerySet
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.generics import ListAPIView
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from leaderboard.api.documents import (
    evaluation_as_dict,
    result_as_dict,
    run_as_dict,
)
from leaderboard.api.failures import REASON, requested_reason
from leaderboard.api.lookup import (
    BENCHMARK,
    SNAPSHOT,
    answers,
    requested_snapshot,
    viewable_evaluation,
    wrong_choice,
)
from leaderboard.api.results import Pages, Results, WholePages, paging
from leaderboard.api.serializers import (
    EvaluationDetailSerializer,
    EvaluationSerializer,
    HistoryEntrySerializer,
    RunSerializer,
    TaskResultSerializer,
)
from leaderboard.comparability import attach_decisions
from leaderboard.failures.chosen import reason_is, with_labels
from leaderboard.history import public_history
from leaderboard.models import (
    COUNTS,
    STRUCK_OUT,
    Artifact,
    CheckResult,
    Evaluation,
    Provenance,
    Run,
    TaskResult,
    public_now,
)
from leaderboard.passing.standings import with_pass_totals
from leaderboard.progress import progress_as_dict, progress_of


def _evaluations() -> QuerySet[Evaluation]:
    found = Evaluation.objects.select_related(
        "configuration", "snapshot__benchmark", "rerun_of"
    )
    return with_pass_totals(found.with_totals())


class EvaluationListView(ListAPIView[Evaluation]):
    serializer_class = EvaluationSerializer
    pagination_class = Pages

    @extend_schema(
        operation_id="evaluations_list",
        summary="All public evaluations",
        parameters=[
            SNAPSHOT,
            BENCHMARK,
            OpenApiParameter("provenance", enum=Provenance.values),
        ],
        responses=answers(EvaluationSerializer(many=True), 404),
    )
    def get(self, request: Request) -> Response:
        """The newest first, of all snapshots or of one; figures for every scope."""
        page = self.paginate_queryset(self.get_queryset()) or []
        attach_decisions(page)
        documents = [evaluation_as_dict(each) for each in page]
        return self.get_paginated_response(
            EvaluationSerializer(documents, many=True).data
        )

    def get_queryset(self) -> QuerySet[Evaluation]:
        found = _evaluations().filter(public_now()).order_by("-published_at", "-pk")
        asked = self.request.query_params
        if asked.get("benchmark") and not asked.get("snapshot"):
            found = found.filter(snapshot__benchmark__slug=asked["benchmark"])
        elif asked.get("snapshot"):
            found = found.filter(snapshot=requested_snapshot(self.request))
        provenance = self.request.query_params.get("provenance")
        if provenance:
            if provenance not in Provenance.values:
                raise wrong_choice("provenance", provenance, list(Provenance.values))
            found = found.filter(provenance=provenance)
        return found


class EvaluationDetailView(APIView):
    @extend_schema(
        operation_id="evaluations_retrieve",
        summary="One evaluation with its figures",
        responses=answers(EvaluationDetailSerializer, 404),
    )
    def get(self, request: Request, pk: int) -> Response:
        """A private one answers 404 to everybody but its owner and maintainers."""
        found = viewable_evaluation(request, _evaluations(), pk=pk)
        progress = progress_of(found)
        document = {
            **evaluation_as_dict(found),
            "progress": progress and progress_as_dict(progress),
        }
        return Response(EvaluationDetailSerializer(document).data)


class HistoryView(APIView):
    @extend_schema(
        operation_id="evaluations_history_list",
        summary="What became of one evaluation",
        parameters=paging(),
        responses=answers(Results.of(HistoryEntrySerializer), 404),
    )
    def get(self, request: Request, pk: int) -> Response:
        """The newest first. Public also where an evaluation was struck out."""
        found = Evaluation.objects.filter(pk=pk, visibility__in=STRUCK_OUT).first()
        evaluation = found or viewable_evaluation(
            request, Evaluation.objects.all(), pk=pk
        )
        pages = Pages()
        page = pages.paginate_queryset(public_history(evaluation), request) or []
        entries = [entry._asdict() for entry in page]
        return pages.get_paginated_response(
            HistoryEntrySerializer(entries, many=True).data
        )


class RunListView(APIView):
    @extend_schema(
        operation_id="evaluations_runs_list",
        summary="The runs of one evaluation",
        parameters=paging(),
        responses=answers(Results.of(RunSerializer), 404),
    )
    def get(self, request: Request, pk: int) -> Response:
        """In their order; none where an evaluation is known from a report only."""
        evaluation = viewable_evaluation(request, Evaluation.objects.all(), pk=pk)
        runs = evaluation.runs.prefetch_related("totals").order_by("number")
        pages = Pages()
        documents = [
            run_as_dict(run) for run in pages.paginate_queryset(runs, request) or []
        ]
        return pages.get_paginated_response(RunSerializer(documents, many=True).data)


class ResultListView(APIView):
    @extend_schema(
        operation_id="runs_results_list",
        summary="The outcome of every task in one run",
        parameters=[REASON, *paging(WholePages)],
        responses=answers(Results.of(TaskResultSerializer), 404),
    )
    def get(self, request: Request, pk: int) -> Response:
        """Decided task runs only: while a run goes on, the rest is missing."""
        evaluation = viewable_evaluation(request, Evaluation.objects.all(), runs__pk=pk)
        run = Run.objects.get(pk=pk)
        run.evaluation = evaluation
        artifacts: dict[int, list[Artifact]] = {}
        for artifact in run.artifacts.select_related("task"):
            artifacts.setdefault(artifact.task_id, []).append(artifact)
        pages = WholePages()
        documents = [
            {**result_as_dict(result), "artifacts": artifacts.get(result.task_id, [])}
            for result in pages.paginate_queryset(_results(request, run), request) or []
        ]
        return pages.get_paginated_response(
            TaskResultSerializer(documents, many=True).data
        )


def _results(request: Request, run: Run) -> QuerySet[TaskResult]:
    checks = CheckResult.objects.select_related("f_point")
    found = with_labels(run.results.all()).prefetch_related(
        Prefetch("checks", queryset=checks)
    )
    reason = requested_reason(request)
    return found.exclude(COUNTS).filter(reason_is(reason)) if reason else found
