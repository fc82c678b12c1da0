"""Figures to zoom and hover: built here as Plotly's data, drawn by its script.

Names of strangers are escaped, for Plotly takes markup in texts. A trace names the
color token it wants (``meta.tone``); the page puts the color of the reader's theme in.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from html import escape
from typing import Any, NamedTuple

import plotly.graph_objects as go

from leaderboard.charts.cost import CostPoint, frontier
from leaderboard.charts.scales import Scale

_ROW, _FOOT = 30, 150
_NAME = 32  # Longer names would leave no room for the marks.
_SYMBOLS = ("circle", "diamond", "square")


class Series(NamedTuple):
    """One mark or bar a row, in percent; ``tone`` is a color token. None = unknown."""

    name: str
    tone: str
    values: Sequence[float | None]


def cost_figure(
    points: Sequence[CostPoint], *, cost_label: str, completion_label: str
) -> dict[str, Any]:
    """Completion against cost with run ranges and the frontier as a step line.

    ``points`` are one or more, with costs above 0.
    """
    best = frontier(points)
    others = [point for point in points if point not in best]
    figure = _figure()
    end = max(point.cost for point in points) * 1.2
    figure.add_scatter(
        x=[*(point.cost for point in best), end],
        y=[*(point.mean for point in best), best[-1].mean],
        mode="lines",
        line={"shape": "hv", "width": 1.5},
        hoverinfo="skip",
        meta={"tone": "accent"},
    )
    for group, tone, symbol in (
        (others, "line-strong", "circle-open"),
        (best, "accent", "circle"),
    ):
        figure.add_scatter(
            x=[point.cost for point in group],
            y=[point.mean for point in group],
            error_y={
                "type": "data",
                "symmetric": False,
                "array": [point.high - point.mean for point in group],
                "arrayminus": [point.mean - point.low for point in group],
                "width": 0,
                "thickness": 1,
            },
            mode="markers+text" if group is best else "markers",
            text=[_text(_short(point.name)) for point in group],
            # Neighbors on the frontier stand close: their names take turns.
            textposition=(["top left", "bottom right"] * len(group))[: len(group)],
            marker={"size": 10, "symbol": symbol},
            hovertemplate="%{text}<br>%{x:.3~f}<br>%{y:.2f} %<extra></extra>",
            meta={"tone": tone},
        )
    figure.update_layout(height=520, showlegend=False)
    low, high = (
        math.log10(each(point.cost for point in points)) for each in (min, max)
    )
    # Room for the name of the leftmost mark, which stands to its left.
    room = (high - low) * 0.2 or 0.1
    scale = Scale(10 ** (low - room), 10 ** (high + room), 0, 1, logarithmic=True)
    ticks = scale.ticks(9)
    figure.update_xaxes(
        type="log",
        title=_text(cost_label),
        tickvals=[float(tick.label.replace(",", "")) for tick in ticks],
        ticktext=[tick.label for tick in ticks],
        range=[low - room, high + room],
    )
    figure.update_yaxes(title=_text(completion_label))
    return _as_dict(figure)


def marks_figure(
    names: Sequence[str], series: Sequence[Series], *, label: str
) -> dict[str, Any]:
    """A row a name with one mark a series, told apart by shape and color."""
    figure = _figure()
    for place, each in enumerate(series):
        figure.add_scatter(
            x=list(each.values),
            y=list(range(len(names))),
            mode="markers",
            name=_text(each.name),
            text=[_text(name) for name in names],
            marker={"size": 10, "symbol": _SYMBOLS[place % len(_SYMBOLS)]},
            hovertemplate="%{text}<br>%{x:.2f} %<extra>%{fullData.name}</extra>",
            meta={"tone": each.tone},
        )
    return _with_rows(figure, names, label=label)


def bars_figure(
    names: Sequence[str], series: Sequence[Series], *, label: str
) -> dict[str, Any]:
    """A group of bars a name, from 0."""
    figure = _figure()
    for each in series:
        figure.add_bar(
            x=list(each.values),
            y=list(range(len(names))),
            orientation="h",
            name=_text(each.name),
            text=[_text(name) for name in names],
            textposition="none",
            hovertemplate="%{text}<br>%{x:.2f} %<extra>%{fullData.name}</extra>",
            meta={"tone": each.tone},
        )
    figure.update_layout(barmode="group", bargap=0.25)
    return _with_rows(figure, names, label=label)


def _text(text: str) -> str:
    """``text`` as Plotly shows it literally; it knows no entity for a quote."""
    return escape(text, quote=False)


def _short(name: str) -> str:
    return name if len(name) <= _NAME else f"{name[: _NAME - 1]}…"


def _figure() -> go.Figure:
    return go.Figure(layout={"template": go.layout.Template()})


def _with_rows(
    figure: go.Figure, names: Sequence[str], *, label: str
) -> dict[str, Any]:
    """Rows by number: two configurations may have the same name."""
    figure.update_layout(
        height=_FOOT + _ROW * len(names),
        legend={"orientation": "h", "y": 1, "yanchor": "bottom", "x": 0},
    )
    figure.update_xaxes(title=_text(label), range=[0, 100])
    figure.update_yaxes(
        autorange="reversed",
        tickvals=list(range(len(names))),
        ticktext=[_text(_short(name)) for name in names],
    )
    return _as_dict(figure)


def _as_dict(figure: go.Figure) -> dict[str, Any]:
    figure.update_layout(
        margin={"l": 60, "r": 20, "t": 40, "b": 60},
        paper_bgcolor="rgba(0,0,0,0)",
        plot_bgcolor="rgba(0,0,0,0)",
        hovermode="closest",
    )
    figure.update_xaxes(automargin=True, zeroline=False)
    figure.update_yaxes(automargin=True, zeroline=False)
    found: dict[str, Any] = figure.to_dict()
    return found
