"""Evaluations, their runs, and the task runs inside a run."""

from __future__ import annotations

from django.db.models import Q
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import get_object_or_404, render
from django.views.decorators.http import require_safe

from leaderboard.failures.chosen import with_labels
from leaderboard.history import public_history
from leaderboard.models import Evaluation, Run, TaskResult
from leaderboard.passing.standings import is_by_pass_rate
from leaderboard.presenters.bar_figures import evaluation_figures, file_links
from leaderboard.presenters.citations import Citation, entry_citations
from leaderboard.presenters.evaluation import EvaluationPage, evaluation_page
from leaderboard.presenters.runs import run_page, task_run_page
from leaderboard.presenters.share import badge_snippets
from leaderboard.presenters.viewer import line_href
from leaderboard.views import passing
from leaderboard.visibility import can_view, evaluation_or_404, run_or_404


@require_safe
def evaluation(request: HttpRequest, pk: int) -> HttpResponse:
    """The figures; of a struck-out one everybody reads the reason and the history."""
    rows = Evaluation.objects.select_related("configuration", "snapshot__benchmark")
    found = rows.filter(pk=pk).first()
    if found and found.is_struck_out and not can_view(request.user, found):
        context = {"evaluation": found, "history": public_history(found)}
        return render(request, "leaderboard/struck_out.html", context)
    found = evaluation_or_404(request.user, found)
    if is_by_pass_rate(found.snapshot):
        return passing.evaluation(request, found, lineage=_lineage(request, found))
    page = evaluation_page(found)
    context = {
        "page": page,
        "files": file_links(evaluation_figures(page), found.get_absolute_url()),
        "citations": _citations(page),
        "lineage": _lineage(request, found),
        "share": badge_snippets(found) if found.is_public else None,
    }
    return render(request, "leaderboard/evaluation.html", context)


def _citations(page: EvaluationPage) -> list[Citation]:
    if page.overall is None or not page.evaluation.is_public:
        return []
    return entry_citations(page.evaluation, page.overall.figures)


def _lineage(request: HttpRequest, found: Evaluation) -> list[Evaluation]:
    """The other evaluations of the same files that the reader may see, in order."""
    others = (
        Evaluation.objects.filter(
            Q(pk=found.rerun_of_id) | Q(rerun_of=found.rerun_of_id or found.pk)
        )
        .exclude(pk=found.pk)
        .select_related("snapshot")
        .order_by("pk")
    )
    return [each for each in others if can_view(request.user, each)]


@require_safe
def run(request: HttpRequest, pk: int, number: int) -> HttpResponse:
    found = _run(request, pk, number=number)
    page = run_page(found, request.GET)
    return render(request, "leaderboard/run.html", {"page": page})


@require_safe
def task_run(request: HttpRequest, pk: int, number: int, slug: str) -> HttpResponse:
    found = _run(request, pk, number=number)
    result = get_object_or_404(
        with_labels(TaskResult.objects.all())
        .select_related("task__snapshot", "overruling", "shown_reason")
        .prefetch_related("checks"),
        run=found,
        task__slug=slug,
    )
    if target := line_href(request.GET):
        return HttpResponseRedirect(request.path + target)
    result.run = found
    page = task_run_page(result, request.GET)
    return render(request, "leaderboard/task_run.html", {"page": page})


def _run(request: HttpRequest, pk: int, *, number: int) -> Run:
    rows = Run.objects.select_related(
        "evaluation__configuration", "evaluation__snapshot__benchmark"
    )
    return run_or_404(
        request.user, rows.filter(evaluation__pk=pk, number=number).first()
    )
