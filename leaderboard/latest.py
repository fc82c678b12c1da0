"""What was published last, on any snapshot of the same kind, as a short list."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import date
from typing import Any, NamedTuple

from leaderboard.formats import percent
from leaderboard.metrics import Scope
from leaderboard.models import (
    Configuration,
    Evaluation,
    EvaluationSnapshot,
    ScopeTotals,
    Visibility,
    public_now,
)
from leaderboard.standings import figures

_SHOWN = 5
_SHOWN_FIELDS = ("id", "provenance", "simulated", "toolchain_facts")


class LatestResult(NamedTuple):
    """``completion`` is the mean overall, in percent; ``completed`` is the count."""

    evaluation: Evaluation
    day: date
    completion: str
    completed: str


def latest_beside(snapshot: EvaluationSnapshot, *, stored: bool) -> list[LatestResult]:
    """Those to show with a table of ``snapshot``: as ``stored`` with it, or a query."""
    if not stored:
        return latest_results(simulated=snapshot.device_profile_simulated)
    return from_json(snapshot.table_latest)  # type: ignore[attr-defined]  # set with it


def latest_results(*, simulated: bool) -> list[LatestResult]:
    """The newest first; one query.

    Those of simulated devices have a list of their own: beside the standings of real
    ones they could pass for such.
    """
    totals = (
        ScopeTotals.objects.filter(public_now("evaluation__"))
        .filter(run=None, scope=Scope.OVERALL, evaluation__published_at__isnull=False)
        .filter(evaluation__snapshot__device_profile_simulated=simulated)
        .select_related("evaluation__configuration", "evaluation__snapshot__benchmark")
        .order_by("-evaluation__published_at", "-evaluation__pk")
    )
    return [_result(each) for each in totals[:_SHOWN]]


def to_json(latest: Iterable[LatestResult]) -> list[list[Any]]:
    """What a list shows of ``latest``, to be stored with a table."""
    return [
        [
            {name: getattr(each.evaluation, name) for name in _SHOWN_FIELDS},
            each.evaluation.configuration.model,
            each.evaluation.snapshot.version,
            each.day.isoformat(),
            each.completion,
            each.completed,
        ]
        for each in latest
    ]


def from_json(stored: Iterable[Sequence[Any]]) -> list[LatestResult]:
    """The same again; the evaluations hold no more than a list shows."""
    return [
        LatestResult(
            Evaluation(
                configuration=Configuration(model=model),
                snapshot=EvaluationSnapshot(version=version),
                visibility=Visibility.PUBLIC,
                **fields,
            ),
            date.fromisoformat(day),
            *texts,
        )
        for fields, model, version, day, *texts in stored
    ]


def _result(totals: ScopeTotals) -> LatestResult:
    found, evaluation = figures(totals), totals.evaluation
    assert evaluation.published_at is not None  # noqa: S101 - the query asks for it
    return LatestResult(
        evaluation,
        evaluation.published_at.date(),
        percent(found.task_completion.mean),
        f"{found.completed_count}/{found.task_runs}",
    )
