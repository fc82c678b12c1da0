"""How long the stages take, from the attempts that were accepted."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta

from django.db.models import (
    Count,
    DurationField,
    ExpressionWrapper,
    F,
    Q,
    QuerySet,
    Window,
)
from django.db.models.functions import RowNumber

from evaluator.models import Attempt, Stage


@dataclass(frozen=True, slots=True)
class StageTimes:
    """Nearest-rank percentiles of one stage over ``count`` accepted attempts."""

    stage: Stage
    count: int
    median: timedelta
    ninetieth: timedelta


def stage_times(attempts: QuerySet[Attempt]) -> dict[Stage, StageTimes]:
    """Median and 90th percentile by stage, in one query; the database sorts.

    The p-th percentile is the row whose place is the first at or past p % of all.
    """
    placed = (
        attempts.filter(accepted=True, ended_at__isnull=False)
        .annotate(
            took=ExpressionWrapper(
                F("ended_at") - F("started_at"), output_field=DurationField()
            )
        )
        .annotate(
            place=Window(
                RowNumber(), partition_by=F("stage"), order_by=F("took").asc()
            ),
            total=Window(Count("pk"), partition_by=F("stage")),
        )
    )
    wanted = placed.filter(_is_at(5) | _is_at(9)).order_by("stage", "place")
    rows: dict[str, list[tuple[int, timedelta]]] = {}
    for stage, total, took in wanted.values_list("stage", "total", "took"):
        rows.setdefault(stage, []).append((total, took))
    return {
        Stage(stage): StageTimes(
            Stage(stage), found[0][0], median=found[0][1], ninetieth=found[-1][1]
        )
        for stage, found in rows.items()
    }


def _is_at(tenths: int) -> Q:
    """The row whose place is ``tenths`` tenths of the total, rounded up."""
    return Q(place__gte=F("total") * tenths / 10.0) & Q(
        place__lt=F("total") * tenths / 10.0 + 1
    )
