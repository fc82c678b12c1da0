"""The figures of the leaderboard as files: drawings to print, and their numbers."""

from __future__ import annotations

import csv
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from io import StringIO

from django.conf import settings
from django.http import Http404
from django.utils.translation import gettext as _

from leaderboard.charts import CostScatter, SourceDots, cost_scatter
from leaderboard.charts.cost import frontier
from leaderboard.formats import token_unit
from leaderboard.late import Late, address
from leaderboard.presenters.figures import cost_points, dots
from leaderboard.presenters.ordering import href
from leaderboard.presenters.selection import Selection
from leaderboard.ranking.orders import SOURCES
from leaderboard.ranking.summary import figure_rows
from leaderboard.standings import StandingsRow
from leaderboard.tables import safe_cell

KINDS = {"cost": ("svg", "csv"), "sources": ("svg", "csv"), "builds": ("svg", "csv")}
_FILTERS = ("q", "family", "provider", "agent", "provenance", "sort")
Cells = list[object]


def figure_links(selection: Selection, *, whole: bool) -> dict[str, dict[str, str]]:
    """Addresses of the files by figure and kind.

    ``whole``: of all ranked rows, as the leaderboard draws them; else of those that
    the query chooses, as the page to explore does.
    """
    snapshot = selection.snapshot
    dropped = ("columns", "page", "snapshot", *(_FILTERS if whole else ()))
    query = href(selection.query, **dict.fromkeys(dropped)).removesuffix("?")
    place = [snapshot.benchmark.slug, snapshot.version]
    return {
        figure: {
            kind: Late(address("figure-file", *place, figure, kind) + query)
            for kind in kinds
        }
        for figure, kinds in KINDS.items()
    }


def no_such_figure(
    figure: str, kind: str, known: Mapping[str, Sequence[str]]
) -> Http404:
    """Names the files that are there instead."""
    files = [f"{name}.{each}" for name, kinds in known.items() for each in kinds]
    return Http404(
        _("There is no figure %(name)s. There are: %(files)s.")
        % {"name": f"{figure}.{kind}"[:60], "files": _(", ").join(files) or "—"}
    )


def drawing(selection: Selection, figure: str) -> CostScatter | SourceDots | None:
    """The figure with places; None where there is nothing to draw.

    Of many rows it has those that the page draws; the numbers are of all.
    """
    rows = figure_rows(selection.rows)
    if figure == "sources":
        return dots(rows)
    points = cost_points(rows, selection.cost_axis, unit=unit_of(selection))
    return cost_scatter(points, small=False)


def unit_of(selection: Selection) -> int:
    """What tokens are counted in: millions or thousands."""
    known = [row.in_scope.tokens_per_task for row in selection.rows]
    return token_unit(max((each for each in known if each is not None), default=None))


def figure_csv(selection: Selection, figure: str) -> str:
    """The numbers of ``figure``. Rates are fractions of 1; an empty cell is unknown."""
    head, cells = _WRITERS[figure](selection)
    buffer = StringIO(newline="")
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow(["model", "provider", *head, "evaluation_url"])
    for row, own in zip(selection.rows, cells, strict=True):
        evaluation = row.evaluation
        found = [evaluation.configuration.model, evaluation.configuration.provider]
        address = settings.PUBLIC_URL + evaluation.get_absolute_url()
        writer.writerow([safe_cell(cell) for cell in (*found, *own, address)])
    return buffer.getvalue()


def _cost(selection: Selection) -> tuple[Sequence[str], list[Cells]]:
    axis = selection.cost_axis
    points = cost_points(selection.rows, axis, unit=1)
    best = {point.url for point in frontier(points)}
    head = "tokens_per_task" if axis == "tokens" else "seconds_per_task"
    rates = ("task_completion_mean", "task_completion_min", "task_completion_max")
    cells: list[Cells] = []
    for row in selection.rows:
        found = row.in_scope
        cost = found.tokens_per_task if axis == "tokens" else found.seconds_per_task
        completion = found.task_completion
        cells.append(
            [
                *map(_number, (cost, completion.mean, completion.low, completion.high)),
                row.evaluation.get_absolute_url() in best,
            ]
        )
    return (head, *rates, "on_frontier"), cells


def _sources(selection: Selection) -> tuple[Sequence[str], list[Cells]]:
    known = [
        each for each in SOURCES if any(each in row.figures for row in selection.rows)
    ]
    head = [
        f"{each.value.replace('-', '_')}_{part}"
        for each in known
        for part in ("completed", "task_runs", "task_completion")
    ]
    return head, [_source_cells(row, known) for row in selection.rows]


def _source_cells(row: StandingsRow, known: Sequence[object]) -> Cells:
    cells: Cells = []
    for source in known:
        found = row.figures.get(source)  # type: ignore[call-overload]  # a Scope
        cells += (
            [
                found.completed_count,
                found.task_runs,
                _number(found.task_completion.mean),
            ]
            if found
            else ["", "", ""]
        )
    return cells


def _builds(selection: Selection) -> tuple[Sequence[str], list[Cells]]:
    return ("first_build", "final_build", "task_completion_mean"), [
        [
            _number(row.in_scope.first_build),
            _number(row.in_scope.final_build),
            _number(row.in_scope.task_completion.mean),
        ]
        for row in selection.rows
    ]


def _number(value: Fraction | int | None) -> float | str:
    return "" if value is None else float(value)


_WRITERS: Mapping[str, Callable[[Selection], tuple[Sequence[str], list[Cells]]]] = {
    "cost": _cost,
    "sources": _sources,
    "builds": _builds,
}
