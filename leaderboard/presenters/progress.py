"""How far an evaluation got, as rows and bars; the caveats stand in the template."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import NamedTuple

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from leaderboard.completion_rate import Dimension
from leaderboard.formats import percent
from leaderboard.metrics import RunRange
from leaderboard.models import Evaluation
from leaderboard.passing.standings import is_by_pass_rate
from leaderboard.progress import ScopeProgress, TaskRunProgress, progress_of
from leaderboard.sources import sources_of
from leaderboard.visual import opinions

# Share of its F-points that a task run passes: above the bound before, up to this one.
_BOUNDS = (
    ("none", Fraction(0)),
    ("to_quarter", Fraction(1, 4)),
    ("to_half", Fraction(1, 2)),
    ("to_three_quarters", Fraction(3, 4)),
)

_LABELS: Mapping[str, str | Promise] = {
    "none": _("none passed"),
    "to_quarter": _("up to 25%"),
    "to_half": _("over 25% to 50%"),
    "to_three_quarters": _("over 50% to 75%"),
    "not_all": _("over 75%, not all"),
    "all": _("all passed"),
}


class RangeText(NamedTuple):
    """Percent points."""

    mean: str
    low: str
    high: str


class ProgressRow(NamedTuple):
    """``name`` is that of a stream; empty for overall and for fixed sources."""

    scope: str
    name: str
    passed: RangeText
    passed_count: int
    f_point_count: int
    rate: RangeText
    task_runs: int


class DimensionRow(NamedTuple):
    name: str
    score: RangeText
    passed_count: int
    f_point_count: int
    task_runs: int
    unjudged: int


class OpinionRow(NamedTuple):
    """Percent points; ``mean`` is empty where the model could not say anything."""

    judge: str
    version: str
    screens: int
    unjudged: int
    mean: str
    largest_spread: str


class ProgressBar(NamedTuple):
    """``name`` is that of a bucket; ``width`` in percent of the longest bar."""

    name: str
    task_runs: int
    width: float

    @property
    def label(self) -> str | Promise:
        return _LABELS[self.name]


@dataclass(frozen=True, slots=True)
class HowFar:
    """``bars`` count the task runs of tasks with several F-points.

    ``dimensions`` are empty where no task has another than the functional one.
    """

    rows: Sequence[ProgressRow]
    dimensions: Sequence[DimensionRow]
    opinions: Sequence[OpinionRow]
    bars: Sequence[ProgressBar]
    task_runs: int
    multipliers: Mapping[str, str]


def how_far(evaluation: Evaluation) -> HowFar | None:
    """None before the end, and where no task has a part that could be done alone."""
    found = progress_of(evaluation)
    # Of a published evaluation neither tasks nor task runs are held.
    if found is None or not found.scopes:
        return None
    several = [each for each in found.task_runs if each.f_points > 1]
    dimensions = _dimensions(found.scopes[0])
    if not several and not dimensions:
        return None
    streams = is_by_pass_rate(evaluation.snapshot)
    names = dict(sources_of(evaluation.snapshot)) if streams else {}
    return HowFar(
        rows=[_row(each, names.get(each.scope, "")) for each in found.scopes],
        dimensions=dimensions,
        opinions=[
            OpinionRow(
                judge=each.judge,
                version=each.version,
                screens=each.screens,
                unjudged=each.unjudged,
                mean="" if each.mean is None else percent(each.mean),
                largest_spread=percent(each.largest_spread),
            )
            for each in opinions(evaluation)
        ],
        bars=_bars(several) if several else [],
        task_runs=len(several),
        multipliers={
            name: f"{float(value):g}" for name, value in found.multipliers.items()
        },
    )


def bucket(passed: int, f_points: int) -> str:
    """Where a task run falls.

    >>> bucket(0, 4), bucket(1, 4), bucket(3, 4), bucket(7, 8), bucket(4, 4)
    ('none', 'to_quarter', 'to_three_quarters', 'not_all', 'all')
    """
    if passed == f_points:
        return "all"
    share = Fraction(passed, f_points)
    return next((name for name, bound in _BOUNDS if share <= bound), "not_all")


def _row(found: ScopeProgress, name: str) -> ProgressRow:
    return ProgressRow(
        scope=found.scope,
        name=name,
        passed=_text(found.passed),
        passed_count=found.passed_count,
        f_point_count=found.f_point_count,
        rate=_text(found.rate),
        task_runs=found.task_runs,
    )


def _dimensions(overall: ScopeProgress) -> list[DimensionRow]:
    found = overall.dimensions
    if {each.dimension for each in found} <= {Dimension.FUNCTIONAL}:
        return []
    return [
        DimensionRow(
            name=each.dimension,
            score=_text(each.score),
            passed_count=each.passed_count,
            f_point_count=each.f_point_count,
            task_runs=each.task_runs,
            unjudged=each.unjudged,
        )
        for each in found
    ]


def _text(found: RunRange) -> RangeText:
    return RangeText(*(percent(each) for each in found))


def _bars(found: Sequence[TaskRunProgress]) -> list[ProgressBar]:
    names = [bucket(each.passed, each.f_points) for each in found]
    counts = [
        (name, names.count(name))
        for name in (*(name for name, _ in _BOUNDS), "not_all", "all")
    ]
    largest = max(count for _, count in counts)
    return [
        ProgressBar(name, count, round(100 * count / largest, 2))
        for name, count in counts
    ]
