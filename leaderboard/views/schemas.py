"""The task-package format as JSON Schemas."""

from __future__ import annotations

from django.conf import settings
from django.http import HttpRequest, JsonResponse
from django.views.decorators.http import require_safe

from leaderboard.snapshots.schemas import package_json_schema


@require_safe
def package_schema(request: HttpRequest, name: str) -> JsonResponse:
    """The schema of one file; an ETag is added on the way out."""
    return JsonResponse(
        package_json_schema(name, settings.PUBLIC_URL),
        json_dumps_params={"indent": 2},
        content_type="application/schema+json",
    )
