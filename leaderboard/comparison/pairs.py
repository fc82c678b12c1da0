"""Two evaluations that were run under equal conditions, in numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal, NamedTuple

from leaderboard.comparison.members import Member
from leaderboard.metrics import Scope
from leaderboard.models import Task
from leaderboard.paired import (
    Interval,
    PairTable,
    Rule,
    bootstrap_interval,
    mcnemar_exact,
    pair_table,
)
from leaderboard.standings import ScopeFigures

Overlap = Literal["overlap", "first_above", "second_above"]
Groups = Mapping[str, Sequence[int]]

# Tasks times squared runs (153 x 9 in v1.0): beyond, the exact sums take seconds.
_BOOTSTRAP_LIMIT = 20_000


class ScopeDifference(NamedTuple):
    """Mean Task Completion of the first minus the second, and how ranges lie."""

    scope: Scope
    completed: int
    task_completion: Fraction
    overlap: Overlap


class TaskCounts(NamedTuple):
    """A set of tasks: completed task runs of each side, and the tasks by cell."""

    name: str
    task_count: int
    first_completed: int
    second_completed: int
    table: PairTable


@dataclass(frozen=True, slots=True)
class Pair:
    """Two members under equal conditions.

    ``differences`` is empty where no verdict may be given; everything from ``table`` on
    is None or empty where the outcomes of single tasks are not held for both.
    ``bootstrap`` is also None where there are too many runs to sum up.
    """

    first: Member
    second: Member
    differences: Sequence[ScopeDifference]
    table: PairTable | None = None
    sources: Sequence[TaskCounts] = ()
    kits: Sequence[TaskCounts] = ()
    majority: PairTable | None = None
    mcnemar: Fraction | None = None
    bootstrap: Interval | None = None


def pair_of(
    first: Member,
    second: Member,
    *,
    tasks: Sequence[Task],
    kits: Groups,
    rule: Rule,
    verdict: bool,
) -> Pair:
    """The numbers of two members; ``kits`` gives the places of its tasks by Kit.

    Without ``verdict`` no difference is stated.
    """
    differences = _differences(first, second) if verdict else []
    if first.outcomes is None or second.outcomes is None:
        return Pair(first=first, second=second, differences=differences)
    run_count = first.evaluation.run_count
    mine = [first.completed_runs(task) for task in tasks]
    theirs = [second.completed_runs(task) for task in tasks]
    majority = pair_table(mine, theirs, run_count, rule=Rule.MAJORITY)

    def counts(groups: Groups) -> list[TaskCounts]:
        found = []
        for name, places in groups.items():
            a, b = [mine[each] for each in places], [theirs[each] for each in places]
            table = pair_table(a, b, run_count, rule=rule)
            found.append(TaskCounts(name, len(places), sum(a), sum(b), table))
        return found

    return Pair(
        first=first,
        second=second,
        differences=differences,
        table=pair_table(mine, theirs, run_count, rule=rule),
        sources=counts(_by_source(tasks)),
        kits=counts(kits),
        majority=majority,
        mcnemar=mcnemar_exact(majority.only_first, majority.only_second),
        bootstrap=bootstrap_interval(mine, theirs, run_count)
        if len(tasks) * run_count**2 <= _BOOTSTRAP_LIMIT
        else None,
    )


def _by_source(tasks: Sequence[Task]) -> Groups:
    places: dict[str, list[int]] = {scope.value: [] for scope in Scope}
    for place, task in enumerate(tasks):
        places[task.source].append(place)
    return {name: found for name, found in places.items() if found}


def _differences(first: Member, second: Member) -> list[ScopeDifference]:
    return [
        ScopeDifference(
            scope=scope,
            completed=mine.completed_count - theirs.completed_count,
            task_completion=mine.task_completion.mean - theirs.task_completion.mean,
            overlap=_overlap(mine, theirs),
        )
        for scope, mine in first.figures.items()
        if (theirs := second.figures.get(scope)) is not None
    ]


def _overlap(mine: ScopeFigures, theirs: ScopeFigures) -> Overlap:
    """Ranges that touch overlap, as in the leading group."""
    if mine.task_completion.low > theirs.task_completion.high:
        return "first_above"
    if theirs.task_completion.low > mine.task_completion.high:
        return "second_above"
    return "overlap"
