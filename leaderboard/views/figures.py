"""The figures of the leaderboard as files that stand without this site."""

from __future__ import annotations

from http import HTTPStatus

from csp.constants import SELF, UNSAFE_INLINE
from csp.decorators import csp_replace
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.template.loader import render_to_string
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from leaderboard.as_of import AsOfError, today
from leaderboard.current import listed_snapshots, snapshot_at
from leaderboard.formats import MILLION
from leaderboard.page_cache import cached
from leaderboard.passing.standings import is_by_pass_rate
from leaderboard.presenters.bar_figures import build_bars
from leaderboard.presenters.figure_files import (
    KINDS,
    drawing,
    figure_csv,
    no_such_figure,
    unit_of,
)
from leaderboard.presenters.selection import Selection, select
from leaderboard.ranking.summary import figure_rows
from leaderboard.views.bar_figures import drawn_bars


# A drawing brings its colors along: outside of the site there is no style sheet.
@require_safe
@csp_replace({"style-src": [SELF, UNSAFE_INLINE]})
@cached
def figure_file(
    request: HttpRequest, benchmark: str, version: str, figure: str, kind: str
) -> HttpResponse:
    """The rows that the leaderboard shows for the same query, drawn or as numbers."""
    snapshot = snapshot_at(listed_snapshots(), benchmark, version)
    if kind not in KINDS.get(figure, ()):
        raise no_such_figure(figure, kind, KINDS)
    if is_by_pass_rate(snapshot):
        raise Http404(_("There is no such figure of a table by pass rate."))
    try:
        selection = select(snapshot, request.GET, whole=True)
    except AsOfError as error:
        context = {"section": "leaderboard", "snapshot": snapshot, "error": error}
        return render(
            request,
            "leaderboard/no_such_day.html",
            context,
            status=HTTPStatus.NOT_FOUND,
        )
    if kind == "csv":
        content, media = figure_csv(selection, figure), "text/csv; charset=utf-8"
    else:
        content, media = _drawn(request, selection, figure), "image/svg+xml"
    response = HttpResponse(content, content_type=media)
    name = f"{figure}-{snapshot.benchmark.slug}-{snapshot.version}.{kind}"
    response["Content-Disposition"] = f'inline; filename="{name}"'
    return response


def _drawn(request: HttpRequest, selection: Selection, figure: str) -> str:
    day = selection.as_of.day if selection.as_of else today()
    if figure == "builds":
        bars = build_bars(figure_rows(selection.rows))
        if not bars.bars:
            raise Http404
        return drawn_bars(request, bars, snapshot=selection.snapshot, day=day)
    found = drawing(selection, figure)
    if found is None:
        raise Http404
    context = {
        "figure": figure,
        "drawing": found,
        "selection": selection,
        "cost_axis": selection.cost_axis,
        "unit_is_million": unit_of(selection) == MILLION,
        "day": day,
        "width": found.width + 32,
        "height": found.height + 116,
    }
    return render_to_string("leaderboard/figures/file.svg", context, request)
