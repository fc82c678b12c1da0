"""Standings: ranks, ties, rank spans and the leading group of one snapshot and scope.

Built from :class:`ScopeTotals` alone, so a table costs one query whatever its size.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from fractions import Fraction
from typing import Any, NamedTuple

from leaderboard.metrics import (
    RunRange,
    Scope,
    competition_ranks,
    in_leading_group,
    mean_per_task,
    mean_rate,
    on_one_scale,
    rank_spans,
    run_range,
)
from leaderboard.models import (
    ComparabilityDecision,
    Configuration,
    Evaluation,
    EvaluationSnapshot,
    ScopeTotals,
    ScoringPolicy,
)
from leaderboard.models.results import Strike


class OtherPolicyError(TypeError):
    """A table was asked of a snapshot whose benchmark is scored in another way."""

    def __init__(self, snapshot: EvaluationSnapshot) -> None:
        super().__init__(
            f"{snapshot} is scored by {snapshot.benchmark.policy}. Its figures stand "
            "in tables of that policy alone."
        )


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


class FiguresByScope(Mapping[Scope, ScopeFigures]):
    """The figures of each scope, worked out when they are first asked for."""

    def __init__(self, totals: Iterable[ScopeTotals]) -> None:
        self._totals = {Scope(each.scope): each for each in totals}
        self._known: dict[Scope, ScopeFigures] = {}

    def __getitem__(self, scope: Scope) -> ScopeFigures:
        if scope not in self._known:
            self._known[scope] = figures(self._totals[scope])
        return self._known[scope]

    def __iter__(self) -> Iterator[Scope]:
        return iter(self._totals)

    def __len__(self) -> int:
        return len(self._totals)


@dataclass(frozen=True, slots=True)
class StandingsRow:
    """One evaluation in a table. ``rank`` is None where it must not be ranked;
    ``tied_count`` rows share it.

    ``decision`` is what lets it be ranked here though its conditions differ.
    """

    evaluation: Evaluation
    figures: Mapping[Scope, ScopeFigures]
    scope: Scope
    decision: ComparabilityDecision | None = None
    rank: int | None = None
    tied_count: int = 1
    rank_span: tuple[int, int] | None = None
    leading_group: bool = False

    @property
    def in_scope(self) -> ScopeFigures:
        return self.figures[self.scope]

    @property
    def rank_label(self) -> str:
        """The rank with "=" where it is shared; empty without a rank."""
        if self.rank is None:
            return ""
        return f"{self.rank}=" if self.tied_count > 1 else str(self.rank)


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

    Only rows with the snapshot's comparability key are ranked, and those whose key was
    declared comparable with it. The order inside a tie is by name and means nothing.
    ``until`` ranks those that were public just before it, by the decisions of then; one
    that was struck out later stands where it stood.
    """
    _refuse_other_policies(snapshot)
    return _table(snapshot, scope, shown=_on_record(snapshot, until), until=until)


def every_standings(snapshot: EvaluationSnapshot) -> list[Standings]:
    """The present tables of all scopes that ``snapshot`` has, from one reading."""
    _refuse_other_policies(snapshot)
    shown = _on_record(snapshot, None)
    return [
        _table(snapshot, Scope(row.scope), shown=shown) for row in snapshot.scope_rows
    ]


def _refuse_other_policies(snapshot: EvaluationSnapshot) -> None:
    if snapshot.benchmark.policy != ScoringPolicy.TASK_COMPLETION:
        raise OtherPolicyError(snapshot)


def _table(
    snapshot: EvaluationSnapshot,
    scope: Scope,
    *,
    shown: Sequence[_Shown],
    until: datetime | None = None,
) -> Standings:
    public = [each.row(scope) for each in shown if not each.is_struck_out]
    ranked = [row for row in public if _rankable(row, snapshot)]
    apart = [row for row in public if not _rankable(row, snapshot)]
    return Standings(
        snapshot=snapshot,
        scope=scope,
        rows=_ranked(ranked, scope),
        unranked=tuple(_in_display_order(apart)),
        withdrawn=tuple(each.evaluation for each in shown if each.is_struck_out),
        until=until,
    )


class _Shown(NamedTuple):
    """An evaluation with what it has in every table."""

    evaluation: Evaluation
    figures: FiguresByScope
    decision: ComparabilityDecision | None
    is_struck_out: bool

    def row(self, scope: Scope) -> StandingsRow:
        return StandingsRow(self.evaluation, self.figures, scope, self.decision)


def _on_record(snapshot: EvaluationSnapshot, until: datetime | None) -> list[_Shown]:
    found = Evaluation.objects.on_record().filter(snapshot=snapshot)
    if until is not None:
        found = found.filter(published_at__lt=until)
    key = snapshot.comparability_key
    rows = found.select_related("configuration").with_totals()
    return [
        _Shown(
            each,
            FiguresByScope(each.summary),  # type: ignore[attr-defined]  # annotated
            next(iter(each.decided), None),  # type: ignore[attr-defined]  # annotated
            each.strike(until) is not None,
        )
        for each in rows.with_decisions(key, until)
    ]


def _rankable(row: StandingsRow, snapshot: EvaluationSnapshot) -> bool:
    evaluation = row.evaluation
    if not evaluation.eligible:
        return False
    if evaluation.comparability_key == snapshot.comparability_key:
        return not evaluation.differing_fields
    return row.decision is not None


def _in_display_order(rows: Sequence[StandingsRow]) -> list[StandingsRow]:
    """By falling mean; the order inside a tie is by name and means nothing."""
    means = on_one_scale([row.in_scope.task_completion.mean for row in rows])
    keys = [
        (-mean, row.evaluation.configuration.model.casefold(), row.evaluation.pk)
        for mean, row in zip(means, rows, strict=True)
    ]
    return [rows[place] for place in sorted(range(len(rows)), key=keys.__getitem__)]


def _ranked(rows: list[StandingsRow], scope: Scope) -> tuple[StandingsRow, ...]:
    ordered = _in_display_order(rows)
    ranges = [row.in_scope.task_completion for row in ordered]
    ranks = competition_ranks(on_one_scale([each.mean for each in ranges]))
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
            decision=row.decision,
            rank=rank,
            tied_count=shared[rank],
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
        "declared_comparable": decision_as_dict(row.decision),
        "runs_in_order": evaluation.runs_in_order,
        "run_order": evaluation.run_order,
        **figures_as_dict(row.in_scope),
        "published_at": as_text(evaluation.published_at),
        "struck_out_at": as_text(evaluation.struck_out_at),
        "withdrawn_reason": evaluation.withdrawn_reason,
        "evaluation_url": evaluation.get_absolute_url(),
    }


def strike_as_dict(evaluation: Evaluation, strike: Strike) -> dict[str, Any]:
    """A withdrawn or disqualified evaluation as the API gives it."""
    return {
        "model": evaluation.configuration.model,
        "provider": evaluation.configuration.provider,
        "visibility": strike.kind,
        "reason": strike.reason,
        "struck_out_at": as_text(strike.start),
        "evaluation_url": evaluation.get_absolute_url(),
    }


def decision_as_dict(decision: ComparabilityDecision | None) -> dict[str, Any] | None:
    """A decision for the public; nobody is named."""
    if decision is None:
        return None
    return {
        "comparability_keys": list(decision.keys),
        "differing_fields": decision.differing_fields,
        "reason": decision.reason,
        "at": as_text(decision.at),
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
