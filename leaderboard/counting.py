"""Task results counted by run and scope, and the figures that follow from the counts.

What writes totals and what checks them count alike, because both count here.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, TypeAlias

from django.db import connections
from django.db.models import BigIntegerField, Count, Q, QuerySet, Sum
from django.db.models.functions import Cast

from leaderboard.metrics import Scope
from leaderboard.models import Overruling, TaskResult


class Counts(NamedTuple):
    """Counts over task runs; those of several runs or scopes add up field by field.

    A value that nobody reported is missing from its sum and from the number of reports
    beside it.
    """

    result_count: int
    completed: int
    first_reported: int
    first_built: int
    final_built: int
    tokens_reported: int
    tokens: int
    times_reported: int
    milliseconds: int


class Figures(NamedTuple):
    """The counted fields of ``ScopeTotals``; None where a task run did not report."""

    task_count: int
    run_count: int
    completed_count: int
    completed_by_run: list[int]
    first_build_count: int | None
    final_build_count: int
    total_tokens: int | None
    agent_milliseconds: int | None


class Place(NamedTuple):
    """A run, and the snapshot that the counted tasks belong to, by their keys."""

    run: int
    snapshot: int


ByScope: TypeAlias = Mapping[str, Counts]

NOTHING = Counts(*[0] * len(Counts._fields))


def count_results(**of: object) -> Mapping[Place, ByScope]:
    """Counts of the task results with the fields ``of``, or of all, in each scope.

    At most three queries, whatever there is. Results of another snapshot's tasks stand
    at a place of their own.
    """
    counts: defaultdict[Place, dict[str, Counts]] = defaultdict(dict)
    for run, snapshot, source, *numbers in plain_rows(_by_source(of)):
        counts[Place(run, snapshot)][source] = Counts(*numbers)
    for run, snapshot, source in _overruled(of):
        by_scope = counts[Place(run, snapshot)]
        found = by_scope[source]
        by_scope[source] = found._replace(completed=found.completed - 1)
    for by_scope in counts.values():
        by_scope[Scope.OVERALL] = added(list(by_scope.values()))
    return counts


def _by_source(of: Mapping[str, object]) -> QuerySet[TaskResult, tuple[Any, ...]]:
    # Rows are counted by their run, which is never null: the database sorts by it and
    # need not carry one column more.
    return (
        TaskResult.objects.filter(**of)
        .order_by()
        .values_list("run_id", "task__snapshot_id", "task__source")
        .annotate(
            result_count=Count("*"),
            completed_count=Count("run_id", filter=Q(completed=True)),
            first_reported=Count("first_build_ok"),
            first_built=Count("run_id", filter=Q(first_build_ok=True)),
            final_built=Count("run_id", filter=Q(final_build_ok=True)),
            tokens_reported=Count("total_tokens"),
            tokens=_whole_sum("total_tokens"),
            times_reported=Count("agent_milliseconds"),
            milliseconds=_whole_sum("agent_milliseconds"),
        )
    )


def _whole_sum(field: str) -> Cast:
    """The sum as an integer, which PostgreSQL has as a decimal number."""
    return Cast(Sum(field, default=0), BigIntegerField())


def _overruled(of: Mapping[str, object]) -> QuerySet[TaskResult, tuple[Any, ...]]:
    """A row for each result that was completed and does not count.

    There are few, and they are looked up by their keys: a join would have the database
    look for a verdict at every result.
    """
    verdicts = Overruling.objects.filter(
        **{f"result__{name}": value for name, value in of.items()}
    )
    keys = list(verdicts.order_by().values_list("result", flat=True))
    return (
        TaskResult.objects.filter(pk__in=keys, completed=True)
        .order_by()
        .values_list("run_id", "task__snapshot_id", "task__source")
    )


def plain_rows(query: QuerySet[Any, tuple[Any, ...]]) -> list[tuple[Any, ...]]:
    """The rows of ``query`` as the driver has them: JSON is text.

    The model layer would look at every number of thousands of rows again.
    """
    with connections[query.db].cursor() as cursor:
        cursor.execute(*query.query.sql_with_params())
        return list(cursor.fetchall())


def added(parts: Sequence[Counts]) -> Counts:
    """Counts of several runs or scopes together."""
    return parts[0] if len(parts) == 1 else Counts(*map(sum, zip(*parts, strict=True)))


def figures(task_count: int, by_run: Sequence[Counts]) -> Figures:
    """The figures of one scope with ``task_count`` tasks over one run or several."""
    found = added(by_run)
    everything = found.result_count
    # By position, in the order of the fields: a recount makes thousands.
    return Figures(
        task_count,
        len(by_run),
        found.completed,
        [counts.completed for counts in by_run],
        found.first_built if found.first_reported == everything else None,
        found.final_built,
        found.tokens if found.tokens_reported == everything else None,
        found.milliseconds if found.times_reported == everything else None,
    )
