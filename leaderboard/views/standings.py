"""The leaderboard: current snapshot, one snapshot, and the list of snapshots."""

from __future__ import annotations

from http import HTTPStatus

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from leaderboard.as_of import AsOfError
from leaderboard.current import current_of, listed_snapshots, snapshot_at
from leaderboard.models import EvaluationSnapshot
from leaderboard.page_cache import cached
from leaderboard.presenters.citations import standings_citations
from leaderboard.presenters.selection import select
from leaderboard.presenters.standings import standings_page


@require_safe
@cached
def home(request: HttpRequest) -> HttpResponse:
    """The current snapshot's leaderboard; says what to do where there is none."""
    snapshots = listed_snapshots()
    snapshot = current_of(snapshots)
    if snapshot is None:
        return render(request, "leaderboard/empty.html")
    return _leaderboard(request, snapshot, snapshots=snapshots)


@require_safe
@cached
def snapshot(request: HttpRequest, benchmark: str, version: str) -> HttpResponse:
    """The leaderboard of one snapshot, at the address that stays its own."""
    snapshots = listed_snapshots()
    found = snapshot_at(snapshots, benchmark, version)
    return _leaderboard(request, found, snapshots=snapshots)


@require_safe
@cached
def snapshot_list(request: HttpRequest) -> HttpResponse:
    snapshots = listed_snapshots()
    return render(
        request,
        "leaderboard/snapshot_list.html",
        {
            "section": "leaderboard",
            "snapshots": snapshots,
            "current": current_of(snapshots),
        },
    )


def _leaderboard(
    request: HttpRequest,
    snapshot: EvaluationSnapshot,
    *,
    snapshots: list[EvaluationSnapshot],
) -> HttpResponse:
    try:
        selection = select(snapshot, request.GET)
    except AsOfError as error:
        return _no_such_day(request, snapshot, error)
    context = {
        "section": "leaderboard",
        "page": standings_page(selection),
        "others": [each for each in snapshots if each != snapshot],
        "citations": standings_citations(selection),
    }
    return render(request, "leaderboard/standings.html", context)


def _no_such_day(
    request: HttpRequest, snapshot: EvaluationSnapshot, error: AsOfError
) -> HttpResponse:
    context = {"section": "leaderboard", "snapshot": snapshot, "error": error}
    return render(
        request, "leaderboard/no_such_day.html", context, status=HTTPStatus.NOT_FOUND
    )
