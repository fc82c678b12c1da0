"""Pages that explain: what the benchmark is made of and how it is measured."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from leaderboard.current import changelog, listed_snapshots, snapshot_of_version
from leaderboard.page_cache import cached
from leaderboard.presenters.benchmark import benchmark_page
from leaderboard.presenters.changes import changes_page


@cached
@require_safe
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


@cached
@require_safe
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


@cached
@require_safe
def methodology(request: HttpRequest) -> HttpResponse:
    return render(request, "leaderboard/methodology.html", {"section": "methodology"})
