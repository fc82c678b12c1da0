"""Endpoints for stored files: what is known of one, and the bytes themselves."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from http import HTTPStatus
from typing import Any

from django.http import HttpResponseBase
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework.negotiation import DefaultContentNegotiation
from rest_framework.renderers import BaseRenderer
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from leaderboard.api.lookup import answers, problems
from leaderboard.api.problems import Problem
from leaderboard.api.serializers import ArtifactSerializer
from leaderboard.downloads import FilesGoneError, artifact_file, run_zip
from leaderboard.models import Artifact, Run
from leaderboard.visibility import can_view


def _file_answers(*media_types: str) -> dict[Any, Any]:
    file = {(HTTPStatus.OK.value, each): OpenApiTypes.BINARY for each in media_types}
    return {**file, **problems(404, 410)}


class AnyAccept(DefaultContentNegotiation):
    """A file is what it is, whatever the client says it accepts."""

    def select_renderer(
        self,
        request: Request,
        renderers: Iterable[BaseRenderer],
        format_suffix: str | None = None,
    ) -> tuple[BaseRenderer, str]:
        first = next(iter(renderers))
        return first, first.media_type or ""


class ArtifactView(APIView):
    @extend_schema(
        operation_id="artifacts_retrieve",
        summary="What is known of one stored file",
        responses=answers(ArtifactSerializer, 404),
    )
    def get(self, request: Request, pk: int) -> Response:
        """Kind, size, SHA-256, and where to download the file itself."""
        return Response(ArtifactSerializer(_artifact(request, pk)).data)


class ArtifactFileView(APIView):
    content_negotiation_class = AnyAccept

    @extend_schema(
        operation_id="artifacts_download",
        summary="The stored file itself",
        responses=_file_answers("application/octet-stream", "text/plain"),
    )
    def get(self, request: Request, pk: int) -> HttpResponseBase:
        """An attachment. Its ETag is the SHA-256 of the bytes."""
        found = _artifact(request, pk)
        return _sent(lambda: artifact_file(request._request, found))


class RunArchiveView(APIView):
    content_negotiation_class = AnyAccept

    @extend_schema(
        operation_id="runs_download",
        summary="All files of one run as a zip",
        responses=_file_answers("application/zip"),
    )
    def get(self, request: Request, pk: int) -> HttpResponseBase:
        """The same bytes every time, with SHA256SUMS inside."""
        found = Run.objects.select_related("evaluation").filter(pk=pk).first()
        if found is None or not can_view(request.user, found.evaluation):
            raise Problem(
                "There is no such evaluation, or it is not public.",
                status_code=HTTPStatus.NOT_FOUND,
            )
        run = found
        return _sent(lambda: run_zip(request._request, run))


def _artifact(request: Request, pk: int) -> Artifact:
    """The same answer for one that does not exist and for one that is private."""
    rows = Artifact.objects.select_related("run__evaluation", "task")
    found = rows.filter(pk=pk).first()
    if found is None or not can_view(request.user, found.run.evaluation):
        raise Problem(
            "There is no such artifact, or it is not public.",
            status_code=HTTPStatus.NOT_FOUND,
        )
    return found


def _sent(answer: Callable[[], HttpResponseBase]) -> HttpResponseBase:
    try:
        return answer()
    except FilesGoneError as error:
        raise Problem(str(error), status_code=HTTPStatus.GONE) from None
