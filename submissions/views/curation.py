"""Pages of curators: snapshots, their tasks, and the acts on them."""

from __future__ import annotations

from collections.abc import Callable

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from evaluator import admission
from evaluator.errors import NotPossibleError
from leaderboard.curation import (
    CurationError,
    SnapshotAct,
    approve,
    move,
    refuse,
    release_artifacts,
)
from leaderboard.models import EvaluationSnapshot, Opinion, Task
from submissions.curation.forms import (
    AGAIN,
    RELEASE,
    SnapshotActForm,
    VerdictOnTaskForm,
)
from submissions.curation.page import curation_page, snapshot_rows, task_curation
from submissions.views.guards import maintainers_only, reader


@require_safe
@maintainers_only
def snapshot_list(request: HttpRequest) -> HttpResponse:
    """Snapshots whose tasks are held, with how far each is."""
    context = {"section": "review", "rows": snapshot_rows()}
    return render(request, "curation/list.html", context)


@require_safe
@maintainers_only
def snapshot(request: HttpRequest, benchmark: str, version: str) -> HttpResponse:
    """The tasks of one snapshot with what each lacks, and what may be done now."""
    page = curation_page(_snapshot(benchmark, version))
    return render(
        request, "curation/snapshot.html", {"section": "review", "page": page}
    )


@require_safe
@maintainers_only
def task(request: HttpRequest, benchmark: str, version: str, slug: str) -> HttpResponse:
    """One task with its hidden files, proofs and words of curators."""
    found = _task(benchmark, version, slug)
    page = task_curation(found, reader=reader(request))
    return render(request, "curation/task.html", {"section": "review", "page": page})


@require_POST
@maintainers_only
def judge(
    request: HttpRequest, benchmark: str, version: str, slug: str
) -> HttpResponse:
    """Approve or refuse a task."""
    found, form = _task(benchmark, version, slug), VerdictOnTaskForm(request.POST)

    def act() -> str:
        giving = approve if form.cleaned_data["opinion"] == Opinion.APPROVED else refuse
        giving(
            found,
            by=reader(request),
            reason=form.cleaned_data["reason"],
            seen=form.cleaned_data["seen"],
        )
        return _("Your word is on record.")

    _answer(request, form, act)
    return redirect("curation-task", benchmark, version, slug)


@require_POST
@maintainers_only
def act(request: HttpRequest, benchmark: str, version: str) -> HttpResponse:
    """Move a snapshot through its life, prove it again, or release its hidden files."""
    found, form = _snapshot(benchmark, version), SnapshotActForm(request.POST)

    def done() -> str:
        by, reason = reader(request), form.cleaned_data["reason"]
        chosen = form.cleaned_data["act"]
        if chosen == RELEASE:
            release_artifacts(found, by=by, reason=reason)
        elif chosen == AGAIN:
            admission.prove_again(found, by=by, reason=reason)
        elif chosen == SnapshotAct.BEGIN:
            admission.begin(found, by=by, reason=reason)
        else:
            move(
                found,
                SnapshotAct(chosen),
                by=by,
                reason=reason,
                successor=form.cleaned_data["successor"],
            )
        return _("Done, and on record.")

    _answer(request, form, done)
    return redirect("curation-snapshot", benchmark, version)


def _answer(request: HttpRequest, form: forms.Form, act: Callable[[], str]) -> None:
    """Do ``act`` if ``form`` is sound, and keep what came of it for the next page."""
    if not form.is_valid():
        for name, errors in form.errors.items():
            for error in errors:
                messages.error(request, f"{name}: {error}")
        return
    try:
        messages.success(request, act())
    except (CurationError, NotPossibleError) as error:
        for line in str(error).splitlines():
            messages.error(request, line)


def _snapshot(benchmark: str, version: str) -> EvaluationSnapshot:
    rows = EvaluationSnapshot.objects.select_related("benchmark", "superseded_by")
    return get_object_or_404(rows, benchmark__slug=benchmark, version=version)


def _task(benchmark: str, version: str, slug: str) -> Task:
    rows = Task.objects.select_related("snapshot__benchmark")
    return get_object_or_404(
        rows, snapshot__benchmark__slug=benchmark, snapshot__version=version, slug=slug
    )
