"""The evaluations of a comparison with their figures and outcomes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from leaderboard.metrics import Scope
from leaderboard.models import Evaluation, ScopeTotals, Task, TaskResult
from leaderboard.outcomes import COMPLETED, Outcome, outcome
from leaderboard.standings import ScopeFigures, figures


@dataclass(frozen=True, slots=True)
class Member:
    """One evaluation; ``outcomes`` by task and run, None where they are not held."""

    letter: str
    evaluation: Evaluation
    figures: Mapping[Scope, ScopeFigures]
    outcomes: Mapping[int, Mapping[int, Outcome]] | None

    def completed_runs(self, task: Task) -> int:
        """In how many runs the task was completed; needs ``outcomes``."""
        assert self.outcomes is not None  # noqa: S101 - asked for task by task only
        return sum(each.name == COMPLETED for each in self.outcomes[task.pk].values())


def members_of(
    evaluations: Mapping[str, Evaluation], *, with_outcomes: bool
) -> list[Member]:
    """Members by letter; the outcomes of all of them cost one query."""
    outcomes = _outcomes(evaluations.values()) if with_outcomes else {}
    return [
        _member(letter, evaluation, outcomes.get(evaluation.pk, {}))
        for letter, evaluation in evaluations.items()
    ]


def _member(
    letter: str, evaluation: Evaluation, found: dict[int, dict[int, Outcome]]
) -> Member:
    summary: list[ScopeTotals] = evaluation.summary  # type: ignore[attr-defined]  # set by with_totals()
    totals = {Scope(each.scope): figures(each) for each in summary}
    overall = totals.get(Scope.OVERALL)
    decided = sum(len(runs) for runs in found.values())
    whole = overall is not None and decided == overall.task_runs
    return Member(
        letter=letter,
        evaluation=evaluation,
        figures={scope: totals[scope] for scope in Scope if scope in totals},
        outcomes=found if whole else None,
    )


def _outcomes(
    evaluations: Iterable[Evaluation],
) -> dict[int, dict[int, dict[int, Outcome]]]:
    """Outcomes by evaluation, task and run; one query."""
    rows = (
        TaskResult.objects.filter(run__evaluation__in=evaluations)
        .order_by()
        .values_list(
            "run__evaluation",
            "task",
            "run__number",
            "completed",
            "reason",
            "overruling",
        )
    )
    found: dict[int, dict[int, dict[int, Outcome]]] = {}
    for evaluation, task, number, completed, reason, overruling in rows:
        runs = found.setdefault(evaluation, {}).setdefault(task, {})
        runs[number] = outcome(
            completed=completed, reason=reason, overruled=overruling is not None
        )
    return found
