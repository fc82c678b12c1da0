"""Pages that explain: what the benchmark is made of and how it is measured."""

from __future__ import annotations

from urllib.parse import urlencode

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_safe

from leaderboard.current import (
    changelog,
    current_of,
    listed_snapshots,
    snapshot_of_version,
)
from leaderboard.failures.taxonomy import described_reasons
from leaderboard.page_cache import cached
from leaderboard.passing.standings import is_by_pass_rate
from leaderboard.presenters.admission import admission_facts
from leaderboard.presenters.bar_figures import benchmark_figures, file_links
from leaderboard.presenters.benchmark import benchmark_page
from leaderboard.presenters.changes import changes_page
from leaderboard.presenters.citations import standings_citations
from leaderboard.presenters.composition_csv import composition_csv
from leaderboard.views import passing


@require_safe
@cached
def benchmark(request: HttpRequest) -> HttpResponse:
    snapshots = listed_snapshots()
    if not snapshots:
        return render(request, "leaderboard/empty.html")
    snapshot = snapshot_of_version(snapshots, request.GET.get("snapshot", ""))
    if is_by_pass_rate(snapshot):
        return passing.benchmark(request, snapshot, snapshots=snapshots)
    page = benchmark_page(snapshot)
    query = "?" + urlencode({"snapshot": snapshot.version})
    context = {
        "section": "benchmark",
        "page": page,
        "files": file_links(benchmark_figures(page), reverse("benchmark"), query=query),
        "admission": admission_facts(snapshot),
        "snapshots": snapshots,
        "changelog": changelog(snapshots, snapshot.benchmark_id),
    }
    return render(request, "leaderboard/benchmark.html", context)


@require_safe
@cached
def benchmark_data(request: HttpRequest) -> HttpResponse:
    """The bars of the benchmark page as CSV."""
    snapshots = listed_snapshots()
    if not snapshots:
        raise Http404
    snapshot = snapshot_of_version(snapshots, request.GET.get("snapshot", ""))
    content = (
        passing.benchmark_csv(snapshot)
        if is_by_pass_rate(snapshot)
        else composition_csv(benchmark_page(snapshot))
    )
    response = HttpResponse(content, content_type="text/csv; charset=utf-8")
    name = f"composition-{snapshot.benchmark.slug}-{snapshot.version}.csv"
    response["Content-Disposition"] = f'inline; filename="{name}"'
    return response


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
    if by_pass := [each for each in (after, before) if each and is_by_pass_rate(each)]:
        # Its conditions are hardly known; the benchmark page has what is.
        found = by_pass[0].in_query
        return redirect(f"{reverse('benchmark')}?{urlencode({'snapshot': found})}")
    context = {
        "section": "benchmark",
        "page": changes_page(before or earlier[after.pk] or after, after),
        "snapshots": [each for each in snapshots if not is_by_pass_rate(each)],
    }
    return render(request, "leaderboard/changes.html", context)


@require_safe
@cached
def methodology(request: HttpRequest) -> HttpResponse:
    context = {"section": "methodology", "reasons": described_reasons()}
    return render(request, "leaderboard/methodology.html", context)


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
        "citations": standings_citations(snapshot) if snapshot else [],
    }
    return render(request, "leaderboard/about.html", context)
