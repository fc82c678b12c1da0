"""What its people do with a submission afterwards: copy, run again, write notes."""

from __future__ import annotations

from uuid import UUID

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import get_object_or_404, redirect
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from submissions import followups
from submissions.forms import NotesForm, ReasonForm
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


@require_POST
@login_required
def rerun(request: HttpRequest, uuid: UUID) -> HttpResponse:
    """The same files once more; leads to the submission that this makes."""
    found = _visible(request, uuid)
    assert isinstance(request.user, User)  # noqa: S101 - login_required
    form = ReasonForm(request.POST)
    if not form.is_valid():
        messages.error(request, _("The reason is too long."))
        return redirect(found)
    try:
        again = followups.rerun(
            found, by=request.user, reason=form.cleaned_data["reason"]
        )
    except followups.NotPossibleError as error:
        messages.error(request, str(error))
        return redirect(found)
    messages.success(request, _("Every task run is queued once more."))
    return redirect(again)


@require_POST
@login_required
def notes(request: HttpRequest, uuid: UUID) -> HttpResponse:
    found = _visible(request, uuid)
    assert isinstance(request.user, User)  # noqa: S101 - login_required
    form = NotesForm(request.POST)
    if not form.is_valid():
        messages.error(request, _("A note is too long, or holds what is no text."))
        return redirect(found)
    followups.write_notes(
        found,
        by=request.user,
        public=form.cleaned_data["public_note"],
        private=form.cleaned_data["private_note"],
    )
    messages.success(request, _("The notes are kept."))
    return redirect(found)


def _visible(request: HttpRequest, uuid: UUID) -> Submission:
    """404 for others: that a submission exists is nobody else's business."""
    return get_object_or_404(Submission.objects.visible_to(request.user), pk=uuid)
