"""The page of one evaluation: its scopes, runs, outcomes and stability."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import NamedTuple

from django.db.models import Count, Q, Sum

from leaderboard.charts import RunAxis, RunTicks, run_axis, run_ticks
from leaderboard.formats import MILLION, THOUSAND, file_size, percent
from leaderboard.history import HistoryEntry, public_history
from leaderboard.metrics import Scope
from leaderboard.models import (
    Artifact,
    Evaluation,
    Overruling,
    Run,
    ScopeTotals,
    TaskResult,
)
from leaderboard.outcomes import Outcome, order, outcome
from leaderboard.presenters.diagnostics import (
    KitRanking,
    Repairs,
    Stability,
    kits_of,
    repairs_of,
    stability_of,
)
from leaderboard.presenters.failures import SplitTable, split_table
from leaderboard.presenters.printed import (
    Difference,
    describe_differences,
    exact_differences,
)
from leaderboard.presenters.progress import HowFar, how_far
from leaderboard.presenters.rows import Figures, figures_text
from leaderboard.standings import ScopeFigures, figures


class ScopeRow(NamedTuple):
    scope: Scope
    task_count: int
    completed_count: int
    figures: Figures
    runs: RunTicks


class RunRow(NamedTuple):
    """One run. ``figures`` is None while the run is not finished."""

    run: Run
    figures: Figures | None
    artifact_count: int
    artifact_size: str


@dataclass(frozen=True, slots=True)
class Share:
    """A part of a whole; ``start`` and ``width`` are percentages of the drawing."""

    label: Outcome
    count: int
    percent: str
    start: float
    width: float


class Step(NamedTuple):
    """A step of the way from first build to completion."""

    name: str
    value: str
    width: float


@dataclass(frozen=True, slots=True)
class EvaluationPage:
    evaluation: Evaluation
    unit: int
    scopes: Sequence[ScopeRow]
    axis: RunAxis
    runs: Sequence[RunRow]
    unordered_runs: Sequence[tuple[str, str]]
    steps: Sequence[Step]
    outcomes: Sequence[Share]
    stability: Stability | None
    repairs: Repairs | None
    kits: KitRanking | None
    failures: SplitTable | None
    how_far: HowFar | None
    printed: Mapping[str, Sequence[Difference]]
    artifact_count: int
    history: Sequence[HistoryEntry]
    overrulings: Sequence[Overruling]

    @property
    def overall(self) -> ScopeRow | None:
        return next((row for row in self.scopes if row.scope == Scope.OVERALL), None)

    @property
    def unit_is_million(self) -> bool:
        return self.unit == MILLION

    @property
    def completed_as_measured(self) -> int:
        """Completed task runs without what maintainers have overruled."""
        counted = self.overall.completed_count if self.overall else 0
        return counted + len(self.overrulings)

    @property
    def has_task_results(self) -> bool:
        return bool(self.outcomes)


def evaluation_page(evaluation: Evaluation) -> EvaluationPage:
    """Everything the page shows, in a fixed number of queries."""
    totals = list(ScopeTotals.objects.filter(evaluation=evaluation))
    found = {Scope(each.scope): figures(each) for each in totals if each.run_id is None}
    summary = {scope: found[scope] for scope in Scope if scope in found}
    by_run = {
        each.run_id: figures(each)
        for each in totals
        if each.run_id is not None and each.scope == Scope.OVERALL
    }
    unit = _unit([*summary.values(), *by_run.values()])
    axis = run_axis(each.task_completion for each in summary.values())
    runs = _runs(evaluation, by_run, unit=unit)
    overall = summary.get(Scope.OVERALL)
    return EvaluationPage(
        evaluation=evaluation,
        unit=unit,
        scopes=[
            ScopeRow(
                scope=scope,
                task_count=each.task_count,
                completed_count=each.completed_count,
                figures=figures_text(each, unit),
                runs=run_ticks(each.completed_by_run, each.task_count, axis=axis),
            )
            for scope, each in summary.items()
        ],
        axis=axis,
        runs=runs,
        unordered_runs=_unordered_runs(evaluation, overall),
        steps=build_steps(overall) if overall else [],
        outcomes=_outcomes(evaluation),
        stability=stability_of(evaluation),
        repairs=repairs_of(evaluation),
        kits=kits_of(evaluation),
        failures=split_table(evaluation),
        how_far=how_far(evaluation),
        printed={
            scope.value: differences
            for scope, each in summary.items()
            if (differences := describe_differences(exact_differences(each)))
        },
        artifact_count=sum(run.artifact_count for run in runs),
        history=public_history(evaluation),
        overrulings=list(
            Overruling.objects.filter(
                result__run__evaluation=evaluation
            ).select_related("result__run", "result__task")
        ),
    )


def _unit(found: Sequence[ScopeFigures]) -> int:
    values = [each.tokens_per_task or Fraction(0) for each in found]
    return THOUSAND if values and max(values) < MILLION // 10 else MILLION


def _runs(
    evaluation: Evaluation, by_run: Mapping[int, ScopeFigures], *, unit: int
) -> list[RunRow]:
    stored = {
        run: (count, size)
        for run, count, size in Artifact.objects.kept()
        .filter(run__evaluation=evaluation)
        .order_by()
        .values_list("run")
        .annotate(Count("pk"), Sum("size_bytes"))
    }
    return [
        RunRow(
            run=run,
            figures=figures_text(by_run[run.pk], unit) if run.pk in by_run else None,
            artifact_count=stored.get(run.pk, (0, 0))[0],
            artifact_size=file_size(stored.get(run.pk, (0, 0))[1]),
        )
        for run in evaluation.runs.all()
    ]


def _unordered_runs(
    evaluation: Evaluation, overall: ScopeFigures | None
) -> list[tuple[str, str]]:
    """(count, percent) by rising count, where the order of the runs is not known."""
    if evaluation.runs_in_order or overall is None:
        return []
    return [
        (str(count), percent(Fraction(count, overall.task_count)))
        for count in sorted(overall.completed_by_run)
    ]


def build_steps(overall: ScopeFigures) -> list[Step]:
    """First build, final build, completion; what nobody reports is left out."""
    rates = (
        ("first_build", overall.first_build),
        ("final_build", overall.final_build),
        ("completed", overall.task_completion.mean),
    )
    return [
        Step(name, percent(rate), round(float(rate * 100), 2))
        for name, rate in rates
        if rate is not None
    ]


def _outcomes(evaluation: Evaluation) -> list[Share]:
    rows = (
        TaskResult.objects.filter(run__evaluation=evaluation)
        .annotate(overruled=Q(overruling__isnull=False))
        .order_by()
        .values_list("completed", "reason", "overruled")
        .annotate(Count("pk"))
    )
    counts = {
        outcome(completed=completed, reason=reason, overruled=overruled): count
        for completed, reason, overruled, count in rows
    }
    total, start, shares = sum(counts.values()), 0.0, []
    for each in sorted(counts, key=order):
        share = Fraction(counts[each], total)
        width = float(share * 100)
        shares.append(
            Share(each, counts[each], percent(share), round(start, 2), round(width, 2))
        )
        start += width
    return shares
