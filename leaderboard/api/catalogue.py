"""Endpoints for what is measured: snapshots and tasks, and the table itself."""

from __future__ import annotations

from http import HTTPStatus

from django.db.models import Count, QuerySet
from django.utils.decorators import method_decorator
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from leaderboard.api.lookup import (
    AS_OF,
    SNAPSHOT,
    SOURCE,
    answers,
    requested_day,
    requested_scope,
    requested_snapshot,
    wrong_choice,
)
from leaderboard.api.problems import Problem
from leaderboard.api.results import Pages, Results, WholePages, paging
from leaderboard.api.serializers import (
    LeaderboardSerializer,
    SnapshotDetailSerializer,
    SnapshotSerializer,
    TaskDetailSerializer,
    TaskListSerializer,
    TaskSerializer,
)
from leaderboard.current import listed_snapshots
from leaderboard.exports import snapshot_as_dict, standings_as_dict
from leaderboard.models import (
    Difficulty,
    EvaluationSnapshot,
    SnapshotStatus,
    Task,
    TaskSource,
)
from leaderboard.page_cache import cached
from leaderboard.standings import standings


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
        """The conditions of a snapshot, its denominators and published composition."""
        found = (
            EvaluationSnapshot.objects.listed()
            .filter(benchmark__slug=benchmark, version=version)
            .prefetch_related("scopes")
            .first()
        )
        if found is None:
            raise Problem(
                f"There is no public snapshot {version!r} of {benchmark!r}.",
                status_code=HTTPStatus.NOT_FOUND,
            )
        document = {**snapshot_as_dict(found), "composition": found.composition}
        return Response(SnapshotDetailSerializer(document).data)


class LeaderboardView(APIView):
    @extend_schema(
        operation_id="leaderboard_list",
        summary="The standings of one snapshot and task source",
        parameters=[SNAPSHOT, SOURCE, AS_OF, *paging()],
        responses=answers(LeaderboardSerializer, 400, 404),
    )
    @method_decorator(cached)
    def get(self, request: Request) -> Response:
        """Ranked rows, and apart from them those that cannot be compared."""
        snapshot = requested_snapshot(request)
        scope = requested_scope(request, snapshot)
        as_of = requested_day(request, snapshot)
        table = standings(snapshot, scope, until=as_of.until if as_of else None)
        pages = Pages()
        rows = pages.paginate_queryset(table.rows, request) or []
        document = standings_as_dict(table, as_of, rows=rows)
        if pages.offset:
            document |= {"unranked": [], "withdrawn": []}
        return pages.get_paginated_response(document.pop("results"), **document)


class TaskListView(APIView):
    @extend_schema(
        operation_id="tasks_list",
        summary="The tasks of one snapshot",
        parameters=[
            SNAPSHOT,
            *paging(WholePages),
            OpenApiParameter("source", enum=TaskSource.values),
            OpenApiParameter("difficulty", enum=Difficulty.values),
            OpenApiParameter("kit", description="Slug of a Kit, such as image-kit."),
        ],
        responses=answers(TaskListSerializer, 404),
    )
    def get(self, request: Request) -> Response:
        """Without statements; none where the tasks of a snapshot are not public."""
        snapshot = requested_snapshot(request)
        pages = WholePages()
        tasks = _filtered(request, _tasks(snapshot))
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
        """What an agent is given, and what must work afterwards."""
        tasks = _tasks().filter(snapshot__version=version, slug=slug)
        found = (
            tasks.exclude(snapshot__status=SnapshotStatus.DRAFT)
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


def _filtered(request: Request, tasks: QuerySet[Task]) -> QuerySet[Task]:
    for name, known in (
        ("source", TaskSource.values),
        ("difficulty", Difficulty.values),
    ):
        value = request.query_params.get(name)
        if value:
            if value not in known:
                raise wrong_choice(name, value, list(known))
            tasks = tasks.filter(**{name: value})
    kit = request.query_params.get("kit")
    return tasks.filter(kits__slug=kit) if kit else tasks
