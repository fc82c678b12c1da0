"""Two evaluations task by task: pure formulas, exact, and none of them ranks.

Everything is known here by two counts a task: in how many of its k runs each side
completed it. Standard library only.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from enum import StrEnum
from fractions import Fraction
from math import comb
from typing import NamedTuple


class Rule(StrEnum):
    """When a task that ran k times counts as completed."""

    MAJORITY = "majority"
    ANY = "any"
    ALL = "all"

    def holds(self, completed: int, run_count: int) -> bool:
        """Whether ``completed`` of ``run_count`` runs are enough.

        >>> [Rule.MAJORITY.holds(runs, 3) for runs in range(4)]
        [False, False, True, True]
        """
        match self:
            case Rule.MAJORITY:
                return 2 * completed > run_count
            case Rule.ANY:
                return completed > 0
            case Rule.ALL:
                return completed == run_count


class PairTable(NamedTuple):
    """How many tasks both, one or none of two sides completed."""

    both: int
    only_first: int
    only_second: int
    neither: int


def pair_cell(first: int, second: int, run_count: int, *, rule: Rule) -> str:
    """The cell of :class:`PairTable` into which one task falls."""
    mine, theirs = rule.holds(first, run_count), rule.holds(second, run_count)
    if mine and theirs:
        return "both"
    if mine:
        return "only_first"
    return "only_second" if theirs else "neither"


def pair_table(
    first: Sequence[int], second: Sequence[int], run_count: int, *, rule: Rule
) -> PairTable:
    """Count the tasks of each cell; both sequences list the same tasks in one order.

    >>> pair_table([3, 2, 0, 1], [3, 1, 2, 0], 3, rule=Rule.MAJORITY)
    PairTable(both=1, only_first=1, only_second=1, neither=1)
    """
    found = Counter(
        pair_cell(mine, theirs, run_count, rule=rule)
        for mine, theirs in zip(first, second, strict=True)
    )
    return PairTable(*(found[cell] for cell in PairTable._fields))


def mcnemar_exact(only_first: int, only_second: int) -> Fraction:
    """Two-sided p of the exact McNemar test: a fair coin for every discordant task.

    >>> mcnemar_exact(1, 5)
    Fraction(7, 32)
    """
    total = only_first + only_second
    tail = sum(comb(total, count) for count in range(min(only_first, only_second) + 1))
    return min(Fraction(1), Fraction(2 * tail, 2**total))


class Interval(NamedTuple):
    """The middle of a distribution; fractions of 1."""

    low: Fraction
    high: Fraction


def bootstrap_interval(
    first: Sequence[int],
    second: Sequence[int],
    run_count: int,
    *,
    outside: Fraction = Fraction(1, 20),
) -> Interval:
    """Percentile interval of the difference in Task Completion, first minus second.

    A hierarchical bootstrap draws as many tasks as there are, with replacement, then
    for each drawn task k runs of each side, with replacement. Nothing is simulated:
    every drawn task adds an independent difference from -k to k, so the sum has a
    distribution that can be written down. ``outside`` is the share beyond both ends
    together: at most half of it lies below ``low`` and at most half above ``high``.
    """
    if not first:
        raise ValueError("A bootstrap needs at least one task.")
    weights = _sum_weights(_drawn_differences(first, second, run_count), len(first))
    limit = outside / 2 * sum(weights)
    lowest = -run_count * len(first)
    scale = run_count * len(first)
    return Interval(
        low=Fraction(lowest + _first_beyond(weights, limit), scale),
        high=Fraction(-lowest - _first_beyond(weights[::-1], limit), scale),
    )


def _drawn_differences(
    first: Sequence[int], second: Sequence[int], run_count: int
) -> list[int]:
    """Weights of the differences -k to k that one drawn task can show."""
    weights = [0] * (2 * run_count + 1)
    tasks = Counter(zip(first, second, strict=True))
    for (mine, theirs), count in tasks.items():
        for a, weight_a in enumerate(_drawn_runs(mine, run_count)):
            for b, weight_b in enumerate(_drawn_runs(theirs, run_count)):
                weights[a - b + run_count] += count * weight_a * weight_b
    return weights


def _drawn_runs(completed: int, run_count: int) -> list[int]:
    """Weights of 0 to k completed among k runs that are drawn with replacement."""
    missed = run_count - completed
    return [
        comb(run_count, drawn) * completed**drawn * missed ** (run_count - drawn)
        for drawn in range(run_count + 1)
    ]


def _sum_weights(weights: list[int], count: int) -> list[int]:
    """Weights of the sum of ``count`` independent draws: a power of a polynomial.

    Miller's recurrence gives each coefficient from those before it, in integers.
    """
    start = next(place for place, weight in enumerate(weights) if weight)
    factors = weights[start:]
    degree = len(factors) - 1
    power = [factors[0] ** count]
    for place in range(1, degree * count + 1):
        total = sum(
            (step * (count + 1) - place) * factors[step] * power[place - step]
            for step in range(1, min(degree, place) + 1)
        )
        power.append(total // (place * factors[0]))
    return [0] * (start * count) + power


def _first_beyond(weights: Sequence[int], limit: Fraction) -> int:
    """The first place up to which more than ``limit`` of the weight lies."""
    total = 0
    for place, weight in enumerate(weights):
        total += weight
        if total > limit:
            return place
    raise AssertionError("the limit is below the whole weight")
