"""The exact figures of one evaluation by pass rate; None = not reported."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, NamedTuple

from leaderboard.metrics import PassCounts, PassStanding
from leaderboard.models import PassTotals


class Interval(NamedTuple):
    """A published confidence interval; fractions of 1, its level in percent."""

    level: int
    low: Fraction
    high: Fraction


@dataclass(frozen=True, slots=True)
class PassFigures:
    """Rates are fractions of 1. ``counts`` is None where only rates are known.

    ``pass_rate`` is None where no task run has finished.
    """

    run_count: int
    task_count: int | None
    counts: PassCounts | None
    pass_rate: Fraction | None
    completion_rate: Fraction | None
    interval: Interval | None
    tasks_per_run: Fraction | None
    printed: Mapping[str, Any]

    @property
    def standing(self) -> PassStanding | None:
        """By what it is ranked; None where there is no pass rate."""
        if self.pass_rate is None:
            return None
        return PassStanding(self.pass_rate, self.completion_rate)


def pass_figures(totals: PassTotals) -> PassFigures:
    """The figures that follow from stored counts, or from printed rates without."""
    counts = _counts(totals)
    printed = totals.printed
    return PassFigures(
        run_count=totals.run_count,
        task_count=totals.task_count,
        counts=counts,
        pass_rate=counts.pass_rate if counts else _percent(printed.get("pass_rate")),
        completion_rate=counts.completion_rate
        if counts
        else _percent(printed.get("completion_rate")),
        interval=_interval(printed.get("interval")),
        tasks_per_run=_number(printed.get("tasks_per_run")),
        printed=printed,
    )


def _counts(totals: PassTotals) -> PassCounts | None:
    perfect, finished = totals.perfect_count, totals.finished_count
    incomplete = totals.incomplete_count
    if perfect is None or finished is None or incomplete is None:
        return None
    return PassCounts(
        perfect, finished, incomplete, Fraction(totals.completion_total or 0)
    )


def _interval(found: Mapping[str, Any] | None) -> Interval | None:
    if found is None:
        return None
    low, high = Fraction(found["low"]) / 100, Fraction(found["high"]) / 100
    return Interval(found["level"], low, high)


def _percent(text: str | None) -> Fraction | None:
    return None if text is None else Fraction(text) / 100


def _number(text: str | None) -> Fraction | None:
    return None if text is None else Fraction(text)
