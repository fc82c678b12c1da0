"""Own submissions: the list, the progress of one, and the acts on it."""

from __future__ import annotations

from collections.abc import Callable
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
from submissions.accounts import quota
from submissions.forms import ReasonForm, SubmissionListForm
from submissions.history import history_of
from submissions.integrity.summary import confirmed_signals
from submissions.models import Submission
from submissions.progress import progress_of
from submissions.review import appeals, overrulings
from submissions.review import messages as texts
from submissions.review.forms import TextForm
from submissions.review.independence import is_of_the_team, may_withdraw
from submissions.transitions import Act, possible_acts

PAGE_SIZE = 50


@require_safe
@login_required
def submission_list(request: HttpRequest) -> HttpResponse:
    """The newest first; what the query narrows stays in the links of the pages."""
    assert isinstance(request.user, User)  # noqa: S101 - login_required
    own = Submission.objects.visible_to(request.user)
    versions = own.order_by("snapshot__version").values_list(
        "snapshot__version", flat=True
    )
    form = SubmissionListForm(request.GET, snapshots=versions.distinct())
    found = form.applied_to(own.with_counts())
    kept = request.GET.copy()
    kept.pop("page", None)
    context = {
        "section": "submissions",
        "form": form,
        "kept": kept.urlencode(),
        "page": Paginator(found, PAGE_SIZE).get_page(request.GET.get("page")),
        "unlimited": quota.is_unlimited(request.user),
        "quotas": quota.quotas_of(request.user),
    }
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
        "history": history_of(found),
        "warnings": found.report.get("warnings", []),
        "confirmed": None if request.user.is_staff else confirmed_signals(found),
        "family": followups.family_of(found),
        "may_rerun": not found.undecided,
        "may_cancel": Act.CANCEL in acts,
        "may_withdraw": Act.WITHDRAW in acts and may_withdraw(request.user, found),
        "asked": Act.ANSWER in acts,
        "may_appeal": appeals.appealable(found) is not None,
        "is_theirs": is_of_the_team(request.user, found),
        "conversation": found.messages.for_submitter().select_related("author"),
        "appeals": found.appeals.select_related(
            "by", "decision", "proposal__result__run", "proposal__result__task"
        ),
        "overruled": overrulings.appealable(found),
    }
    return render(request, "submissions/submission.html", context)


@require_POST
@login_required
def cancel(request: HttpRequest, uuid: UUID) -> HttpResponse:
    return _act(request, uuid, services.cancel, done=_("Cancelled."))


@require_POST
@login_required
def answer(request: HttpRequest, uuid: UUID) -> HttpResponse:
    """The answer to a question of the maintainers."""
    return _say(request, uuid, _answer, done=_("Answered."))


@require_POST
@login_required
def appeal(request: HttpRequest, uuid: UUID) -> HttpResponse:
    """Against the last decision, or against the overruling of one task run."""
    return _say(request, uuid, _appeal, done=_("Your appeal waits for an answer."))


@require_POST
@login_required
def withdraw(request: HttpRequest, uuid: UUID) -> HttpResponse:
    """Its own people take back what is theirs; maintainers what is not public."""
    return _act(request, uuid, services.withdraw, done=_("Withdrawn."))


def _visible(request: HttpRequest, uuid: UUID) -> Submission:
    """404 for others: that a submission exists is nobody else's business."""
    return get_object_or_404(Submission.objects.visible_to(request.user), pk=uuid)


def _say(
    request: HttpRequest, uuid: UUID, act: Callable[..., object], *, done: str
) -> HttpResponse:
    """An act of those whose submission it is; maintainers of others only look on."""
    found = _visible(request, uuid)
    if not is_of_the_team(request.user, found):
        raise PermissionDenied(_("Only those who submitted it may do this."))
    form = TextForm(request.POST)
    if not form.is_valid():
        too_long = "text" in form.errors
        messages.error(
            request,
            _("The text is too long.") if too_long else _("No such task run."),
        )
        return redirect(found)
    try:
        act(found, form, by=request.user)
    except services.NotPossibleError as error:
        messages.error(request, str(error))
    else:
        messages.success(request, done)
    return redirect(found)


def _answer(found: Submission, form: TextForm, *, by: User) -> None:
    texts.answer(found, by=by, text=form.cleaned_data["text"])


def _appeal(found: Submission, form: TextForm, *, by: User) -> None:
    given = form.cleaned_data
    if given["task"]:
        overrulings.appeal(
            found, run=given["run"] or 0, task=given["task"], by=by, text=given["text"]
        )
    else:
        appeals.appeal(found, by=by, text=given["text"])


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
