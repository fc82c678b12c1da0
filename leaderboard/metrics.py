"""The formulas of the paper, exact: integers and fractions in, fractions out.

Nothing here rounds, except :func:`rounded`, the one place where a number is made
ready for print. Standard library only.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from decimal import Decimal
from enum import StrEnum
from fractions import Fraction
from math import comb
from typing import NamedTuple


class Scope(StrEnum):
    """The sets of tasks over which a metric is reported."""

    OVERALL = "overall"
    NEW_FEATURE = "new-feature"
    SPEC_DRIVEN = "spec-driven"
    BUG_FIX = "bug-fix"


class RunRange(NamedTuple):
    """A mean over runs with its run-level extremes; fractions of 1."""

    mean: Fraction
    low: Fraction
    high: Fraction


def run_range(completed: Sequence[int], task_count: int) -> RunRange:
    """Return the mean Task Completion over k runs with its run-level extremes.

    ``completed`` holds one count per independent run (k = 3 in v1.0) and
    ``task_count`` is N of the scope. Descriptive, not a confidence interval; no
    best-of-k. Section 4.6 of the paper.

    >>> run_range([86, 89, 93], 153).mean
    Fraction(268, 459)
    """
    if not completed:
        raise ValueError("A run range needs at least one run.")
    return RunRange(
        mean=mean_rate(sum(completed), task_count, run_count=len(completed)),
        low=Fraction(min(completed), task_count),
        high=Fraction(max(completed), task_count),
    )


def mean_rate(count: int, task_count: int, *, run_count: int) -> Fraction:
    """Mean over runs of a rate over tasks, from the count over all runs.

    Used for the First and the Final Build Success Rate as well.

    >>> mean_rate(308, 153, run_count=3)
    Fraction(308, 459)
    """
    if task_count <= 0 or run_count <= 0:
        raise ValueError("A rate needs at least one task and one run.")
    if not 0 <= count <= task_count * run_count:
        raise ValueError(
            f"{count} is not a count out of {task_count} tasks x {run_count} runs."
        )
    return Fraction(count, task_count * run_count)


def mean_per_task(
    total: int | None, task_count: int, *, run_count: int
) -> Fraction | None:
    """Mean of a resource over tasks, then over runs; None where it was not reported."""
    if total is None:
        return None
    return Fraction(total, task_count * run_count)


def total_or_none(values: Iterable[int | None]) -> int | None:
    """Sum of values that were all reported, else None: a part is not the whole.

    >>> total_or_none([1, None]) is None
    True
    """
    collected = list(values)
    if not collected or any(value is None for value in collected):
        return None
    return sum(value for value in collected if value is not None)


def competition_ranks(means: Sequence[Fraction]) -> list[int]:
    """Rank in descending order; equal means share a rank and the next one is skipped.

    >>> competition_ranks([Fraction(2), Fraction(1), Fraction(1), Fraction(0)])
    [1, 2, 2, 4]
    """
    ascending = sorted(means)
    return [1 + len(means) - bisect_right(ascending, mean) for mean in means]


def rank_spans(ranges: Sequence[RunRange]) -> list[tuple[int, int]]:
    """Best and worst rank that the run ranges of a whole table leave open, by row.

    A row is surely above another where its lowest run beats the other's highest.

    >>> half, third = Fraction(1, 2), Fraction(1, 3)
    >>> rank_spans([RunRange(half, half, half), RunRange(third, third, third)])
    [(1, 1), (2, 2)]
    """
    lows = sorted(each.low for each in ranges)
    highs = sorted(each.high for each in ranges)
    return [
        (
            1 + len(ranges) - bisect_right(lows, mine.high),
            len(ranges) - bisect_left(highs, mine.low),
        )
        for mine in ranges
    ]


def in_leading_group(mine: RunRange, leaders_low: Fraction) -> bool:
    """Whether a range reaches the lowest run of the row with the highest mean.

    The anchor is fixed: overlaps are not chained from row to row.
    """
    return mine.high >= leaders_low


def stability(completed_runs: Iterable[int], run_count: int) -> list[int]:
    """How many tasks were completed in 0, 1, ..., k of k runs."""
    buckets = [0] * (run_count + 1)
    for count in completed_runs:
        buckets[count] += 1
    return buckets


def pass_at_k(completed_runs: Sequence[int], run_count: int, k: int) -> Fraction:
    """Share of tasks that at least one of k runs completes, over all choices of k.

    ``completed_runs`` has one count per task, each out of ``run_count`` runs.

    >>> pass_at_k([3, 1, 0], 3, 2)
    Fraction(5, 9)
    """
    missed = [run_count - completed for completed in completed_runs]
    return 1 - pass_hat_k(missed, run_count, k)


def pass_hat_k(completed_runs: Sequence[int], run_count: int, k: int) -> Fraction:
    """Share of tasks that all of k runs complete, over all choices of k.

    >>> pass_hat_k([3, 2, 0], 3, 2)
    Fraction(4, 9)
    """
    if not completed_runs or not 1 <= k <= run_count:
        raise ValueError(f"k = {k} needs a task and at least as many runs.")
    ways = sum(comb(completed, k) for completed in completed_runs)
    return Fraction(ways, comb(run_count, k) * len(completed_runs))


def rounded(value: Fraction | int, digits: int = 2) -> Decimal:
    """Round half up to ``digits`` decimals, once, at the edge.

    >>> rounded(Fraction(2100, 32))
    Decimal('65.63')
    """
    scale: int = 10**digits
    shifted = Fraction(value) * scale
    whole = (abs(shifted.numerator) * 2 + shifted.denominator) // (
        shifted.denominator * 2
    )
    signed = -whole if shifted < 0 else whole
    # Built from its digits: arithmetic would round to the context's precision.
    return Decimal(f"{signed}E-{digits}")
