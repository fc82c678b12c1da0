"""The schema, the documentation page, and the answer to everything else."""

from __future__ import annotations

from functools import cache
from http import HTTPStatus
from typing import Any

from csp.constants import NONE, SELF
from csp.decorators import csp
from django.http import HttpResponse, HttpResponseBase, HttpResponsePermanentRedirect
from django.urls import resolve
from django.utils.decorators import method_decorator
from django.utils.encoding import force_bytes
from drf_spectacular.generators import SchemaGenerator
from drf_spectacular.utils import extend_schema
from drf_spectacular.views import SpectacularAPIView, SpectacularSwaggerSplitView
from rest_framework.permissions import SAFE_METHODS
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from leaderboard.api.problems import Problem

# Swagger UI sets styles from scripts only and draws its icons from data: URLs.
_DOCS_CSP = {
    "default-src": [NONE],
    "script-src": [SELF],
    "style-src": [SELF],
    "img-src": [SELF, "data:"],
    "connect-src": [SELF],
    "base-uri": [NONE],
    "form-action": [NONE],
    "frame-ancestors": [NONE],
}


@extend_schema(exclude=True)
class SchemaView(SpectacularAPIView):
    """The OpenAPI document."""

    def get(self, request: Request, *args: object, **kwargs: object) -> HttpResponse:
        renderer = request.accepted_renderer
        charset = f"; charset={renderer.charset}" if renderer.charset else ""
        return HttpResponse(
            _written(renderer.media_type),
            content_type=f"{renderer.media_type}{charset}",
        )


@cache
def _written(media_type: str) -> bytes:
    """It is the same for everybody, and making it takes a second."""
    renderer = next(
        each for each in SchemaView.renderer_classes if each.media_type == media_type
    )
    return force_bytes(renderer().render(_document(), renderer_context={}))


@cache
def _document() -> Any:
    generator = SchemaGenerator()  # type: ignore[no-untyped-call]  # untyped library
    return generator.get_schema(request=None, public=True)  # type: ignore[no-untyped-call]  # the same


@extend_schema(exclude=True)
@method_decorator(csp(_DOCS_CSP), name="dispatch")
class DocsView(SpectacularSwaggerSplitView):
    """Swagger UI from our own files, with its script in a file of its own."""

    template_name = "leaderboard/api_docs.html"
    url_name = "api-schema"
    title = "OpenHarmony Bench API"


@extend_schema(exclude=True)
class UnknownView(APIView):
    """Every path below /api/ that nothing else answers, whatever the method."""

    authentication_classes = ()
    permission_classes = ()

    def initial(self, request: Request, *args: object, **kwargs: object) -> None:
        with_slash = f"{request.path}/"
        if not request.path.endswith("/") and _is_known(with_slash):
            raise MissingSlashError(with_slash)
        raise Problem(
            f"There is nothing at {request.path}. The endpoints are listed at "
            "/api/docs/.",
            status_code=HTTPStatus.NOT_FOUND,
        )

    def handle_exception(  # type: ignore[override]  # dispatch() takes any response
        self, exc: Exception
    ) -> Response | HttpResponseBase:
        """Put a missing slash right where that is safe, and name it elsewhere.

        A redirect would turn a POST into a GET, and a client would take its answer for
        a success.
        """
        if isinstance(exc, MissingSlashError) and self.request.method in SAFE_METHODS:
            query = self.request.META.get("QUERY_STRING", "")
            target = f"{exc.path}?{query}" if query else exc.path
            return HttpResponsePermanentRedirect(target)
        return super().handle_exception(exc)


class MissingSlashError(Problem):
    """The path would be an endpoint if it ended in a slash."""

    def __init__(self, path: str) -> None:
        self.path = path
        super().__init__(
            f"There is nothing at {path.removesuffix('/')}.",
            status_code=HTTPStatus.NOT_FOUND,
            errors=[
                {
                    "code": "missing_slash",
                    "where": "path",
                    "saw": path.removesuffix("/"),
                    "fix": f"Send the request to {path}",
                }
            ],
        )


def _is_known(path: str) -> bool:
    """Whether an endpoint other than ``UnknownView`` answers at ``path``."""
    return resolve(path).url_name != "api-unknown"
