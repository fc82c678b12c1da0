"""The attempts of one task run, and running it again."""

from __future__ import annotations

from datetime import timedelta
from typing import NamedTuple

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.contrib.auth.models import User
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_POST, require_safe

from evaluator import reruns
from evaluator.errors import NotPossibleError
from evaluator.forms import RequeueForm
from evaluator.models import INFRA_BUDGET, Attempt, Job, JobState
from evaluator.transitions import STUCK
from leaderboard.models import Evaluation
from leaderboard.plain_text import visible
from leaderboard.visibility import evaluation_or_404

DETAIL_CHARACTERS = 500


class AttemptRow(NamedTuple):
    """An attempt, how long it took or has been running, and its detail made safe."""

    attempt: Attempt
    took: timedelta
    detail: str


@require_safe
def task_run_attempts(
    request: HttpRequest, pk: int, number: int, slug: str
) -> HttpResponse:
    """Every attempt, also those before a re-run; whoever sees the result sees them."""
    job = (
        Job.objects.select_related(
            "run",
            "task",
            "evaluation__configuration",
            "evaluation__snapshot__benchmark",
        )
        .filter(evaluation__pk=pk, run__number=number, task__slug=slug)
        .first()
    )
    evaluation_or_404(request.user, job.evaluation if job else None)
    assert job is not None  # noqa: S101 - the line above raises
    context = {
        "job": job,
        "state": JobState(job.state),
        "scored": job.state == JobState.SCORED,
        "stuck": job.state in STUCK,
        "next_attempt": INFRA_BUDGET - job.infra_left + 1,
        "budget": INFRA_BUDGET,
        "rows": [_row(attempt) for attempt in job.attempts.order_by("fence")],
        "staff": request.user.is_staff,
    }
    return render(request, "evaluator/attempts.html", context)


def _row(attempt: Attempt) -> AttemptRow:
    ended_at = attempt.ended_at or timezone.now()
    detail = visible(" ".join(attempt.detail[:DETAIL_CHARACTERS].split()))
    return AttemptRow(attempt, ended_at - attempt.started_at, detail)


@require_POST
@login_required
def requeue(request: HttpRequest, pk: int) -> HttpResponse:
    """An operator's act; the answer leads back to where it was asked for."""
    found = Evaluation.objects.filter(pk=pk).first()
    evaluation = evaluation_or_404(request.user, found)
    if not isinstance(request.user, User) or not request.user.is_staff:
        raise PermissionDenied(_("Only maintainers may do this."))
    form = RequeueForm(request.POST)
    if not form.is_valid():
        messages.error(request, _("The reason is too long, or the place is wrong."))
        return redirect(evaluation)
    _requeue(request, evaluation, form, by=request.user)
    back = form.cleaned_data["next"]
    here = {request.get_host()}
    if url_has_allowed_host_and_scheme(back, here, require_https=request.is_secure()):
        return redirect(back)
    return redirect(evaluation)


def _requeue(
    request: HttpRequest, evaluation: Evaluation, form: RequeueForm, *, by: User
) -> None:
    try:
        found = reruns.requeue(
            evaluation,
            by=by,
            reason=form.cleaned_data["reason"],
            task=form.cleaned_data["task"] or None,
            run=form.cleaned_data["run"],
        )
    except NotPossibleError as error:
        messages.error(request, str(error))
        return
    text = ngettext(
        "%(count)s task run is queued again.",
        "%(count)s task runs are queued again.",
        len(found),
    )
    messages.success(request, text % {"count": len(found)})
