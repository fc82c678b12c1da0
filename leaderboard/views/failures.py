"""Failed task runs of an evaluation with their reasons."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from leaderboard.current import listed_snapshots, snapshot_at
from leaderboard.failures.files import failures_csv
from leaderboard.models import Evaluation
from leaderboard.presenters.failures import failures_page
from leaderboard.presenters.failures_across import across_page
from leaderboard.visibility import evaluation_or_404


@require_safe
def failures(request: HttpRequest, pk: int) -> HttpResponse:
    """All of them, or those of ``?reason=``, ``?source=``, ``?kit=`` and ``?run=``."""
    page = failures_page(_found(request, pk), request.GET)
    return render(request, "leaderboard/failures.html", {"page": page})


@require_safe
def failures_file(request: HttpRequest, pk: int) -> HttpResponse:
    """Every failed task run as a line of CSV."""
    text = failures_csv(_found(request, pk))
    name = f"failures-{pk}.csv"
    return HttpResponse(
        text,
        content_type="text/csv; charset=utf-8",
        headers={"Content-Disposition": f'attachment; filename="{name}"'},
    )


@require_safe
def across(request: HttpRequest, benchmark: str, version: str) -> HttpResponse:
    """The configurations of a snapshot side by side; ``?source=`` and ``?kit=``."""
    snapshot = snapshot_at(listed_snapshots(), benchmark, version)
    context = {"section": "leaderboard", "page": across_page(snapshot, request.GET)}
    return render(request, "leaderboard/snapshot_failures.html", context)


def _found(request: HttpRequest, pk: int) -> Evaluation:
    rows = Evaluation.objects.select_related("configuration", "snapshot__benchmark")
    return evaluation_or_404(request.user, rows.filter(pk=pk).first())
