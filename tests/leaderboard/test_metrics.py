from __future__ import annotations

import doctest
from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leaderboard import formats, metrics, paired
from leaderboard.metrics import (
    RunRange,
    competition_ranks,
    in_leading_group,
    mean_per_task,
    mean_rate,
    pass_at_k,
    pass_hat_k,
    rank_spans,
    rounded,
    run_range,
    stability,
)
from leaderboard.tables import cells


@pytest.mark.parametrize("module", [metrics, paired, formats, cells])
def test_the_examples_in_docstrings_hold(module):
    outcome = doctest.testmod(module)

    assert outcome.attempted > 0
    assert outcome.failed == 0


def test_a_run_range_is_the_mean_with_the_lowest_and_highest_run():
    assert run_range([93, 86, 89], 153) == RunRange(
        Fraction(268, 459), Fraction(86, 153), Fraction(93, 153)
    )


def test_a_run_range_without_runs_is_refused():
    with pytest.raises(ValueError, match="at least one run"):
        run_range([], 153)


@pytest.mark.parametrize(
    ("count", "task_count", "run_count"), [(1, 0, 3), (1, 3, 0), (10, 3, 3), (-1, 3, 3)]
)
def test_a_rate_that_cannot_be_is_refused(count, task_count, run_count):
    with pytest.raises(ValueError):
        mean_rate(count, task_count, run_count=run_count)


def test_a_resource_that_was_not_reported_stays_unknown():
    assert mean_per_task(None, 153, run_count=3) is None
    assert mean_per_task(0, 153, run_count=3) == 0


def test_equal_means_share_a_rank_and_the_next_one_is_skipped():
    means = [Fraction(239, 459), Fraction(478, 918), Fraction(1, 2), Fraction(2, 3)]

    assert competition_ranks(means) == [2, 2, 4, 1]


def test_means_that_round_alike_are_not_a_tie():
    means = [Fraction(52_070_001, 10**8), Fraction(52_070_002, 10**8)]

    assert competition_ranks(means) == [2, 1]


def flat(low: int, high: int) -> RunRange:
    return RunRange(Fraction(low + high, 200), Fraction(low, 100), Fraction(high, 100))


def test_a_rank_span_counts_the_rows_that_are_surely_above_or_below():
    mine = flat(55, 62)
    others = [flat(70, 80), flat(50, 60), flat(58, 65), flat(10, 20)]

    assert rank_spans([mine, *others])[0] == (2, 4)


def test_a_run_that_only_touches_another_range_leaves_the_rank_open():
    assert rank_spans([flat(50, 60), flat(60, 70)]) == [(1, 2), (1, 2)]


def test_the_leading_group_is_anchored_and_not_chained():
    leader, second, third = flat(60, 70), flat(50, 60), flat(45, 55)

    assert in_leading_group(second, leader.low)
    assert not in_leading_group(third, leader.low)


def test_stability_counts_tasks_by_the_number_of_runs_that_completed_them():
    assert stability([0, 3, 3, 1], run_count=3) == [1, 1, 0, 2]


@pytest.mark.parametrize(
    ("value", "digits", "shown"),
    [
        (Fraction(2100, 32), 2, "65.63"),
        (Fraction(1, 200), 2, "0.01"),
        (Fraction(-1, 200), 2, "-0.01"),
        (Fraction(0), 2, "0.00"),
        (Fraction(19364, 10), 1, "1936.4"),
        (7, 0, "7"),
    ],
)
def test_rounding_is_half_away_from_zero(value, digits, shown):
    assert str(rounded(value, digits)) == shown


@given(st.fractions(), st.integers(0, 6))
def test_rounding_moves_a_value_by_half_a_unit_at_most(value, digits):
    found = rounded(value, digits)

    assert abs(Fraction(found) - value) <= Fraction(1, 2 * 10**digits)
    assert found.as_tuple().exponent == -digits


@given(st.lists(st.tuples(st.integers(0, 50), st.integers(0, 50)), min_size=1))
def test_the_rank_by_mean_lies_within_the_rank_span(pairs):
    ranges = [flat(min(pair), max(pair)) for pair in pairs]
    ranks = competition_ranks([each.mean for each in ranges])

    for mine, rank, (best, worst) in zip(
        ranges, ranks, rank_spans(ranges), strict=True
    ):
        assert 1 <= best <= rank <= worst <= len(ranges)
        assert best == 1 + sum(other.low > mine.high for other in ranges)
        assert worst == len(ranges) - sum(other.high < mine.low for other in ranges)


@given(
    st.lists(st.integers(0, 153), min_size=1, max_size=5),
)
def test_the_mean_lies_between_the_extremes_exactly(completed):
    mean, low, high = run_range(completed, 153)

    assert low <= mean <= high
    assert mean * 153 * len(completed) == sum(completed)


def test_rounded_numbers_are_decimals_and_not_floats():
    assert isinstance(rounded(Fraction(1, 3)), Decimal)


def test_pass_at_k_and_pass_hat_k_meet_at_one_run_and_part_with_more():
    completed = [3, 2, 1, 0]

    assert pass_at_k(completed, 3, 1) == pass_hat_k(completed, 3, 1) == Fraction(1, 2)
    # Of three pairs of runs: 3, 3, 2 and 0 hold a completed one; 3, 1, 0 and 0 two.
    assert pass_at_k(completed, 3, 2) == Fraction(8, 12)
    assert pass_hat_k(completed, 3, 2) == Fraction(4, 12)
    assert pass_at_k(completed, 3, 3) == Fraction(3, 4)
    assert pass_hat_k(completed, 3, 3) == Fraction(1, 4)


@pytest.mark.parametrize("k", [0, 4])
def test_more_runs_than_there_are_cannot_be_chosen(k):
    with pytest.raises(ValueError, match="at least as many runs"):
        pass_hat_k([1, 2], 3, k)
