"""Where a report prints another digit than the exact value gives."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from decimal import Decimal
from fractions import Fraction
from typing import NamedTuple

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from leaderboard.metrics import rounded
from leaderboard.standings import ScopeFigures


class Difference(NamedTuple):
    """One figure: its name, the exact value rounded, and the printed digits."""

    label: str | Promise
    exact: str
    printed: str


LABELS: Mapping[str, str | Promise] = {
    "task_completion_mean": _("Task Completion, mean"),
    "task_completion_min": _("Task Completion, lowest run"),
    "task_completion_max": _("Task Completion, highest run"),
    "first_build": _("First build"),
    "final_build": _("Final build"),
}


def exact_differences(found: ScopeFigures) -> list[tuple[str, str, str]]:
    """Figure, exact value and printed digits, only where the two differ."""
    if not found.printed:
        return []
    return [
        (name, str(value), found.printed[name])
        for name, value in _exact(found).items()
        if name in found.printed and Decimal(found.printed[name]) != value
    ]


def describe_differences(
    differences: Iterable[tuple[str, str, str]],
) -> list[Difference]:
    """The same with names, for a table."""
    return [Difference(LABELS[name], *texts) for name, *texts in differences]


def _exact(found: ScopeFigures) -> dict[str, Decimal]:
    """Figures that follow from counts. Tokens and time are only known as printed."""
    rates: dict[str, Fraction | None] = {
        "task_completion_mean": found.task_completion.mean,
        "task_completion_min": found.task_completion.low,
        "task_completion_max": found.task_completion.high,
        "first_build": found.first_build,
        "final_build": found.final_build,
    }
    return {
        name: rounded(rate * 100) for name, rate in rates.items() if rate is not None
    }
