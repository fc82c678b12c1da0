"""The page with figures to zoom and hover, each with its numbers in a table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from django.utils.functional import Promise
from django.utils.translation import gettext as _

from leaderboard.charts.cost import frontier
from leaderboard.charts.explore import Series, bars_figure, cost_figure, marks_figure
from leaderboard.formats import MILLION, percent, token_unit
from leaderboard.models import TaskSource
from leaderboard.presenters.figure_files import figure_links
from leaderboard.presenters.figures import cost_points
from leaderboard.presenters.ordering import href
from leaderboard.presenters.selection import Selection
from leaderboard.ranking.orders import SOURCES
from leaderboard.standings import StandingsRow


@dataclass(frozen=True, slots=True)
class Figure:
    """``drawing`` is Plotly's data; ``table`` holds the same numbers as text.

    ``files`` are the addresses of both as files, by kind.
    """

    key: str
    title: str
    reading: str
    drawing: dict[str, Any]
    headings: Sequence[str | Promise]
    table: Sequence[Sequence[str]]
    files: Mapping[str, str] = field(default_factory=dict)

    @property
    def data_id(self) -> str:
        return f"{self.key}-data"


@dataclass(frozen=True, slots=True)
class ExplorePage:
    selection: Selection
    figures: Sequence[Figure]
    cost_links: dict[str, str]
    back: str


def explore_page(selection: Selection) -> ExplorePage:
    """Figures of the shown, ranked rows of ``selection``, in their order."""
    rows, query = selection.rows, selection.query
    found = (_cost(selection), _sources(rows), _builds(rows))
    links = figure_links(selection, whole=False)
    address = selection.snapshot.get_absolute_url()
    return ExplorePage(
        selection=selection,
        figures=[
            replace(figure, files=links[figure.key])
            for figure in found
            if figure is not None
        ],
        cost_links={name: href(query, cost=name) for name in ("tokens", "time")},
        back=address + href(query, snapshot=None).removesuffix("?"),
    )


def _cost(selection: Selection) -> Figure | None:
    tokens = [row.in_scope.tokens_per_task for row in selection.rows]
    unit = token_unit(max((each for each in tokens if each is not None), default=None))
    points = cost_points(selection.rows, selection.cost_axis, unit=unit)
    points = [point for point in points if point.cost > 0]
    if not points:
        return None
    best = frontier(points)
    if selection.cost_axis == "time":
        label = _("Seconds per task (log scale)")
    elif unit == MILLION:
        label = _("Million tokens per task (log scale)")
    else:
        label = _("Thousand tokens per task (log scale)")
    completion = _("Task Completion (%)")
    return Figure(
        key="cost",
        title=_("What does a completed task cost?"),
        reading=_(
            "Up and to the left is better. Filled dots are beaten by none on both axes "
            "at once; the line joins them. Whiskers are run ranges."
        ),
        drawing=cost_figure(points, cost_label=label, completion_label=completion),
        headings=[_("Configuration"), label, completion, _("On the frontier")],
        table=[
            [
                point.name,
                f"{point.cost:,.2f}",
                f"{point.mean:.2f} [{point.low:.2f}–{point.high:.2f}]",
                _("yes") if point in best else _("no"),
            ]
            for point in points
        ],
    )


def _sources(rows: Sequence[StandingsRow]) -> Figure | None:
    known = [source for source in SOURCES if all(source in row.figures for row in rows)]
    if not rows or not known:
        return None
    labels = [str(TaskSource(source.value).label) for source in known]
    means = {
        source: [row.figures[source].task_completion.mean for row in rows]
        for source in known
    }
    names = _names(rows)
    return Figure(
        key="sources",
        title=_("Where do agents fail?"),
        reading=_("Task Completion of each configuration on each task source."),
        drawing=marks_figure(
            names,
            [
                Series(
                    label, source.value, [float(mean * 100) for mean in means[source]]
                )
                for source, label in zip(known, labels, strict=True)
            ],
            label=_("Task Completion (%)"),
        ),
        headings=[_("Configuration"), *labels],
        table=[
            [name, *(percent(means[source][place]) for source in known)]
            for place, name in enumerate(names)
        ],
    )


def _builds(rows: Sequence[StandingsRow]) -> Figure | None:
    if not rows:
        return None
    names = _names(rows)
    steps = (
        (_("First build"), "line-strong", [row.in_scope.first_build for row in rows]),
        (_("Final build"), "subtle", [row.in_scope.final_build for row in rows]),
        (
            _("Completed"),
            "accent",
            [row.in_scope.task_completion.mean for row in rows],
        ),
    )
    return Figure(
        key="builds",
        title=_("From build to behavior"),
        reading=_(
            "Share of task runs, in percent. Compile repair lifts the first build to "
            "the final one; behavior checks decide the rest."
        ),
        drawing=bars_figure(
            names,
            [
                Series(
                    label,
                    tone,
                    [None if rate is None else float(rate * 100) for rate in rates],
                )
                for label, tone, rates in steps
            ],
            label=_("Task runs (%)"),
        ),
        headings=[_("Configuration"), *(label for label, _tone, _rates in steps)],
        table=[
            [name, *(percent(rates[place]) for _label, _tone, rates in steps)]
            for place, name in enumerate(names)
        ],
    )


def _names(rows: Sequence[StandingsRow]) -> list[str]:
    return [row.evaluation.configuration.model for row in rows]
