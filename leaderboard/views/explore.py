"""Figures to zoom and hover, on a page of their own."""

from __future__ import annotations

from csp.constants import SELF, UNSAFE_INLINE
from csp.decorators import csp_replace
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_safe

from leaderboard.as_of import AsOfError
from leaderboard.current import listed_snapshots, snapshot_of_version
from leaderboard.page_cache import cached
from leaderboard.passing.standings import is_by_pass_rate
from leaderboard.presenters.explore import explore_page
from leaderboard.presenters.selection import select


# Plotly writes styles into its drawings. Scripts are as strict as everywhere.
@require_safe
@csp_replace({"style-src": [SELF, UNSAFE_INLINE]})
@cached
def explore(request: HttpRequest) -> HttpResponse:
    """The rows that the leaderboard shows for the same query, as figures."""
    version = request.GET.get("snapshot", "")
    snapshot = snapshot_of_version(listed_snapshots(), version)
    if is_by_pass_rate(snapshot):
        # Its figures are in its table; there is nothing to zoom.
        return redirect(snapshot.get_absolute_url())
    try:
        page = explore_page(select(snapshot, request.GET, whole=True))
    except AsOfError as error:
        # The leaderboard has the page that says why.
        return redirect(f"{snapshot.get_absolute_url()}?as_of={error.day}")
    context = {"section": "leaderboard", "page": page}
    return render(request, "leaderboard/explore.html", context)
