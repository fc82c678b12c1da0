"""One shape for every error of the API: problem details (RFC 9457)."""

from __future__ import annotations

import logging
import math
from collections.abc import Iterable, Iterator, Mapping
from http import HTTPStatus
from typing import Any, TypedDict

from django.conf import settings
from django.core.exceptions import SuspiciousOperation
from django.core.signals import got_request_exception
from rest_framework import exceptions, serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import exception_handler, set_rollback

CONTENT_TYPE = "application/problem+json"
SHOWN_CHARACTERS = 100

# Of tus, and in no registry.
_OTHER_TITLES = {460: "Checksum Mismatch"}

logger = logging.getLogger(__name__)


class ProblemItem(TypedDict):
    """One fault: a code that scripts may rely on, the place, what was seen, the fix."""

    code: str
    where: str
    saw: str
    fix: str


class Problem(exceptions.APIException):
    """An error that a view wants to answer with, item by item.

    ``extensions`` are further members of the answer, as RFC 9457 allows them.
    """

    def __init__(
        self,
        detail: str,
        *,
        status_code: int = HTTPStatus.BAD_REQUEST,
        errors: Iterable[ProblemItem] = (),
        extensions: Mapping[str, Any] | None = None,
    ) -> None:
        super().__init__(detail)
        self.status_code = status_code
        self.errors = list(errors)
        self.extensions = dict(extensions or {})


class ProblemItemSerializer(serializers.Serializer[ProblemItem]):
    code = serializers.CharField()
    where = serializers.CharField(help_text="Parameter, field or file and its place.")
    saw = serializers.CharField(help_text="What was found there.")
    fix = serializers.CharField(help_text="How to put it right.")


class ProblemSerializer(serializers.Serializer[Any]):
    """Problem details as in RFC 9457, with every fault listed."""

    type = serializers.CharField()
    title = serializers.CharField()
    status = serializers.IntegerField()
    detail = serializers.CharField()
    errors = ProblemItemSerializer(many=True)  # type: ignore[assignment]  # the metaclass takes fields out of the class
    warnings = ProblemItemSerializer(
        many=True,
        required=False,
        help_text="Of a checked upload: what does not stand against it, and is told.",
    )


def problem_response(exc: Exception, context: Mapping[str, Any]) -> Response | None:
    """DRF's exception handler: every error leaves as problem details.

    In debug mode unexpected exceptions pass through to Django's page.
    """
    if isinstance(exc, SuspiciousOperation):
        # A body with too many fields or files, or one that is not what it claims.
        exc = exceptions.ParseError("The body of the request cannot be read.")
    response = exception_handler(exc, dict(context))
    request: Request | None = context.get("request")
    if response is None:
        if settings.DEBUG:
            return None
        return _our_fault(exc, request)
    errors = list(_items(exc, response.data, request))
    body = problem_details(response.status_code, _detail(response.data), errors)
    response.data = body | getattr(exc, "extensions", {})
    response.content_type = CONTENT_TYPE
    return response


def problem(
    status_code: int, detail: str, errors: Iterable[ProblemItem] = ()
) -> Response:
    """A response with problem details, for code that has no exception to raise."""
    return Response(
        problem_details(status_code, detail, errors),
        status=status_code,
        content_type=CONTENT_TYPE,
    )


def problem_details(
    status_code: int, detail: str, errors: Iterable[ProblemItem]
) -> dict[str, Any]:
    """The document alone, for what answers without the framework of the API."""
    return {
        "type": "about:blank",
        "title": _OTHER_TITLES.get(status_code) or HTTPStatus(status_code).phrase,
        "status": status_code,
        "detail": detail,
        "errors": list(errors),
    }


def _our_fault(exc: Exception, request: Request | None) -> Response:
    """Tell the operator everything and the client that it was not their doing."""
    django_request = None if request is None else request._request
    got_request_exception.send(sender=problem_response, request=django_request)
    logger.error("The API failed on an unexpected error.", exc_info=exc)
    set_rollback()
    return problem(
        HTTPStatus.INTERNAL_SERVER_ERROR,
        "Something went wrong here, and it has been recorded. Try again later.",
    )


def _items(exc: Exception, data: object, request: Request | None) -> list[ProblemItem]:
    # An error class that knows its faults, here or one floor up, lists them itself.
    known: list[ProblemItem] | None = getattr(exc, "errors", None)
    if known is not None:
        return known
    match exc:
        case exceptions.ValidationError():
            return list(_flattened(data, (), request=request))
        case exceptions.ParseError():
            return [_item("parse_error", "body", "", str(exc.detail))]
        case exceptions.UnsupportedMediaType():
            saw = request.content_type if request is not None else ""
            fix = "Send one of the content types that the documentation names."
            return [_item("unsupported_media_type", "Content-Type", saw, fix)]
        case exceptions.MethodNotAllowed():
            saw = (request.method or "") if request is not None else ""
            fix = "Use one of the methods in the Allow header."
            return [_item("method_not_allowed", "method", saw, fix)]
        case exceptions.NotAuthenticated() | exceptions.AuthenticationFailed():
            fix = "Send 'Authorization: Token ...' with a token that is still valid."
            return [_item(str(exc.get_codes()), "Authorization", "", fix)]
        case exceptions.PermissionDenied():
            fix = "Ask a maintainer, or use the token of one."
            return [_item("permission_denied", "Authorization", "", fix)]
        case exceptions.NotAcceptable():
            saw = request.headers.get("Accept", "") if request is not None else ""
            fix = "Accept application/json; the API has nothing else."
            return [_item("not_acceptable", "Accept", saw[:SHOWN_CHARACTERS], fix)]
        case exceptions.Throttled():
            seconds = getattr(exc, "wait", None)
            wait = "a minute" if seconds is None else f"{math.ceil(seconds)} seconds"
            return [_item("throttled", "rate", "", f"Wait {wait}, then try again.")]
    return []


def _item(code: str, where: str, saw: str, fix: str) -> ProblemItem:
    return {"code": code, "where": where, "saw": saw, "fix": fix}


def _flattened(
    detail: object, path: tuple[str, ...], *, request: Request | None
) -> Iterator[ProblemItem]:
    """One item for each message of DRF's nested validation errors."""
    match detail:
        case exceptions.ErrorDetail():
            where = ".".join(path) or "request"
            yield _item(
                detail.code or "invalid", where, _sent(path, request), str(detail)
            )
        case Mapping():
            for key, value in detail.items():
                inner = path if key == "non_field_errors" else (*path, str(key))
                yield from _flattened(value, inner, request=request)
        case list() | tuple():
            nested = any(isinstance(each, Mapping) for each in detail)
            for place, value in enumerate(detail):
                inner = (*path, str(place)) if nested else path
                yield from _flattened(value, inner, request=request)


def _sent(path: tuple[str, ...], request: Request | None) -> str:
    """What the request holds for a plain field; empty for anything deeper or hidden."""
    if request is None or len(path) != 1:
        return ""
    for source in (request.query_params, request.data):
        value = source.get(path[0]) if isinstance(source, Mapping) else None
        if isinstance(value, str | int | float | bool) and "password" not in path[0]:
            return str(value)[:SHOWN_CHARACTERS]
    return ""


def _detail(data: object) -> str:
    if isinstance(data, Mapping) and isinstance(data.get("detail"), str):
        return str(data["detail"])
    return "The request has values that cannot be used; see the list of errors."
