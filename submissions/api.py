"""The API of submissions: upload, check, follow, cancel, publish. Token only."""

from __future__ import annotations

from collections.abc import Callable
from http import HTTPStatus
from typing import Any
from uuid import UUID

from django.contrib.auth.models import User
from django.core.files.uploadedfile import UploadedFile
from drf_spectacular.utils import extend_schema
from rest_framework import generics, permissions
from rest_framework.exceptions import NotAuthenticated
from rest_framework.parsers import MultiPartParser
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from leaderboard.api.lookup import PROBLEM_TYPE, answers
from leaderboard.api.problems import Problem, ProblemItem, ProblemSerializer
from leaderboard.api.results import Pages
from submissions import services, uploads
from submissions.findings import Finding, Report
from submissions.models import Submission, SubmissionQuerySet
from submissions.serializers import (
    CheckedSerializer,
    ReasonSerializer,
    SubmissionSerializer,
    UploadSerializer,
)

_FORM = {"multipart/form-data": UploadSerializer}


def _problems(*status_codes: int) -> dict[Any, Any]:
    return {(code, PROBLEM_TYPE): ProblemSerializer for code in status_codes}


_UPLOADED = {
    (HTTPStatus.CREATED.value, "application/json"): SubmissionSerializer,
    **_problems(400, 401, 413),
}


class UploadView(APIView):
    """What both uploading endpoints share: the size is looked at before the bytes."""

    permission_classes = [permissions.IsAuthenticated]
    parser_classes = [MultiPartParser]

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        super().initial(request, *args, **kwargs)
        if uploads.is_too_large(request._request):
            raise Problem(
                "The upload is larger than a bundle may be.",
                status_code=HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
            )
        uploads.use_work_folder(request._request)

    def uploaded(self, request: Request) -> UploadedFile[bytes]:
        serializer = UploadSerializer(data=request.data)
        serializer.is_valid(raise_exception=True)
        upload: UploadedFile[bytes] = serializer.validated_data["bundle"]
        return upload


class SubmissionListView(generics.ListAPIView[Submission], UploadView):
    serializer_class = SubmissionSerializer
    pagination_class = Pages

    def get_queryset(self) -> SubmissionQuerySet:
        return Submission.objects.visible_to(self.request.user).with_counts()

    @extend_schema(
        operation_id="submissions_list",
        summary="Your submissions",
        responses=answers(SubmissionSerializer(many=True), 401),
    )
    def get(self, request: Request) -> Response:
        """The newest first; maintainers see those of all users."""
        page = self.paginate_queryset(self.get_queryset()) or []
        return self.get_paginated_response(SubmissionSerializer(page, many=True).data)

    @extend_schema(
        operation_id="submissions_create",
        summary="Upload a bundle and have it evaluated",
        request=_FORM,
        responses=_UPLOADED,
    )
    def post(self, request: Request) -> Response:
        """Accepted whole or not at all; every fault comes back at once."""
        with uploads.as_path(self.uploaded(request)) as archive:
            receipt = services.receive(_user(request), archive, origin="api")
        if receipt.submission is None:
            raise _refused(receipt.report)
        data = SubmissionSerializer(receipt.submission).data
        location = {"Location": data["url"]}
        return Response(data, status=HTTPStatus.CREATED, headers=location)


class ValidateView(UploadView):
    @extend_schema(
        operation_id="submissions_validate",
        summary="Check a bundle",
        request=_FORM,
        responses=answers(CheckedSerializer, 400, 401, 413),
    )
    def post(self, request: Request) -> Response:
        """The same check as an upload; nothing is stored."""
        with uploads.as_path(self.uploaded(request)) as archive:
            report = services.check(_user(request), archive)
        if not report.ok:
            raise _refused(report)
        warnings = [each.as_dict() for each in report.warnings]
        return Response({"ok": True, "warnings": warnings})


class SubmissionView(APIView):
    permission_classes = [permissions.IsAuthenticated]

    @extend_schema(
        operation_id="submissions_retrieve",
        summary="One submission and its progress",
        responses=answers(SubmissionSerializer, 401, 404),
    )
    def get(self, request: Request, pk: UUID) -> Response:
        """Counts of task runs are partial while the evaluation goes on."""
        return Response(SubmissionSerializer(_visible(request, pk)).data)


class CancelView(APIView):
    permission_classes = [permissions.IsAuthenticated]

    @extend_schema(
        operation_id="submissions_cancel",
        summary="Cancel a submission",
        request=ReasonSerializer,
        responses=answers(SubmissionSerializer, 400, 401, 404, 409),
    )
    def post(self, request: Request, pk: UUID) -> Response:
        """Stops the evaluation; what is running ends at its next heartbeat."""
        return _act(request, pk, services.cancel, reason_as="reason")


class PublishView(APIView):
    permission_classes = [permissions.IsAdminUser]

    @extend_schema(
        operation_id="submissions_publish",
        summary="Publish a result",
        request=ReasonSerializer,
        responses=answers(SubmissionSerializer, 400, 401, 403, 404, 409),
    )
    def post(self, request: Request, pk: UUID) -> Response:
        """For maintainers; refused while any task run is not scored."""
        return _act(request, pk, services.publish, reason_as="note")


def _user(request: Request) -> User:
    if not isinstance(request.user, User):
        raise NotAuthenticated
    return request.user


def _visible(request: Request, pk: UUID) -> Submission:
    """The same answer for a submission of others as for none."""
    found = Submission.objects.visible_to(request.user).filter(pk=pk).first()
    if found is None:
        raise Problem("You have no such submission.", status_code=HTTPStatus.NOT_FOUND)
    return found


def _act(
    request: Request, pk: UUID, act: Callable[..., None], *, reason_as: str
) -> Response:
    found = _visible(request, pk)
    serializer = ReasonSerializer(data=request.data)
    serializer.is_valid(raise_exception=True)
    try:
        act(found, by=request.user, **{reason_as: serializer.validated_data["reason"]})
    except services.NotPossibleError as error:
        raise Problem(str(error), status_code=HTTPStatus.CONFLICT) from None
    return Response(SubmissionSerializer(found).data)


def _refused(report: Report) -> Problem:
    count = len(report.errors)
    return Problem(
        f"The bundle has {count} {'error' if count == 1 else 'errors'}. "
        "Nothing of it was stored.",
        errors=[_item(each) for each in report.errors],
    )


def _item(finding: Finding) -> ProblemItem:
    return {
        "code": finding.code.value,
        "where": finding.where,
        "saw": finding.saw,
        "fix": finding.fix,
    }
