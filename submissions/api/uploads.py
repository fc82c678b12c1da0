"""Uploading through the API: check a bundle, or submit it."""

from __future__ import annotations

from http import HTTPStatus
from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import generics
from rest_framework.parsers import MultiPartParser
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.throttling import BaseThrottle

from leaderboard.api.lookup import answers, problems
from leaderboard.api.problems import Problem
from leaderboard.api.results import Pages
from submissions import services, uploads
from submissions.api.idempotency import IDEMPOTENCY_KEY, earlier, key_of
from submissions.api.json_body import StrictJSONParser
from submissions.api.own import OwnView, user_of
from submissions.api.refusals import refused
from submissions.models import Submission, SubmissionQuerySet, Team, UploadSession
from submissions.resumable.problems import told
from submissions.serializers import (
    CheckedSerializer,
    SubmissionSerializer,
    SubmitSerializer,
    SubmitUploadedSerializer,
    UploadedSerializer,
    UploadSerializer,
)

_FORM = {
    "multipart/form-data": UploadSerializer,
    "application/json": UploadedSerializer,
}
_SUBMIT_FORM = {
    "multipart/form-data": SubmitSerializer,
    "application/json": SubmitUploadedSerializer,
}
_UPLOADED = {
    (HTTPStatus.CREATED.value, "application/json"): SubmissionSerializer,
    **problems(404, 409, 413, 415, 422),
}


class UploadView(OwnView):
    """What both uploading endpoints share: the size is looked at before the bytes."""

    parser_classes = [MultiPartParser, StrictJSONParser]
    limited_as = "upload"

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        super().initial(request, *args, **kwargs)
        if uploads.is_too_large(request._request, as_file=_has_file(request)):
            raise Problem(
                "The upload is larger than a bundle may be.",
                status_code=HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
            )
        uploads.use_work_folder(request._request)

    def get_throttles(self) -> list[BaseThrottle]:
        # Only what costs a check is counted: the list may be read as often as any.
        if self.request.method == "POST":
            self.throttle_scope = self.limited_as
        return super().get_throttles()


class SubmissionListView(generics.ListAPIView[Submission], UploadView):
    serializer_class = SubmissionSerializer
    pagination_class = Pages

    def get_queryset(self) -> SubmissionQuerySet:
        return Submission.objects.visible_to(self.request.user).with_counts()

    @extend_schema(
        operation_id="submissions_list",
        summary="Your submissions",
        responses=answers(SubmissionSerializer(many=True)),
    )
    def get(self, request: Request) -> Response:
        """The newest first; maintainers see those of all users."""
        page = self.paginate_queryset(self.get_queryset()) or []
        return self.get_paginated_response(SubmissionSerializer(page, many=True).data)

    @extend_schema(
        operation_id="submissions_create",
        summary="Upload a bundle and have it evaluated",
        parameters=[IDEMPOTENCY_KEY],
        request=_SUBMIT_FORM,
        responses=_UPLOADED,
    )
    def post(self, request: Request) -> Response:
        """Accepted whole or not at all; every fault comes back at once.

        Warnings are answered with 422 until `accept_warnings` says that they were read;
        the upload is kept meanwhile and need not be sent again.
        """
        user = user_of(request)
        key = key_of(request)
        form = SubmitSerializer(data=request.data, context={"user": user})
        form.is_valid(raise_exception=True)
        given = form.given
        team: Team | None = form.validated_data["team"]
        if isinstance(given, UploadSession) and given.sha256:
            # Its bytes may be gone since the same request came before.
            found = earlier(user, key, sha256=given.sha256, team=team)
            if found is not None:
                return _created(found)
        with told(), uploads.as_path(given) as archive:
            sha256 = uploads.digest(given, archive)
            found = earlier(user, key, sha256=sha256, team=team)
            if found is not None:
                return _created(found)
            receipt = services.receive(
                user,
                archive,
                origin="api",
                team=team,
                idempotency_key=key,
                copy_of=form.validated_data["copy_of"],
                tick=form.validated_data["accept_warnings"],
            )
            kept = uploads.keep(user, given, archive) if receipt.awaits_tick else None
            # The same request may have been answered while this one was checked.
            found = receipt.submission or earlier(user, key, sha256=sha256, team=team)
        if not receipt.sound_so_far:
            uploads.let_go(given)
        if found is None:
            raise refused(receipt, user, kept=kept)
        return _created(found)


class ValidateView(UploadView):
    limited_as = "validation"

    @extend_schema(
        operation_id="submissions_validate",
        summary="Check a bundle",
        request=_FORM,
        responses=answers(CheckedSerializer, 404, 409, 413, 415),
    )
    def post(self, request: Request) -> Response:
        """The same check as an upload; nothing is stored."""
        user = user_of(request)
        form = UploadSerializer(data=request.data, context={"user": user})
        form.is_valid(raise_exception=True)
        with told(), uploads.as_path(form.given) as archive:
            report = services.check(user, archive)
        if not report.ok:
            uploads.let_go(form.given)
            raise refused(services.Receipt(None, report), user)
        warnings = [each.as_dict() for each in report.warnings]
        return Response({"ok": True, "warnings": warnings})


def _has_file(request: Request) -> bool:
    return request.content_type.startswith("multipart/")


def _created(submission: Submission) -> Response:
    data = SubmissionSerializer(submission).data
    location = {"Location": data["url"]}
    return Response(data, status=HTTPStatus.CREATED, headers=location)
