"""Stored totals: written when a run or an evaluation closes, recomputed to check.

Call the writers inside the transaction that closes the run or the evaluation.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from django.db import transaction
from django.db.models import Count, F, Q, QuerySet, Sum

from leaderboard.metrics import Scope, total_or_none
from leaderboard.models import COUNTS, Evaluation, Run, ScopeTotals, TaskResult

COUNTED_FIELDS = (
    "task_count",
    "run_count",
    "completed_count",
    "completed_by_run",
    "first_build_count",
    "final_build_count",
    "total_tokens",
    "agent_milliseconds",
)


class TotalsError(Exception):
    """The rows do not allow totals to be written."""


class IncompleteRunError(TotalsError):
    """A run lacks the result of some task of its snapshot."""

    def __init__(self, run: Run, *, result_count: int, task_count: int) -> None:
        super().__init__(
            f"Run {run.number} of evaluation {run.evaluation_id} has results for "
            f"{result_count} of {task_count} tasks. Finish the missing ones first; "
            "a rate never divides by the rows that happen to exist."
        )


class IncompleteEvaluationError(TotalsError):
    """An evaluation lacks some of its runs."""

    def __init__(self, evaluation: Evaluation, *, run_count: int) -> None:
        super().__init__(
            f"Evaluation {evaluation.pk} has {run_count} of {evaluation.run_count} "
            "runs. Finish the missing ones first."
        )


@dataclass(frozen=True, slots=True)
class _Counts:
    """Counts over the task runs of one run in one scope; None = not reported."""

    result_count: int
    completed: int
    first_built: int | None
    final_built: int
    tokens: int | None
    milliseconds: int | None


_NOTHING = _Counts(0, 0, None, 0, None, None)
_ByScope: TypeAlias = Mapping[Scope, _Counts]


def write_run_totals(run: Run) -> list[ScopeTotals]:
    """Write the totals of a finished run; raise IncompleteRunError if it is not."""
    return _write(run_totals(run))


def write_summary(evaluation: Evaluation) -> list[ScopeTotals]:
    """Write the totals over all runs of an evaluation whose runs are all finished."""
    return _write(summary_totals(evaluation))


def run_totals(run: Run) -> list[ScopeTotals]:
    """The totals of ``run`` by scope as its results give them, not saved."""
    counts = _counts_by_run(run.evaluation, TaskResult.objects.filter(run=run))
    return _all_scopes(run.evaluation, {run: counts[run.pk]}, of_run=run)


def summary_totals(evaluation: Evaluation) -> list[ScopeTotals]:
    """The totals over all runs by scope as the results give them, not saved."""
    runs = list(evaluation.runs.order_by("number"))
    if len(runs) != evaluation.run_count:
        raise IncompleteEvaluationError(evaluation, run_count=len(runs))
    counts = _counts_by_run(
        evaluation, TaskResult.objects.filter(run__evaluation=evaluation)
    )
    return _all_scopes(evaluation, {run: counts[run.pk] for run in runs}, of_run=None)


def _counts_by_run(
    evaluation: Evaluation, results: QuerySet[TaskResult]
) -> defaultdict[int, dict[Scope, _Counts]]:
    """Counts by run and scope; one query, whatever the number of results."""
    rows = (
        results.filter(task__snapshot=evaluation.snapshot_id)
        .order_by()
        .values("run_id", source=F("task__source"))
        .annotate(
            result_count=Count("pk"),
            completed=Count("pk", filter=COUNTS),
            first_reported=Count("first_build_ok"),
            first_built=Count("pk", filter=Q(first_build_ok=True)),
            final_built=Count("pk", filter=Q(final_build_ok=True)),
            tokens_reported=Count("total_tokens"),
            tokens=Sum("total_tokens"),
            times_reported=Count("agent_milliseconds"),
            milliseconds=Sum("agent_milliseconds"),
        )
    )
    counts: defaultdict[int, dict[Scope, _Counts]] = defaultdict(dict)
    for row in rows:
        counts[row["run_id"]][Scope(row["source"])] = _counts(row)
    for by_scope in counts.values():
        by_scope[Scope.OVERALL] = _added(by_scope.values())
    return counts


def _counts(row: Mapping[str, Any]) -> _Counts:
    everything = row["result_count"]
    return _Counts(
        result_count=everything,
        completed=row["completed"],
        first_built=row["first_built"] if row["first_reported"] == everything else None,
        final_built=row["final_built"],
        tokens=row["tokens"] if row["tokens_reported"] == everything else None,
        milliseconds=row["milliseconds"]
        if row["times_reported"] == everything
        else None,
    )


def _added(parts: Iterable[_Counts]) -> _Counts:
    """Counts of several runs or scopes together; unknown if any part is unknown."""
    parts = list(parts)
    return _Counts(
        result_count=sum(part.result_count for part in parts),
        completed=sum(part.completed for part in parts),
        first_built=total_or_none(part.first_built for part in parts),
        final_built=sum(part.final_built for part in parts),
        tokens=total_or_none(part.tokens for part in parts),
        milliseconds=total_or_none(part.milliseconds for part in parts),
    )


def _all_scopes(
    evaluation: Evaluation, by_run: Mapping[Run, _ByScope], *, of_run: Run | None
) -> list[ScopeTotals]:
    """Totals of every scope of the snapshot, whose task counts are the denominators."""
    task_counts = {
        Scope(row.scope): row.task_count for row in evaluation.snapshot.scopes.all()
    }
    if Scope.OVERALL not in task_counts:
        raise TotalsError(
            f"{evaluation.snapshot} has no task counts. Import its package again."
        )
    for run, by_scope in by_run.items():
        for scope, task_count in task_counts.items():
            found = by_scope.get(scope, _NOTHING).result_count
            if found != task_count:
                overall = by_scope.get(Scope.OVERALL, _NOTHING).result_count
                raise IncompleteRunError(
                    run, result_count=overall, task_count=task_counts[Scope.OVERALL]
                )
    return [
        _totals(
            ScopeTotals(
                evaluation=evaluation, run=of_run, scope=scope, task_count=task_count
            ),
            [by_scope[scope] for by_scope in by_run.values()],
        )
        for scope, task_count in task_counts.items()
    ]


def _totals(totals: ScopeTotals, by_run: list[_Counts]) -> ScopeTotals:
    together = _added(by_run)
    totals.run_count = len(by_run)
    totals.completed_count = together.completed
    totals.completed_by_run = [counts.completed for counts in by_run]
    totals.first_build_count = together.first_built
    totals.final_build_count = together.final_built
    totals.total_tokens = together.tokens
    totals.agent_milliseconds = together.milliseconds
    return totals


@transaction.atomic
def _write(totals: list[ScopeTotals]) -> list[ScopeTotals]:
    """Save ``totals``, in the place of earlier ones; other scopes' rows go."""
    first = totals[0]
    ScopeTotals.objects.filter(evaluation=first.evaluation, run=first.run).delete()
    return ScopeTotals.objects.bulk_create(totals)
