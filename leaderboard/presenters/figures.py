"""The figures beside a standings table, from its ranked rows."""

from __future__ import annotations

from collections.abc import Sequence

from leaderboard.charts import CostPoint, SourceDots, source_dots
from leaderboard.formats import percent
from leaderboard.ranking.orders import SOURCES
from leaderboard.standings import StandingsRow


def cost_points(
    rows: Sequence[StandingsRow], axis: str, *, unit: int
) -> list[CostPoint]:
    """Points on ``axis``, tokens in ``unit`` or time; rows without it are left out."""
    points = []
    for row in rows:
        found = row.in_scope
        tokens = None if found.tokens_per_task is None else found.tokens_per_task / unit
        cost = tokens if axis == "tokens" else found.seconds_per_task
        if cost is None:
            continue
        points.append(
            CostPoint(
                name=row.evaluation.configuration.model,
                url=row.evaluation.get_absolute_url(),
                cost=float(cost),
                mean=float(found.task_completion.mean * 100),
                low=float(found.task_completion.low * 100),
                high=float(found.task_completion.high * 100),
            )
        )
    return points


def dots(rows: Sequence[StandingsRow]) -> SourceDots | None:
    """Task Completion of each row on each source that the snapshot has."""
    return source_dots(
        [
            (
                row.evaluation.configuration.model,
                {
                    source.value: (
                        float(row.figures[source].task_completion.mean * 100),
                        percent(row.figures[source].task_completion.mean),
                    )
                    for source in SOURCES
                    if source in row.figures
                },
            )
            for row in rows
        ]
    )
