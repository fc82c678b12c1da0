"""Scoring an evaluation by pass rate from its task results, exactly.

A task run without a result is incomplete: it came to none through trouble of ours. It
is counted, and stands in neither rate.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from django.db import transaction

from leaderboard.metrics import PassCounts, TaskRunScore, pass_counts
from leaderboard.models import Evaluation, PassTotals, Stream, Task, TaskResult
from leaderboard.progress import rates_of
from leaderboard.totals_errors import (
    IncompleteEvaluationError,
    NoDenominatorsError,
    TotalsError,
)


class RulesError(TotalsError):
    """The multipliers of a benchmark cannot be read, so nothing can be scored."""


class ScopeCounts(NamedTuple):
    """What the task runs of one stream, or of all tasks (None), add up to."""

    stream: Stream | None
    task_count: int
    counts: PassCounts


@transaction.atomic
def write_pass_totals(evaluation: Evaluation) -> list[PassTotals]:
    """Write the totals of an evaluation whose runs are over, in the place of others.

    Call it in the transaction that closes the evaluation.
    """
    found = count_scopes(evaluation)
    PassTotals.objects.filter(evaluation=evaluation).delete()
    return PassTotals.objects.bulk_create(_totals(evaluation, each) for each in found)


def count_scopes(evaluation: Evaluation) -> list[ScopeCounts]:
    """Counts over all tasks, then by stream; TotalsError where that cannot be told."""
    runs = list(evaluation.runs.values_list("pk", flat=True))
    if len(runs) != evaluation.run_count:
        raise IncompleteEvaluationError(
            evaluation.pk, found=len(runs), run_count=evaluation.run_count
        )
    tasks = list(evaluation.snapshot.tasks.all())
    if not tasks:
        raise NoDenominatorsError(evaluation.pk)
    scores = _scores(evaluation)
    streams: list[Stream | None] = [None, *evaluation.snapshot.streams.all()]
    return [
        ScopeCounts(
            stream,
            len(inside),
            pass_counts(scores.get((task.pk, run)) for task in inside for run in runs),
        )
        for stream in streams
        if (inside := [each for each in tasks if _is_inside(each, stream)])
    ]


def stored_differences(evaluation: Evaluation) -> Iterator[tuple[str, str, str, str]]:
    """Scope, field, stored and computed value of what the rows do not give.

    Nothing where no counts are stored: published rates have none to check.
    """
    stored = {
        each.stream_id: each
        for each in PassTotals.objects.filter(
            evaluation=evaluation, finished_count__isnull=False
        )
    }
    if not stored:
        return
    for found in count_scopes(evaluation):
        name = found.stream.slug if found.stream else "overall"
        mine = stored.get(found.stream.pk if found.stream else None)
        wanted = _totals(evaluation, found)
        for field in _COUNTED:
            value = getattr(mine, field, None)
            if value != getattr(wanted, field):
                yield name, field, repr(value), repr(getattr(wanted, field))


_COUNTED = (
    "run_count",
    "task_count",
    "perfect_count",
    "finished_count",
    "incomplete_count",
    "completion_total",
)


def _totals(evaluation: Evaluation, found: ScopeCounts) -> PassTotals:
    return PassTotals(
        evaluation=evaluation,
        stream=found.stream,
        run_count=evaluation.run_count,
        task_count=found.task_count,
        perfect_count=found.counts.perfect,
        finished_count=found.counts.finished,
        incomplete_count=found.counts.incomplete,
        completion_total=str(found.counts.completion_total),
    )


def _is_inside(task: Task, stream: Stream | None) -> bool:
    """A task belongs to the stream that is named as its source."""
    return stream is None or task.source == stream.slug


def _scores(evaluation: Evaluation) -> Mapping[tuple[int, int], TaskRunScore]:
    """By task and run. Passed is what counts as completed, without any violation."""
    results = list(
        TaskResult.objects.filter(run__evaluation=evaluation).select_related(
            "overruling", "task"
        )
    )
    rates = rates_of(evaluation, results)
    if rates is None:
        raise RulesError(
            f"Evaluation {evaluation.pk} cannot be scored: the multipliers of its "
            "benchmark cannot be read; the log says why."
        )
    return {
        (each.task_id, each.run_id): TaskRunScore(
            rates.by_result[each.pk],
            passed=each.counts and rates.perfect[each.pk],
        )
        for each in results
    }
