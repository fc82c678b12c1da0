"""Own submissions: the list, the progress of one, and the acts on it."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from functools import partial
from uuid import UUID

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.contrib.auth.models import User
from django.core.exceptions import PermissionDenied
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from submissions import followups, services
from submissions.forms import PublishForm, ReasonForm
from submissions.models import Submission
from submissions.progress import progress_of
from submissions.transitions import Act, possible_acts

PAGE_SIZE = 50


@require_safe
@login_required
def submission_list(request: HttpRequest) -> HttpResponse:
    found = Submission.objects.visible_to(request.user).with_counts()
    page = Paginator(found, PAGE_SIZE).get_page(request.GET.get("page"))
    context = {"section": "submissions", "page": page}
    return render(request, "submissions/list.html", context)


@require_safe
@login_required
def submission(request: HttpRequest, uuid: UUID) -> HttpResponse:
    found = _visible(request, uuid)
    state = found.shown_state
    acts = possible_acts(state)
    context = {
        "section": "submissions",
        "submission": found,
        "state": state,
        "progress": progress_of(found),
        "events": found.events.select_related("actor"),
        "warnings": found.report.get("warnings", []),
        "family": followups.family_of(found),
        "may_rerun": not found.undecided,
        "may_cancel": Act.CANCEL in acts,
        "may_publish": Act.PUBLISH in acts,
        "may_reject": Act.REJECT in acts,
        "may_withdraw": Act.WITHDRAW in acts,
    }
    return render(request, "submissions/submission.html", context)


@require_POST
@login_required
def cancel(request: HttpRequest, uuid: UUID) -> HttpResponse:
    return _act(request, uuid, services.cancel, done=_("Cancelled."))


@require_POST
@login_required
def publish(request: HttpRequest, uuid: UUID) -> HttpResponse:
    _require_maintainer(request, uuid)
    form = PublishForm(request.POST)
    public_from = form.cleaned_data["public_from"] if form.is_valid() else None
    if "public_from" in form.errors:
        messages.error(request, _("The day must be a date such as 2026-12-31."))
        return redirect("submission", uuid)
    act = partial(_publish, public_from=public_from)
    done = _("Under embargo.") if public_from else _("Published.")
    return _act(request, uuid, act, done=done)


@require_POST
@login_required
def reject(request: HttpRequest, uuid: UUID) -> HttpResponse:
    _require_maintainer(request, uuid)
    return _act(request, uuid, services.reject, done=_("Rejected."))


@require_POST
@login_required
def withdraw(request: HttpRequest, uuid: UUID) -> HttpResponse:
    """Its own people may take back what is theirs; maintainers anything."""
    return _act(request, uuid, services.withdraw, done=_("Withdrawn."))


def _visible(request: HttpRequest, uuid: UUID) -> Submission:
    """404 for others: that a submission exists is nobody else's business."""
    return get_object_or_404(Submission.objects.visible_to(request.user), pk=uuid)


def _require_maintainer(request: HttpRequest, uuid: UUID) -> None:
    _visible(request, uuid)
    if not getattr(request.user, "is_staff", False):
        raise PermissionDenied(_("Only maintainers may do this."))


def _publish(
    submission: Submission, *, by: User, reason: str, public_from: datetime | None
) -> None:
    services.publish(submission, by=by, note=reason, public_from=public_from)


def _act(
    request: HttpRequest, uuid: UUID, act: Callable[..., None], *, done: str
) -> HttpResponse:
    found = _visible(request, uuid)
    form = ReasonForm(request.POST)
    if not form.is_valid():
        messages.error(request, _("The reason is too long."))
        return redirect(found)
    try:
        act(found, by=request.user, reason=form.cleaned_data["reason"])
    except services.NotPossibleError as error:
        messages.error(request, str(error))
    else:
        messages.success(request, done)
    return redirect(found)
