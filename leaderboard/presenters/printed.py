"""Where a report prints another digit than the exact value gives."""

from __future__ import annotations

from collections.abc import Mapping
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


def printed_differences(found: ScopeFigures) -> dict[str, str]:
    """Printed digits by figure, only where they differ from the exact value's."""
    return {
        name: found.printed[name]
        for name, value in _exact(found).items()
        if name in found.printed and Decimal(found.printed[name]) != value
    }


def describe_differences(found: ScopeFigures) -> list[Difference]:
    """The same with names and exact values, for a table."""
    exact = _exact(found)
    return [
        Difference(LABELS[name], str(exact[name]), printed)
        for name, printed in printed_differences(found).items()
    ]


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
