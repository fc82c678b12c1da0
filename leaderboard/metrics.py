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
from math import comb, lcm
from typing import NamedTuple


class Scope(StrEnum):
    """The sets of tasks over which a metric is reported."""

    OVERALL = "overall"
    NEW_FEATURE = "new-feature"
    SPEC_DRIVEN = "spec-driven"
    BUG_FIX = "bug-fix"


def scopes_among(sources: Iterable[str]) -> list[str]:
    """Overall, then the sources that occur; those of the paper first, in its order.

    >>> scopes_among(["migrations", "bug-fix", "new-feature", "bug-fix"])
    ['overall', 'new-feature', 'bug-fix', 'migrations']
    """
    found = list(dict.fromkeys(sources))
    fixed = [scope.value for scope in Scope if scope in found]
    others = [source for source in found if source not in fixed]
    return [Scope.OVERALL.value, *fixed, *others]


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


def on_one_scale(values: Sequence[Fraction]) -> list[int]:
    """Integers that compare as ``values`` do, exactly, and many times as fast.

    >>> on_one_scale([Fraction(1, 2), Fraction(2, 3)])
    [3, 4]
    """
    scale = lcm(*{each.denominator for each in values})
    return [each.numerator * (scale // each.denominator) for each in values]


def competition_ranks(means: Sequence[Fraction] | Sequence[int]) -> list[int]:
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
    count = len(ranges)
    ends = on_one_scale([each.low for each in ranges] + [each.high for each in ranges])
    lows, highs = ends[:count], ends[count:]
    rising_lows, rising_highs = sorted(lows), sorted(highs)
    return [
        (
            1 + count - bisect_right(rising_lows, high),
            count - bisect_left(rising_highs, low),
        )
        for low, high in zip(lows, highs, strict=True)
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


class TaskRunScore(NamedTuple):
    """``rate`` is its completion rate; ``passed`` means a perfect, clean result."""

    rate: Fraction
    passed: bool


class PassCounts(NamedTuple):
    """What the task runs of a scope add up to under ``pass-and-completion``."""

    perfect: int
    finished: int
    incomplete: int
    completion_total: Fraction

    @property
    def pass_rate(self) -> Fraction | None:
        """Share of passed ones among the finished task runs; None where none is."""
        return Fraction(self.perfect, self.finished) if self.finished else None

    @property
    def completion_rate(self) -> Fraction | None:
        """Mean completion rate of the finished task runs; None where none is."""
        return self.completion_total / self.finished if self.finished else None


def pass_counts(scores: Iterable[TaskRunScore | None]) -> PassCounts:
    """Add up task runs; None stands for one that is incomplete, and counts apart.

    >>> done = TaskRunScore(Fraction(1), True)
    >>> half = TaskRunScore(Fraction(1, 2), False)
    >>> found = pass_counts([done, half, half, None])
    >>> found.pass_rate, found.completion_rate, found.incomplete
    (Fraction(1, 3), Fraction(2, 3), 1)
    """
    perfect = finished = incomplete = 0
    total = Fraction(0)
    for score in scores:
        if score is None:
            incomplete += 1
            continue
        if not 0 <= score.rate <= 1 or (score.passed and score.rate != 1):
            raise ValueError(f"{score} is not a score of a task run.")
        finished += 1
        perfect += score.passed
        total += score.rate
    return PassCounts(perfect, finished, incomplete, total)


class PassStanding(NamedTuple):
    """By what a row is ranked; the completion rate only parts equal pass rates."""

    pass_rate: Fraction
    completion_rate: Fraction | None


def pass_ranks(rows: Sequence[PassStanding]) -> list[int]:
    """Rank by pass rate, then by completion rate; equal rows share a rank.

    Where a row of equal pass rate has no completion rate, none of them is put above
    another: unknown is neither more nor less.

    >>> tie = [PassStanding(Fraction(1, 2), rate) for rate in (None, Fraction(3, 4))]
    >>> pass_ranks([*tie, PassStanding(Fraction(2, 3), None)])
    [2, 2, 1]
    """
    unknown = {row.pass_rate for row in rows if row.completion_rate is None}
    keys = [
        (
            row.pass_rate,
            Fraction(0)
            if row.pass_rate in unknown or row.completion_rate is None
            else row.completion_rate,
        )
        for row in rows
    ]
    ascending = sorted(keys)
    return [1 + len(keys) - bisect_right(ascending, key) for key in keys]


def rounded(value: Fraction | int, digits: int = 2) -> Decimal:
    """Round half up to ``digits`` decimals, once, at the edge.

    >>> rounded(Fraction(2100, 32))
    Decimal('65.63')
    """
    scale: int = 10**digits
    whole = (abs(value.numerator) * scale * 2 + value.denominator) // (
        value.denominator * 2
    )
    signed = -whole if value < 0 else whole
    # Built from its digits: arithmetic would round to the context's precision.
    return Decimal(f"{signed}E-{digits}")
