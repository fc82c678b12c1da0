"""Figures as data: positions and labels worked out here, drawn as SVG by templates.

Nothing in here knows a language or a color; templates bring words and classes.
"""

from leaderboard.charts.badges import Badge, badge
from leaderboard.charts.bars import Bar, BarDrawing, bar_drawing
from leaderboard.charts.cost import CostPoint, CostScatter, cost_scatter
from leaderboard.charts.runs import RunAxis, RunTicks, run_axis, run_ticks
from leaderboard.charts.sources import SourceDots, source_dots

__all__ = [
    "Badge",
    "Bar",
    "BarDrawing",
    "CostPoint",
    "CostScatter",
    "RunAxis",
    "RunTicks",
    "SourceDots",
    "badge",
    "bar_drawing",
    "cost_scatter",
    "run_axis",
    "run_ticks",
    "source_dots",
]
