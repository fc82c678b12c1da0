"""The endpoints of uploads in parts: tus 1.0, and JSON for those who ask with GET."""

from __future__ import annotations

from http import HTTPStatus
from typing import Any
from uuid import UUID

from django.conf import settings
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.urls import reverse
from django.utils.http import http_date
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, OpenApiResponse, extend_schema
from rest_framework import serializers
from rest_framework.authentication import SessionAuthentication
from rest_framework.exceptions import UnsupportedMediaType
from rest_framework.request import Request
from rest_framework.response import Response

from leaderboard.api.lookup import answers, problems
from leaderboard.api.results import Pages, Results, paging
from submissions.accounts.api_access import Authentication
from submissions.api.own import OwnView, user_of
from submissions.models import Scope, UploadSession
from submissions.resumable import protocol, sessions
from submissions.resumable.body import Body
from submissions.resumable.problems import (
    gone,
    length_required,
    moved,
    told,
    unsupported_version,
    wrong_part,
)
from submissions.resumable.sessions import TooLongError

OVERRIDABLE = {"PATCH", "DELETE"}
SPEAKING_TUS = {"HEAD", "POST", "PATCH", "DELETE"}


def _header(name: str, description: str, *, required: bool = False) -> OpenApiParameter:
    return OpenApiParameter(
        name,
        location=OpenApiParameter.HEADER,
        required=required,
        description=description,
    )


_TUS = _header("Tus-Resumable", f"{protocol.VERSION}, nothing else.", required=True)
_LENGTH = _header("Upload-Length", "Size of the whole file in bytes.", required=True)
_METADATA = _header(
    "Upload-Metadata",
    "filename and sha256 of the file as pairs of key and Base64, with commas between. "
    "With sha256 the whole file is compared at the end.",
)
_OFFSET = _header("Upload-Offset", "Where this part goes on.", required=True)
_CHECKSUM = _header(
    "Upload-Checksum", "sha256 or sha1, a space, and the Base64 of this part's digest."
)


class UploadSessionSerializer(serializers.ModelSerializer[UploadSession]):
    id = serializers.UUIDField(source="uuid", read_only=True)
    url = serializers.SerializerMethodField(help_text="Where the parts go.")
    offset = serializers.SerializerMethodField(
        help_text="Bytes that are here; null after the upload was used."
    )
    complete = serializers.BooleanField(
        source="sha256", read_only=True, help_text="Whether it can be submitted."
    )
    expires_at = serializers.DateTimeField(read_only=True)

    class Meta:
        model = UploadSession
        fields = [
            "id",
            "url",
            "file_name",
            "length_bytes",
            "offset",
            "complete",
            "sha256",
            "declared_sha256",
            "created_at",
            "expires_at",
        ]
        read_only_fields = fields

    def get_url(self, session: UploadSession) -> str:
        return f"{settings.PUBLIC_URL}{_address(session)}"

    def get_offset(self, session: UploadSession) -> int | None:
        try:
            return sessions.offset(session)
        except sessions.GoneError:
            return None


class TusView(OwnView):
    """For tokens, and for the page in the name of whoever is signed in."""

    authentication_classes = [Authentication, SessionAuthentication]
    # Asking for the offset is a part of sending.
    safe_scope = Scope.SUBMIT

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        super().initial(request, *args, **kwargs)
        spoken = request.headers.get("Tus-Resumable", "")
        method = request.method or ""
        if (
            method in SPEAKING_TUS
            and hasattr(self, method.lower())
            and spoken != protocol.VERSION
        ):
            raise unsupported_version(spoken)

    def finalize_response(
        self, request: Request, response: Any, *args: Any, **kwargs: Any
    ) -> Any:
        found = super().finalize_response(request, response, *args, **kwargs)
        found["Tus-Resumable"] = protocol.VERSION
        if found.status_code == HTTPStatus.PRECONDITION_FAILED:
            found["Tus-Version"] = protocol.VERSION
        found.setdefault("Cache-Control", "no-store")
        return found

    def options(  # type: ignore[override]  # DRF's own request
        self, request: Request, *args: Any, **kwargs: Any
    ) -> Response:
        headers = {
            "Tus-Version": protocol.VERSION,
            "Tus-Extension": protocol.EXTENSIONS,
            "Tus-Max-Size": str(settings.UPLOAD_LIMIT_BYTES),
            "Tus-Checksum-Algorithm": ",".join(protocol.ALGORITHMS),
        }
        return Response(status=HTTPStatus.NO_CONTENT, headers=headers)


class UploadListView(TusView):
    @extend_schema(
        operation_id="uploads_list",
        summary="Your uploads in parts",
        parameters=paging(),
        responses=answers(Results.of(UploadSessionSerializer)),
    )
    def get(self, request: Request) -> Response:
        """The latest used first; each is kept for 24 hours after its last part."""
        pages = Pages()
        found = UploadSession.objects.of(user_of(request))
        page = pages.paginate_queryset(found, request) or []
        return pages.get_paginated_response(
            UploadSessionSerializer(page, many=True).data
        )

    @extend_schema(
        operation_id="uploads_create",
        summary="Begin an upload in parts",
        parameters=[_TUS, _LENGTH, _METADATA],
        request=None,
        responses={
            (HTTPStatus.CREATED.value, "application/json"): UploadSessionSerializer,
            **problems(412, 413, 460, 507),
        },
    )
    def post(self, request: Request) -> Response:
        """tus 1.0, creation. Location says where the parts go."""
        with told():
            metadata = protocol.metadata(request.headers)
            session = sessions.begin(
                user_of(request),
                length=protocol.number(request.headers, "Upload-Length"),
                file_name=metadata.file_name,
                sha256=metadata.sha256,
            )
        headers = {**_state(session, 0), "Location": _address(session)}
        data = UploadSessionSerializer(session).data
        return Response(data, status=HTTPStatus.CREATED, headers=headers)


class UploadSessionView(TusView):
    def dispatch(
        self, request: HttpRequest, *args: Any, **kwargs: Any
    ) -> HttpResponseBase:
        wanted = request.headers.get("X-HTTP-Method-Override", "").upper()
        if request.method == "POST" and wanted in OVERRIDABLE:
            request.method = wanted
        return super().dispatch(request, *args, **kwargs)

    @extend_schema(
        operation_id="uploads_retrieve",
        summary="One upload in parts",
        responses=answers(UploadSessionSerializer, 404),
    )
    def get(self, request: Request, pk: UUID) -> Response:
        """HEAD answers as tus wants it, with Upload-Offset and Upload-Length."""
        return Response(UploadSessionSerializer(_own(request, pk)).data)

    def head(self, request: Request, pk: UUID) -> Response:
        session = _own(request, pk)
        with told():
            return Response(headers=_state(session, sessions.offset(session)))

    @extend_schema(
        operation_id="uploads_append",
        summary="Send the next part",
        parameters=[_TUS, _OFFSET, _CHECKSUM],
        request={protocol.PART_TYPE: OpenApiTypes.BINARY},
        responses={
            HTTPStatus.NO_CONTENT.value: OpenApiResponse(
                description="Taken. Upload-Offset says where the next part goes on."
            ),
            **problems(404, 409, 411, 412, 413, 415, 460, 507),
        },
    )
    def patch(self, request: Request, pk: UUID) -> Response:
        """A part of any length; 8 MiB are a good one."""
        session = _own(request, pk)
        if request.content_type.partition(";")[0] != protocol.PART_TYPE:
            raise UnsupportedMediaType(request.content_type)
        with told():
            at = protocol.number(request.headers, "Upload-Offset")
            checksum = protocol.checksum(request.headers)
            length = _part_length(request)
            size = sessions.offset(session)
            if size != at:
                raise moved(size)
            if at + length > session.length_bytes:
                raise TooLongError(session.length_bytes)
            body = Body(request._request, length, checksum)
            end = sessions.append(session, body, at=at, accept=body.is_sound)
        if end != at + length:
            raise wrong_part()
        return Response(status=HTTPStatus.NO_CONTENT, headers=_state(session, end))

    @extend_schema(
        operation_id="uploads_destroy",
        summary="Give up an upload",
        parameters=[_TUS],
        responses={
            HTTPStatus.NO_CONTENT.value: None,
            **problems(404, 412),
        },
    )
    def delete(self, request: Request, pk: UUID) -> Response:
        """tus 1.0, termination: its bytes are removed."""
        sessions.forget(_own(request, pk))
        return Response(status=HTTPStatus.NO_CONTENT)


def _own(request: Request, pk: UUID) -> UploadSession:
    found = sessions.find(user_of(request), pk)
    if found is None:
        raise gone()
    return found


def _part_length(request: Request) -> int:
    text = request.META.get("CONTENT_LENGTH") or ""
    if not text.isdecimal():
        raise length_required()
    return int(text)


def _state(session: UploadSession, offset: int) -> dict[str, str]:
    return {
        "Upload-Offset": str(offset),
        "Upload-Length": str(session.length_bytes),
        "Upload-Expires": http_date(session.expires_at.timestamp()),
    }


def _address(session: UploadSession) -> str:
    return reverse("api-upload", args=[session.pk])
