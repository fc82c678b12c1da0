"""Stored totals: written when a run or an evaluation closes.

Call the writers inside the transaction that closes the run or the evaluation.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from django.db import transaction

from leaderboard.counting import (
    NOTHING,
    ByScope,
    Figures,
    Place,
    count_results,
    figures,
)
from leaderboard.metrics import Scope
from leaderboard.models import Evaluation, Run, ScopeTotals
from leaderboard.passing.scoring import write_pass_totals
from leaderboard.passing.standings import is_by_pass_rate
from leaderboard.totals_errors import (
    IncompleteEvaluationError,
    IncompleteRunError,
    NoDenominatorsError,
)


class RunCounts(NamedTuple):
    """What the results of one run add up to, complete or not."""

    number: int
    by_scope: ByScope


class Measured(NamedTuple):
    """An evaluation by its key, and what its results are counted against."""

    evaluation: int
    run_count: int
    task_counts: Mapping[str, int]

    def of_run(self, run: RunCounts) -> dict[str, Figures]:
        """Figures of one run in every scope; IncompleteRunError where tasks lack."""
        return self._in_every_scope([run])

    def of_all_runs(self, runs: Sequence[RunCounts]) -> dict[str, Figures]:
        """Figures over all runs, in the order of their numbers."""
        if len(runs) != self.run_count:
            raise IncompleteEvaluationError(
                self.evaluation, found=len(runs), run_count=self.run_count
            )
        return self._in_every_scope(runs)

    def _in_every_scope(self, runs: Sequence[RunCounts]) -> dict[str, Figures]:
        if Scope.OVERALL not in self.task_counts:
            raise NoDenominatorsError(self.evaluation)
        for run in runs:
            for scope, task_count in self.task_counts.items():
                found = run.by_scope.get(scope, NOTHING).result_count
                if found != task_count:
                    raise IncompleteRunError(
                        run.number,
                        evaluation=self.evaluation,
                        result_count=run.by_scope.get(
                            Scope.OVERALL, NOTHING
                        ).result_count,
                        task_count=self.task_counts[Scope.OVERALL],
                    )
        return {
            scope: figures(task_count, [run.by_scope[scope] for run in runs])
            for scope, task_count in self.task_counts.items()
        }


def write_run_totals(run: Run) -> list[ScopeTotals]:
    """Write the totals of a finished run; raise IncompleteRunError if it is not.

    None where the benchmark ranks by pass rate: that has figures over all runs only.
    """
    evaluation = run.evaluation
    if is_by_pass_rate(evaluation.snapshot):
        return []
    found = count_results(run=run)
    counts = RunCounts(run.number, found.get(Place(run.pk, evaluation.snapshot_id), {}))
    return _write(_measured(evaluation).of_run(counts), evaluation, of_run=run)


def write_summary(evaluation: Evaluation) -> list[ScopeTotals]:
    """Write the totals over all runs of an evaluation whose runs are all finished.

    Those by pass rate where the benchmark ranks by it; then none of these.
    """
    if is_by_pass_rate(evaluation.snapshot):
        write_pass_totals(evaluation)
        return []
    found = count_results(run__evaluation=evaluation)
    runs = [
        RunCounts(number, found.get(Place(pk, evaluation.snapshot_id), {}))
        for pk, number in evaluation.runs.order_by("number").values_list("pk", "number")
    ]
    return _write(_measured(evaluation).of_all_runs(runs), evaluation, of_run=None)


def _measured(evaluation: Evaluation) -> Measured:
    scopes = evaluation.snapshot.scopes.all()
    return Measured(
        evaluation.pk,
        evaluation.run_count,
        {row.scope: row.task_count for row in scopes},
    )


@transaction.atomic
def _write(
    by_scope: Mapping[str, Figures], evaluation: Evaluation, *, of_run: Run | None
) -> list[ScopeTotals]:
    """Save the figures in the place of earlier ones; other scopes' rows go."""
    ScopeTotals.objects.filter(evaluation=evaluation, run=of_run).delete()
    return ScopeTotals.objects.bulk_create(
        ScopeTotals(evaluation=evaluation, run=of_run, scope=scope, **found._asdict())
        for scope, found in by_scope.items()
    )
