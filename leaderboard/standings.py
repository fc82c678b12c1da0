"""Standings: ranks, ties, rank spans and the leading group of one snapshot and scope.

Built from :class:`ScopeTotals` alone, so a table costs two queries whatever its size.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from fractions import Fraction
from typing import Any

from leaderboard.metrics import (
    RunRange,
    Scope,
    competition_ranks,
    in_leading_group,
    mean_per_task,
    mean_rate,
    rank_spans,
    run_range,
)
from leaderboard.models import (
    Configuration,
    Evaluation,
    EvaluationSnapshot,
    ScopeTotals,
)
from leaderboard.models.results import EvaluationQuerySet, Strike


@dataclass(frozen=True, slots=True)
class ScopeFigures:
    """The figures of one evaluation (or one run) in one scope, exact.

    Rates are fractions of 1; tokens are tokens, times seconds; None = not reported.
    """

    scope: Scope
    task_count: int
    run_count: int
    completed_count: int
    completed_by_run: tuple[int, ...]
    task_completion: RunRange
    first_build_count: int | None
    first_build: Fraction | None
    final_build_count: int
    final_build: Fraction
    tokens_per_task: Fraction | None
    seconds_per_task: Fraction | None
    printed: Mapping[str, str]

    @property
    def task_runs(self) -> int:
        """The denominator: tasks in scope times runs."""
        return self.task_count * self.run_count


def figures(totals: ScopeTotals) -> ScopeFigures:
    """The exact figures that follow from stored totals."""
    n, k = totals.task_count, totals.run_count
    milliseconds = mean_per_task(totals.agent_milliseconds, n, run_count=k)
    return ScopeFigures(
        scope=Scope(totals.scope),
        task_count=n,
        run_count=k,
        completed_count=totals.completed_count,
        completed_by_run=tuple(totals.completed_by_run),
        task_completion=run_range(totals.completed_by_run, n),
        first_build_count=totals.first_build_count,
        first_build=None
        if totals.first_build_count is None
        else mean_rate(totals.first_build_count, n, run_count=k),
        final_build_count=totals.final_build_count,
        final_build=mean_rate(totals.final_build_count, n, run_count=k),
        tokens_per_task=mean_per_task(totals.total_tokens, n, run_count=k),
        seconds_per_task=None if milliseconds is None else milliseconds / 1000,
        printed=totals.printed,
    )


@dataclass(frozen=True, slots=True)
class StandingsRow:
    """One evaluation in a table. ``rank`` is None where it must not be ranked."""

    evaluation: Evaluation
    figures: Mapping[Scope, ScopeFigures]
    scope: Scope
    rank: int | None = None
    rank_label: str = ""
    rank_span: tuple[int, int] | None = None
    leading_group: bool = False

    @property
    def in_scope(self) -> ScopeFigures:
        return self.figures[self.scope]


@dataclass(frozen=True, slots=True)
class Standings:
    """The table of one snapshot and scope, ordered.

    ``rows`` are ranked together; ``unranked`` stand apart because conditions differ,
    trajectories are missing, or the numbers are self-reported; ``withdrawn`` and
    disqualified ones keep their place in the record. With ``until`` all of it is as it
    was just before that time.
    """

    snapshot: EvaluationSnapshot
    scope: Scope
    rows: tuple[StandingsRow, ...]
    unranked: tuple[StandingsRow, ...]
    withdrawn: tuple[Evaluation, ...]
    until: datetime | None = None

    @property
    def strikes(self) -> list[tuple[Evaluation, Strike]]:
        """The withdrawn and disqualified ones with what struck them out."""
        found = [(each, each.strike(self.until)) for each in self.withdrawn]
        return [(each, strike) for each, strike in found if strike is not None]


def standings(
    snapshot: EvaluationSnapshot,
    scope: Scope = Scope.OVERALL,
    *,
    until: datetime | None = None,
) -> Standings:
    """Rank the public evaluations of ``snapshot`` by mean Task Completion in ``scope``.

    Only rows with the snapshot's comparability key are ranked. The order inside a tie
    is by name and means nothing. ``until`` ranks those that were public just before it;
    one that was struck out later stands where it stood.
    """
    shown = list(_on_record(snapshot, until))
    public = [_unranked_row(e, scope) for e in shown if e.strike(until) is None]
    ranked = [row for row in public if _rankable(row.evaluation, snapshot)]
    apart = [row for row in public if not _rankable(row.evaluation, snapshot)]
    return Standings(
        snapshot=snapshot,
        scope=scope,
        rows=_ranked(ranked, scope),
        unranked=tuple(sorted(apart, key=_display_order)),
        withdrawn=tuple(e for e in shown if e.strike(until) is not None),
        until=until,
    )


def _on_record(
    snapshot: EvaluationSnapshot, until: datetime | None
) -> EvaluationQuerySet:
    found = Evaluation.objects.on_record().filter(snapshot=snapshot)
    if until is not None:
        found = found.filter(published_at__lt=until)
    return found.select_related("configuration").with_totals()


def _rankable(evaluation: Evaluation, snapshot: EvaluationSnapshot) -> bool:
    return (
        evaluation.comparable
        and evaluation.comparability_key == snapshot.comparability_key
    )


def _unranked_row(evaluation: Evaluation, scope: Scope) -> StandingsRow:
    summary: list[ScopeTotals] = evaluation.summary  # type: ignore[attr-defined]  # set by with_totals()
    return StandingsRow(
        evaluation=evaluation,
        figures={Scope(totals.scope): figures(totals) for totals in summary},
        scope=scope,
    )


def _display_order(row: StandingsRow) -> tuple[Fraction, str, int]:
    configuration = row.evaluation.configuration
    return (
        -row.in_scope.task_completion.mean,
        configuration.model.casefold(),
        row.evaluation.pk,
    )


def _ranked(rows: list[StandingsRow], scope: Scope) -> tuple[StandingsRow, ...]:
    ordered = sorted(rows, key=_display_order)
    ranges = [row.in_scope.task_completion for row in ordered]
    ranks = competition_ranks([each.mean for each in ranges])
    shared = Counter(ranks)
    # Tied leaders share the anchor: the lowest of their lowest runs.
    anchor = min(
        (each.low for each, rank in zip(ranges, ranks, strict=True) if rank == 1),
        default=Fraction(0),
    )
    return tuple(
        StandingsRow(
            evaluation=row.evaluation,
            figures=row.figures,
            scope=scope,
            rank=rank,
            rank_label=f"{rank}=" if shared[rank] > 1 else str(rank),
            rank_span=span,
            leading_group=in_leading_group(mine, anchor),
        )
        for row, rank, span, mine in zip(
            ordered, ranks, rank_spans(ranges), ranges, strict=True
        )
    )


def row_as_dict(row: StandingsRow) -> dict[str, Any]:
    """One row as the API and ``manage.py standings`` give it; rates are of 1."""
    evaluation = row.evaluation
    return {
        "rank": row.rank,
        "rank_label": row.rank_label or None,
        "rank_span": list(row.rank_span) if row.rank_span else None,
        "leading_group": row.leading_group,
        "configuration": configuration_as_dict(evaluation.configuration),
        "provenance": evaluation.provenance,
        "simulated": evaluation.simulated,
        "unverified": evaluation.unverified,
        "differing_fields": evaluation.differing_fields,
        "runs_in_order": evaluation.runs_in_order,
        "run_order": evaluation.run_order,
        **figures_as_dict(row.in_scope),
        "published_at": as_text(evaluation.published_at),
        "struck_out_at": as_text(evaluation.struck_out_at),
        "withdrawn_reason": evaluation.withdrawn_reason,
        "evaluation_url": evaluation.get_absolute_url(),
    }


def configuration_as_dict(configuration: Configuration) -> dict[str, Any]:
    return {
        "model": configuration.model,
        "provider": configuration.provider,
        "family": configuration.family,
        "agent": configuration.agent_name,
        "agent_version": configuration.agent_version,
        "run_parameters": configuration.run_parameters,
    }


def figures_as_dict(found: ScopeFigures) -> dict[str, Any]:
    """Counts and rates of one scope; None is "not reported"."""
    return {
        "task_count": found.task_count,
        "run_count": found.run_count,
        "task_runs": found.task_runs,
        "completed": found.completed_count,
        "completed_by_run": list(found.completed_by_run),
        "task_completion": {
            "mean": float(found.task_completion.mean),
            "min": float(found.task_completion.low),
            "max": float(found.task_completion.high),
            "runs": [count / found.task_count for count in found.completed_by_run],
        },
        "first_build": _number(found.first_build),
        "first_build_count": found.first_build_count,
        "final_build": float(found.final_build),
        "final_build_count": found.final_build_count,
        "tokens_per_task": _number(found.tokens_per_task),
        "seconds_per_task": _number(found.seconds_per_task),
        "printed": dict(found.printed),
    }


def _number(value: Fraction | None) -> float | None:
    return None if value is None else float(value)


def as_text(value: datetime | None) -> str | None:
    """A time in UTC as the API writes it."""
    return None if value is None else value.isoformat().replace("+00:00", "Z")
