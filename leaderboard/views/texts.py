"""Pages that explain: what the benchmark is made of and how it is measured."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from leaderboard.current import listed_snapshots, snapshot_of_version
from leaderboard.presenters.benchmark import benchmark_page


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
    }
    return render(request, "leaderboard/benchmark.html", context)


@require_safe
def methodology(request: HttpRequest) -> HttpResponse:
    return render(request, "leaderboard/methodology.html", {"section": "methodology"})
