"""The paired formulas, against values worked out by hand and against a simulation."""

from __future__ import annotations

import random
from fractions import Fraction

import pytest

from leaderboard.paired import (
    Interval,
    PairTable,
    Rule,
    bootstrap_interval,
    mcnemar_exact,
    pair_table,
)


@pytest.mark.parametrize(
    ("rule", "expected"),
    [
        (Rule.MAJORITY, PairTable(1, 1, 1, 2)),
        (Rule.ANY, PairTable(3, 1, 0, 1)),
        (Rule.ALL, PairTable(1, 0, 0, 4)),
    ],
)
def test_the_rule_decides_into_which_cell_a_task_falls(rule, expected):
    first, second = [3, 2, 1, 1, 0], [3, 1, 2, 0, 0]

    assert pair_table(first, second, 3, rule=rule) == expected


def test_half_of_two_runs_is_no_majority():
    assert not Rule.MAJORITY.holds(1, 2)
    assert Rule.MAJORITY.holds(2, 2)


def test_the_table_counts_every_task_once_and_mirrors():
    chance = random.Random(7)
    first = [chance.randint(0, 3) for _ in range(153)]
    second = [chance.randint(0, 3) for _ in range(153)]
    for rule in Rule:
        found = pair_table(first, second, 3, rule=rule)
        mirrored = pair_table(second, first, 3, rule=rule)
        assert sum(found) == 153
        assert mirrored == (
            found.both,
            found.only_second,
            found.only_first,
            found.neither,
        )


def test_lists_of_different_tasks_are_refused():
    with pytest.raises(ValueError, match="shorter"):
        pair_table([1, 2], [1], 3, rule=Rule.ANY)


@pytest.mark.parametrize(
    ("only_first", "only_second", "p"),
    [
        (0, 0, Fraction(1)),
        (1, 0, Fraction(1)),
        (5, 0, Fraction(1, 16)),  # 2 · 1/32
        (1, 5, Fraction(7, 32)),  # 2 · (1 + 6)/64
        (4, 4, Fraction(1)),  # 2 · 163/256 is more than 1
        (2, 8, Fraction(7, 64)),  # 2 · (1 + 10 + 45)/1024
    ],
)
def test_mcnemar_gives_the_values_worked_out_by_hand(only_first, only_second, p):
    assert mcnemar_exact(only_first, only_second) == p
    assert mcnemar_exact(only_second, only_first) == p


def test_a_difference_that_no_draw_can_change_has_no_width():
    assert bootstrap_interval([3, 3], [0, 0], 3) == Interval(Fraction(1), Fraction(1))
    assert bootstrap_interval([0], [0], 3) == Interval(Fraction(0), Fraction(0))


def test_two_tasks_of_one_run_give_a_quarter_a_half_and_a_quarter():
    # Each draw adds 1 or 0: the mean is 0, 1/2 or 1 with weights 1, 2 and 1.
    def interval(outside):
        return bootstrap_interval([1, 0], [0, 0], 1, outside=outside)

    assert interval(Fraction(1, 20)) == Interval(Fraction(0), Fraction(1))
    # Just a quarter lies beyond each half: no more than allowed.
    assert interval(Fraction(1, 2)) == Interval(Fraction(1, 2), Fraction(1, 2))


def test_runs_are_drawn_inside_a_task():
    # One task completed in 1 of 2 runs: 0, 1 or 2 of two drawn runs, as above.
    found = bootstrap_interval([1], [0], 2, outside=Fraction(1, 20))

    assert found == Interval(Fraction(0), Fraction(1))


def test_sides_that_change_places_mirror_the_interval():
    first, second = [3, 2, 1, 0, 3], [1, 2, 0, 1, 0]
    low, high = bootstrap_interval(first, second, 3)

    assert bootstrap_interval(second, first, 3) == Interval(-high, -low)


def test_the_exact_interval_is_what_a_simulation_approaches():
    chance = random.Random(20261130)
    first = [chance.choice([0, 1, 3, 3]) for _ in range(40)]
    second = [chance.choice([0, 0, 1, 2, 3]) for _ in range(40)]
    drawn = []
    for _ in range(20_000):
        total = 0
        for _ in range(40):
            task = chance.randrange(40)
            total += sum(chance.random() < first[task] / 3 for _ in range(3))
            total -= sum(chance.random() < second[task] / 3 for _ in range(3))
        drawn.append(total / 120)
    drawn.sort()

    low, high = bootstrap_interval(first, second, 3)

    assert abs(float(low) - drawn[500]) <= 2 / 120
    assert abs(float(high) - drawn[19_499]) <= 2 / 120


def test_nothing_to_draw_from_is_an_error():
    with pytest.raises(ValueError, match="at least one task"):
        bootstrap_interval([], [], 3)
