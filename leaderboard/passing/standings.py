"""Standings by pass rate of one snapshot, over all tasks or in one stream."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from fractions import Fraction

from django.db.models import OuterRef, Prefetch, QuerySet

from leaderboard.metrics import RunRange, pass_ranks, rank_spans
from leaderboard.models import (
    Evaluation,
    EvaluationSnapshot,
    PassTotals,
    ScoringPolicy,
    Stream,
)
from leaderboard.models.nested import nested
from leaderboard.models.results import Strike
from leaderboard.passing.figures import PassFigures, pass_figures
from leaderboard.standings import OtherPolicyError


@dataclass(frozen=True, slots=True)
class PassRow:
    """One evaluation. ``rank`` is None where it must not be ranked.

    ``rank_span`` are the places that confidence intervals leave open; None unless every
    ranked row has one.
    """

    evaluation: Evaluation
    figures: PassFigures
    rank: int | None = None
    tied_count: int = 1
    rank_span: tuple[int, int] | None = None

    @property
    def rank_label(self) -> str:
        """The rank with "=" where it is shared; empty without a rank."""
        if self.rank is None:
            return ""
        return f"{self.rank}=" if self.tied_count > 1 else str(self.rank)


@dataclass(frozen=True, slots=True)
class PassStandings:
    """``rows`` are ranked; ``unranked`` stand apart; ``strikes`` stay on record."""

    snapshot: EvaluationSnapshot
    stream: Stream | None
    rows: Sequence[PassRow]
    unranked: Sequence[PassRow]
    strikes: Sequence[tuple[Evaluation, Strike]]


def is_by_pass_rate(snapshot: EvaluationSnapshot) -> bool:
    return snapshot.benchmark.policy == ScoringPolicy.PASS_AND_COMPLETION


def with_pass_totals(evaluations: QuerySet[Evaluation]) -> QuerySet[Evaluation]:
    """Attach the totals, with their streams in order, as ``pass_summary``."""
    totals = PassTotals.objects.select_related("stream").order_by("stream__position")
    return evaluations.prefetch_related(
        Prefetch("pass_totals", queryset=totals, to_attr="pass_summary")
    )


def figures_of(
    evaluation: Evaluation, stream: Stream | None = None
) -> PassFigures | None:
    """The figures of one that has its ``pass_summary``; None without any."""
    summary: list[PassTotals] = evaluation.pass_summary  # type: ignore[attr-defined]  # attached by whoever read it
    key = None if stream is None else stream.pk
    return next((pass_figures(each) for each in summary if each.stream_id == key), None)


def pass_standings(
    snapshot: EvaluationSnapshot,
    stream: Stream | None = None,
    *,
    until: datetime | None = None,
) -> PassStandings:
    """Rank the public evaluations of ``snapshot`` by pass rate, then completion rate.

    One query. ``until`` shows them as they were just before it.
    """
    if not is_by_pass_rate(snapshot):
        raise OtherPolicyError(snapshot)
    shown = Evaluation.objects.on_record().filter(snapshot=snapshot)
    if until is not None:
        shown = shown.filter(published_at__lt=until)
    ranked: list[PassRow] = []
    apart: list[PassRow] = []
    strikes = []
    totals = PassTotals.objects.filter(evaluation=OuterRef("pk"), stream=stream)
    shown = shown.select_related("configuration").annotate(pass_summary=nested(totals))
    for evaluation in shown:
        strike = evaluation.strike(until)
        figures = figures_of(evaluation, stream)
        if strike is not None:
            strikes.append((evaluation, strike))
        elif figures is not None:
            row = PassRow(evaluation, figures)
            (ranked if _rankable(row, snapshot) else apart).append(row)
    return PassStandings(
        snapshot=snapshot,
        stream=stream,
        rows=_ranked(ranked),
        unranked=sorted(apart, key=_display_order),
        strikes=strikes,
    )


def _rankable(row: PassRow, snapshot: EvaluationSnapshot) -> bool:
    evaluation = row.evaluation
    return (
        evaluation.eligible
        and evaluation.comparability_key == snapshot.comparability_key
        and not evaluation.differing_fields
        and row.figures.standing is not None
    )


def _display_order(row: PassRow) -> tuple[Fraction, Fraction, str, int]:
    found = row.figures
    return (
        -(found.pass_rate if found.pass_rate is not None else Fraction(-1)),
        -(found.completion_rate if found.completion_rate is not None else Fraction(-1)),
        row.evaluation.configuration.model.casefold(),
        row.evaluation.pk,
    )


def _ranked(rows: Sequence[PassRow]) -> list[PassRow]:
    ordered = sorted(rows, key=_display_order)
    standings = [each for row in ordered if (each := row.figures.standing) is not None]
    ranks = pass_ranks(standings)
    shared = Counter(ranks)
    spans = _spans(ordered)
    return [
        replace(
            row,
            rank=rank,
            tied_count=shared[rank],
            rank_span=spans[place] if spans else None,
        )
        for place, (row, rank) in enumerate(zip(ordered, ranks, strict=True))
    ]


def _spans(rows: Sequence[PassRow]) -> list[tuple[int, int]]:
    """None of them where some row has no interval, or one of another level."""
    ranges, levels = [], set()
    for row in rows:
        found = row.figures
        if found.interval is None or found.pass_rate is None:
            return []
        levels.add(found.interval.level)
        low, high = found.interval.low, found.interval.high
        ranges.append(RunRange(found.pass_rate, low, high))
    return rank_spans(ranges) if len(levels) == 1 else []
