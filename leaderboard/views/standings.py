"""The leaderboard: current snapshot, one snapshot, and the list of snapshots."""

from __future__ import annotations

from http import HTTPStatus

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_safe

from leaderboard import data_version
from leaderboard.as_of import AsOfError
from leaderboard.current import (
    current_of,
    listed_snapshots,
    other_benchmarks,
    snapshot_at,
    snapshots_with_tables,
)
from leaderboard.late import Keyed
from leaderboard.latest import latest_beside
from leaderboard.models import EvaluationSnapshot
from leaderboard.page_cache import cached
from leaderboard.passing.standings import is_by_pass_rate
from leaderboard.presenters.citations import standings_citations
from leaderboard.presenters.selection import select
from leaderboard.presenters.standings import standings_page
from leaderboard.views import passing


@require_safe
@cached
def home(request: HttpRequest) -> HttpResponse:
    """The current snapshot's leaderboard; says what to do where there is none."""
    snapshots = snapshots_with_tables(
        request.GET.get("source", ""), version=data_version.read_for(request)
    )
    snapshot = current_of(snapshots)
    if snapshot is None:
        return render(request, "leaderboard/empty.html")
    return _leaderboard(request, snapshot, snapshots=snapshots)


@require_safe
@cached
def snapshot(request: HttpRequest, benchmark: str, version: str) -> HttpResponse:
    """The leaderboard of one snapshot, at the address that stays its own."""
    snapshots = snapshots_with_tables(
        request.GET.get("source", ""), version=data_version.read_for(request)
    )
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
    own = not snapshot.benchmark.is_apart
    others = [
        each
        for each in snapshots
        if each != snapshot
        and (
            not each.benchmark.is_apart
            if own
            else each.benchmark_id == snapshot.benchmark_id
        )
    ]
    elsewhere = other_benchmarks(snapshots, snapshot)
    try:
        if is_by_pass_rate(snapshot):
            return passing.leaderboard(
                request, snapshot, others=others, elsewhere=elsewhere
            )
        selection = select(snapshot, request.GET, as_lines=True)
    except AsOfError as error:
        address = snapshot.get_absolute_url()
        if request.path != address:
            # Such a day is of this snapshot; besides, allauth takes what is not found
            # on the front page in Chinese for an address of its own.
            return redirect(f"{address}?{request.GET.urlencode()}")
        return _no_such_day(request, snapshot, error)
    page = standings_page(selection)
    table = selection.table.key
    # What is equal on every page of a stored table, on one day.
    key = None if table is None else (table, page.today)
    facts = {"page": page, "others": others, "elsewhere": elsewhere}
    context = {
        "section": "leaderboard",
        "page": page,
        "table": Keyed(key, facts),
        "citations": Keyed(key, lambda: standings_citations(snapshot, selection.as_of)),
        # A table of another day is a record, not a place for news, and who looks for
        # something in the table has read them.
        "latest": Keyed(
            table, lambda: latest_beside(snapshot, stored=table is not None)
        )
        if selection.is_plain
        else None,
    }
    return render(request, "leaderboard/standings.html", context)


def _no_such_day(
    request: HttpRequest, snapshot: EvaluationSnapshot, error: AsOfError
) -> HttpResponse:
    context = {"section": "leaderboard", "snapshot": snapshot, "error": error}
    return render(
        request, "leaderboard/no_such_day.html", context, status=HTTPStatus.NOT_FOUND
    )
