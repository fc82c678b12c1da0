"""Parts of the site for other sites: badges, and a table to put into a page."""

from __future__ import annotations

from http import HTTPStatus

from csp.decorators import csp_replace
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.template.loader import render_to_string
from django.views.decorators.cache import cache_control
from django.views.decorators.clickjacking import xframe_options_exempt
from django.views.decorators.http import require_safe

from leaderboard import data_version
from leaderboard.as_of import AsOfError
from leaderboard.current import snapshot_at, snapshots_with_tables
from leaderboard.models import Evaluation
from leaderboard.page_cache import cached
from leaderboard.passing.standings import is_by_pass_rate
from leaderboard.presenters import badges
from leaderboard.presenters.selection import select
from leaderboard.presenters.standings import standings_page
from leaderboard.views import passing

_BADGE_SECONDS = 300


@require_safe
@cache_control(public=True, max_age=_BADGE_SECONDS)
def evaluation_badge(request: HttpRequest, pk: int) -> HttpResponse:
    """The same for everybody: a private evaluation has none, whoever asks."""
    rows = Evaluation.objects.on_record().select_related("snapshot__benchmark")
    found = rows.filter(pk=pk).first()
    if found is None:
        raise Http404
    context = {"badge": badges.evaluation_badge(found)}
    drawing = render_to_string("leaderboard/badge.svg", context)
    return HttpResponse(drawing, content_type="image/svg+xml")


@require_safe
@xframe_options_exempt
@csp_replace({"frame-ancestors": ["*"]})
@cached
def embed(request: HttpRequest, benchmark: str, version: str) -> HttpResponse:
    """The ranked rows alone. The only page that other sites may frame."""
    snapshots = snapshots_with_tables(
        request.GET.get("source", ""), version=data_version.read_for(request)
    )
    snapshot = snapshot_at(snapshots, benchmark, version)
    if is_by_pass_rate(snapshot):
        return passing.embed(request, snapshot)
    try:
        page = standings_page(select(snapshot, request.GET))
    except AsOfError as error:
        context = {"snapshot": snapshot, "error": error}
        return render(
            request, "leaderboard/embed.html", context, status=HTTPStatus.NOT_FOUND
        )
    return render(request, "leaderboard/embed.html", {"page": page})
