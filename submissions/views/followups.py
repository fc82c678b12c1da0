"""What its people do with a submission afterwards: take its manifest for a new one."""

from __future__ import annotations

from uuid import UUID

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import get_object_or_404
from django.views.decorators.http import require_safe

from submissions.manifest import reusable
from submissions.models import Submission


@require_safe
@login_required
def manifest(request: HttpRequest, uuid: UUID) -> HttpResponse:
    """The manifest as a file, to begin another bundle from."""
    found = _visible(request, uuid)
    response = JsonResponse(
        reusable(found.manifest), json_dumps_params={"indent": 2, "ensure_ascii": False}
    )
    response["Content-Disposition"] = 'attachment; filename="manifest.json"'
    return response


def _visible(request: HttpRequest, uuid: UUID) -> Submission:
    """404 for others: that a submission exists is nobody else's business."""
    return get_object_or_404(Submission.objects.visible_to(request.user), pk=uuid)
