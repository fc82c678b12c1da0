"""The bars of the evaluation page and of the benchmark page as files."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date

from csp.constants import SELF, UNSAFE_INLINE
from csp.decorators import csp_replace
from django.http import Http404, HttpRequest, HttpResponse
from django.template.loader import render_to_string
from django.views.decorators.http import require_safe

from leaderboard.as_of import today
from leaderboard.charts import bar_drawing
from leaderboard.current import listed_snapshots, snapshot_of_version
from leaderboard.models import Evaluation, EvaluationSnapshot
from leaderboard.page_cache import cached
from leaderboard.presenters.bar_figures import (
    KINDS,
    BarFigure,
    benchmark_figures,
    evaluation_figures,
)
from leaderboard.presenters.benchmark import benchmark_page
from leaderboard.presenters.evaluation import evaluation_page
from leaderboard.presenters.figure_files import no_such_figure
from leaderboard.visibility import evaluation_or_404

# A drawing brings its colors along: outside of the site there is no style sheet.
_OWN_STYLES = {"style-src": [SELF, UNSAFE_INLINE]}


@require_safe
@csp_replace(_OWN_STYLES)  # type: ignore[arg-type]  # it takes any view
def evaluation_figure(
    request: HttpRequest, pk: int, figure: str, kind: str
) -> HttpResponse:
    """A figure of one evaluation, for whoever may read its page."""
    rows = Evaluation.objects.select_related("configuration", "snapshot__benchmark")
    evaluation = evaluation_or_404(request.user, rows.filter(pk=pk).first())
    figures = evaluation_figures(evaluation_page(evaluation))
    return _file(
        request,
        _chosen(figures, figure, kind),
        kind=kind,
        name=f"{figure}-evaluation-{evaluation.pk}",
        subject=evaluation.configuration.model,
        snapshot=evaluation.snapshot,
    )


@require_safe
@csp_replace(_OWN_STYLES)
@cached
def benchmark_figure(request: HttpRequest, figure: str, kind: str) -> HttpResponse:
    """A figure of the composition of a snapshot."""
    snapshots = listed_snapshots()
    if not snapshots:
        raise Http404
    snapshot = snapshot_of_version(snapshots, request.GET.get("snapshot", ""))
    return _file(
        request,
        _chosen(benchmark_figures(benchmark_page(snapshot)), figure, kind),
        kind=kind,
        name=f"{figure}-{snapshot.benchmark.slug}-{snapshot.version}",
        subject="",
        snapshot=snapshot,
    )


def _chosen(figures: Mapping[str, BarFigure], figure: str, kind: str) -> BarFigure:
    if figure not in figures or kind not in KINDS:
        raise no_such_figure(figure, kind, dict.fromkeys(figures, KINDS))
    return figures[figure]


def _file(
    request: HttpRequest,
    found: BarFigure,
    *,
    kind: str,
    name: str,
    subject: str,
    snapshot: EvaluationSnapshot,
) -> HttpResponse:
    if kind == "csv":
        content, media = found.csv(), "text/csv; charset=utf-8"
    else:
        content = drawn_bars(
            request, found, snapshot=snapshot, day=today(), subject=subject
        )
        media = "image/svg+xml"
    response = HttpResponse(content, content_type=media)
    response["Content-Disposition"] = f'inline; filename="{name}.{kind}"'
    return response


def drawn_bars(
    request: HttpRequest,
    found: BarFigure,
    *,
    snapshot: EvaluationSnapshot,
    day: date,
    subject: str = "",
) -> str:
    """The drawing as a file; ``subject`` is what it is about within the snapshot."""
    drawing = bar_drawing(found.bars)
    context = {
        "figure": found,
        "drawing": drawing,
        "subject": subject,
        "snapshot": snapshot,
        "day": day,
        "width": max(drawing.width, 520) + 32,
        "height": drawing.height + 116,
    }
    return render_to_string("leaderboard/figures/bars.svg", context, request)
