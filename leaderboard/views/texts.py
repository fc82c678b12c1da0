"""Pages that explain: what the benchmark is made of and how it is measured."""

from __future__ import annotations

from django.conf import settings
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import render
from django.views.decorators.http import require_safe

from leaderboard.current import (
    changelog,
    current_of,
    listed_snapshots,
    snapshot_of_version,
)
from leaderboard.page_cache import cached
from leaderboard.presenters.benchmark import benchmark_page
from leaderboard.presenters.changes import changes_page
from leaderboard.presenters.citations import standings_citations
from leaderboard.presenters.selection import select


@require_safe
@cached
def benchmark(request: HttpRequest) -> HttpResponse:
    snapshots = listed_snapshots()
    if not snapshots:
        return render(request, "leaderboard/empty.html")
    snapshot = snapshot_of_version(snapshots, request.GET.get("snapshot", ""))
    context = {
        "section": "benchmark",
        "page": benchmark_page(snapshot),
        "snapshots": snapshots,
        "changelog": changelog(snapshots, snapshot.benchmark_id),
    }
    return render(request, "leaderboard/benchmark.html", context)


@require_safe
@cached
def snapshot_changes(request: HttpRequest) -> HttpResponse:
    """What changed from one snapshot to another; by default the two newest."""
    snapshots = listed_snapshots()
    if not snapshots:
        return render(request, "leaderboard/empty.html")
    after = snapshot_of_version(snapshots, request.GET.get("to", ""))
    earlier = {
        each.snapshot.pk: each.previous
        for each in changelog(snapshots, after.benchmark_id)
    }
    wanted = request.GET.get("from", "")
    before = snapshot_of_version(snapshots, wanted) if wanted else None
    context = {
        "section": "benchmark",
        "page": changes_page(before or earlier[after.pk] or after, after),
        "snapshots": snapshots,
    }
    return render(request, "leaderboard/changes.html", context)


@require_safe
@cached
def methodology(request: HttpRequest) -> HttpResponse:
    return render(request, "leaderboard/methodology.html", {"section": "methodology"})


@require_safe
@cached
def about(request: HttpRequest) -> HttpResponse:
    """Who runs the site, what keeps it honest, and how to cite it."""
    snapshot = current_of(listed_snapshots())
    context = {
        "section": "about",
        "snapshot": snapshot,
        "operator": settings.OPERATOR,
        "contact": settings.CONTACT,
        "data_license": settings.DATA_LICENSE,
        "citations": standings_citations(select(snapshot, QueryDict()))
        if snapshot
        else [],
    }
    return render(request, "leaderboard/about.html", context)
