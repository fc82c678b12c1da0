"""The schema, the documentation page, and the answer to everything else."""

from __future__ import annotations

from http import HTTPStatus

from csp.constants import NONE, SELF
from csp.decorators import csp
from django.utils.decorators import method_decorator
from drf_spectacular.utils import extend_schema
from drf_spectacular.views import SpectacularAPIView, SpectacularSwaggerSplitView
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


@extend_schema(exclude=True)
@method_decorator(csp(_DOCS_CSP), name="dispatch")
class DocsView(SpectacularSwaggerSplitView):
    """Swagger UI from our own files, with its script in a file of its own."""

    template_name = "leaderboard/api_docs.html"
    url_name = "api-schema"
    title = "OpenHarmony Bench API"


@extend_schema(exclude=True)
class UnknownView(APIView):
    """Every path below /api/ that nothing else answers."""

    def initial(self, request: Request, *args: object, **kwargs: object) -> None:
        raise Problem(
            f"There is nothing at {request.path}. The endpoints are listed at "
            "/api/docs/.",
            status_code=HTTPStatus.NOT_FOUND,
        )

    def get(self, request: Request, rest: str) -> Response:
        raise NotImplementedError
