"""Endpoints for what is measured: snapshots and tasks, and the table itself."""

from __future__ import annotations

from http import HTTPStatus

from django.db.models import Count, QuerySet
from django.utils.decorators import method_decorator
from drf_spectacular.utils import (
    OpenApiParameter,
    PolymorphicProxySerializer,
    extend_schema,
)
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from leaderboard import data_version
from leaderboard.api.lookup import (
    AS_OF,
    BENCHMARK,
    SNAPSHOT,
    SOURCE,
    TASK_SOURCE,
    answers,
    requested_day,
    requested_scope,
    requested_snapshot,
    requested_source,
    wrong_choice,
)
from leaderboard.api.pass_leaderboard import (
    PassLeaderboardSerializer,
    pass_leaderboard,
)
from leaderboard.api.problems import Problem
from leaderboard.api.ready import Ready, ReadyRenderer
from leaderboard.api.results import Pages, Results, WholePages, paging
from leaderboard.api.serializers import (
    LeaderboardSerializer,
    SnapshotDetailSerializer,
    SnapshotSerializer,
    TaskDetailSerializer,
    TaskListSerializer,
    TaskSerializer,
)
from leaderboard.current import listed_snapshots, snapshots_with_tables
from leaderboard.exports import snapshot_as_dict, table_as_dict
from leaderboard.models import (
    UNLISTED,
    Difficulty,
    EvaluationSnapshot,
    Task,
)
from leaderboard.page_cache import cached
from leaderboard.passing.standings import is_by_pass_rate
from leaderboard.ranking.asked import Asked
from leaderboard.ranking.rankings import ranking

_ANY_LEADERBOARD = PolymorphicProxySerializer(
    component_name="AnyLeaderboard",
    serializers=[LeaderboardSerializer, PassLeaderboardSerializer],
    resource_type_field_name=None,
)


class SnapshotListView(APIView):
    @extend_schema(
        operation_id="snapshots_list",
        summary="All public snapshots",
        parameters=paging(),
        responses=answers(Results.of(SnapshotSerializer)),
    )
    def get(self, request: Request) -> Response:
        """Snapshots on real devices first, then the newest; drafts are not listed."""
        pages = Pages()
        rows = pages.paginate_queryset(listed_snapshots(), request) or []
        documents = [snapshot_as_dict(each) for each in rows]
        return pages.get_paginated_response(
            SnapshotSerializer(documents, many=True).data
        )


class SnapshotDetailView(APIView):
    @extend_schema(
        operation_id="snapshots_retrieve",
        summary="One snapshot with its composition",
        responses=answers(SnapshotDetailSerializer, 404),
    )
    def get(self, request: Request, benchmark: str, version: str) -> Response:
        """The conditions of a snapshot, its denominators and its composition."""
        found = (
            EvaluationSnapshot.objects.listed()
            .filter(benchmark__slug=benchmark, version=version)
            .with_scopes()
            .first()
        )
        if found is None:
            raise Problem(
                f"There is no public snapshot {version!r} of {benchmark!r}.",
                status_code=HTTPStatus.NOT_FOUND,
            )
        document = {
            **snapshot_as_dict(found),
            "composition": found.composition,
            "statistics": found.statistics or None,
        }
        return Response(SnapshotDetailSerializer(document).data)


class LeaderboardView(APIView):
    renderer_classes = [ReadyRenderer]

    @extend_schema(
        operation_id="leaderboard_list",
        summary="The standings of one snapshot and task source",
        parameters=[SNAPSHOT, BENCHMARK, SOURCE, AS_OF, *paging()],
        responses=answers(_ANY_LEADERBOARD, 400, 404),
    )
    @method_decorator(cached)
    def get(self, request: Request) -> Response:
        """Ranked rows, and apart from them those that cannot be compared.

        ``snapshot.policy`` says which of the two kinds of rows they are.
        """
        source = request.query_params.get("source", "")
        version = data_version.read_for(request._request)
        snapshots = snapshots_with_tables(source, version=version)
        snapshot = requested_snapshot(request, among=snapshots)
        if is_by_pass_rate(snapshot):
            return pass_leaderboard(request, snapshot)
        scope = requested_scope(request, snapshot)
        as_of = requested_day(request, snapshot)
        table = ranking(snapshot, scope, until=as_of.until if as_of else None)
        pages = Pages()
        offset, limit = pages.window(request)
        found = table.documents(Asked(offset=offset, limit=limit))
        pages.count = found.match_count
        return pages.get_paginated_response(
            Ready(found.results),
            **table_as_dict(table, as_of),
            unranked=Ready(found.unranked),
            withdrawn=Ready(found.withdrawn),
        )


class TaskListView(APIView):
    @extend_schema(
        operation_id="tasks_list",
        summary="The tasks of one snapshot",
        parameters=[
            SNAPSHOT,
            BENCHMARK,
            *paging(WholePages),
            TASK_SOURCE,
            OpenApiParameter("difficulty", enum=Difficulty.values),
            OpenApiParameter("kit", description="Slug of a Kit, such as image-kit."),
        ],
        responses=answers(TaskListSerializer, 404),
    )
    def get(self, request: Request) -> Response:
        """Without statements; none where the tasks of a snapshot are not public."""
        snapshot = requested_snapshot(request)
        pages = WholePages()
        tasks = _filtered(request, snapshot)
        page = pages.paginate_queryset(tasks, request) or []
        return pages.get_paginated_response(
            TaskSerializer(page, many=True).data,
            snapshot=SnapshotSerializer(snapshot_as_dict(snapshot)).data,
        )


class TaskDetailView(APIView):
    @extend_schema(
        operation_id="tasks_retrieve",
        summary="One task with its statement and F-points",
        responses=answers(TaskDetailSerializer, 404),
    )
    def get(self, request: Request, version: str, slug: str) -> Response:
        """What an agent is given, what must work, and hidden files once released."""
        tasks = _tasks().filter(snapshot__version=version, slug=slug)
        found = (
            tasks.exclude(snapshot__status__in=UNLISTED)
            .prefetch_related("f_points")
            .first()
        )
        if found is None:
            raise Problem(
                f"There is no public task {slug!r} in snapshot {version!r}.",
                status_code=HTTPStatus.NOT_FOUND,
            )
        return Response(TaskDetailSerializer(found).data)


def _tasks(snapshot: EvaluationSnapshot | None = None) -> QuerySet[Task]:
    tasks = Task.objects.all() if snapshot is None else snapshot.tasks.all()
    return (
        tasks.annotate(f_point_count=Count("f_points", distinct=True))
        .select_related("snapshot")
        .prefetch_related("kits")
        .order_by("position", "slug")
    )


def _filtered(request: Request, snapshot: EvaluationSnapshot) -> QuerySet[Task]:
    tasks = _tasks(snapshot)
    if source := requested_source(request, snapshot):
        tasks = tasks.filter(source=source)
    if difficulty := request.query_params.get("difficulty"):
        if difficulty not in Difficulty.values:
            raise wrong_choice("difficulty", difficulty, list(Difficulty.values))
        tasks = tasks.filter(difficulty=difficulty)
    kit = request.query_params.get("kit")
    return tasks.filter(kits__slug=kit) if kit else tasks
