"""Trajectories, step by step."""

from __future__ import annotations

from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import get_object_or_404, render
from django.views.decorators.http import require_safe

from leaderboard.models import Run
from leaderboard.visibility import run_or_404
from submissions.trajectories.page import (
    step_address,
    trajectory_of,
    trajectory_page,
)


@require_safe
def trajectory(request: HttpRequest, pk: int, number: int, slug: str) -> HttpResponse:
    """The steps of one task run, with what signals speak of marked."""
    rows = Run.objects.select_related(
        "evaluation__configuration", "evaluation__snapshot__benchmark"
    )
    run = run_or_404(
        request.user, rows.filter(evaluation__pk=pk, number=number).first()
    )
    task = get_object_or_404(run.evaluation.snapshot.tasks, slug=slug)
    found = trajectory_of(run, task)
    if found is None:
        raise Http404
    if target := step_address(request.GET):
        return HttpResponseRedirect(request.path + target)
    page = trajectory_page(found, request.GET, reader=request.user)
    return render(request, "submissions/trajectory.html", {"page": page})
