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
from leaderboard.api.lookup import (
    SNAPSHOT,
    answers,
    requested_snapshot,
    viewable_evaluation,
    wrong_choice,
)
from leaderboard.api.results import Pages, Results, WholePages, paging
from leaderboard.api.serializers import (
    EvaluationSerializer,
    HistoryEntrySerializer,
    RunSerializer,
    TaskResultSerializer,
)
from leaderboard.history import public_history
from leaderboard.models import (
    STRUCK_OUT,
    Artifact,
    CheckResult,
    Evaluation,
    Provenance,
    Run,
    TaskResult,
    public_now,
)


def _evaluations() -> QuerySet[Evaluation]:
    return Evaluation.objects.select_related(
        "configuration", "snapshot__benchmark", "rerun_of"
    ).with_totals()


class EvaluationListView(ListAPIView[Evaluation]):
    serializer_class = EvaluationSerializer
    pagination_class = Pages

    @extend_schema(
        operation_id="evaluations_list",
        summary="All public evaluations",
        parameters=[
            SNAPSHOT,
            OpenApiParameter("provenance", enum=Provenance.values),
        ],
        responses=answers(EvaluationSerializer(many=True), 404),
    )
    def get(self, request: Request) -> Response:
        """The newest first, of all snapshots or of one; figures for every scope."""
        page = self.paginate_queryset(self.get_queryset()) or []
        documents = [evaluation_as_dict(each) for each in page]
        return self.get_paginated_response(
            EvaluationSerializer(documents, many=True).data
        )

    def get_queryset(self) -> QuerySet[Evaluation]:
        found = _evaluations().filter(public_now()).order_by("-published_at", "-pk")
        if self.request.query_params.get("snapshot"):
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
        responses=answers(EvaluationSerializer, 404),
    )
    def get(self, request: Request, pk: int) -> Response:
        """A private one answers 404 to everybody but its owner and maintainers."""
        found = viewable_evaluation(request, _evaluations(), pk=pk)
        return Response(EvaluationSerializer(evaluation_as_dict(found)).data)


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
        parameters=paging(WholePages),
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
            for result in pages.paginate_queryset(_results(run), request) or []
        ]
        return pages.get_paginated_response(
            TaskResultSerializer(documents, many=True).data
        )


def _results(run: Run) -> QuerySet[TaskResult]:
    checks = CheckResult.objects.select_related("f_point")
    return run.results.select_related("task", "run", "overruling").prefetch_related(
        Prefetch("checks", queryset=checks)
    )
