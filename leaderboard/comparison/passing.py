"""Evaluations by pass rate side by side: what their totals allow, and no more.

Reports give rates over all tasks, with an interval at best. No task is set against a
task here, and nothing across comparability keys.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from typing import Literal, NamedTuple

from leaderboard.comparability import attach_decisions
from leaderboard.comparison.conditions import (
    Obstacle,
    differing_conditions,
    obstacles_of,
    share_conditions,
)
from leaderboard.comparison.pairs import Overlap
from leaderboard.metrics import Scope
from leaderboard.models import Evaluation, PassTotals, Stream
from leaderboard.passing.figures import PassFigures, pass_figures

Missing = Literal[
    "task_outcomes", "counts", "completion_rate", "intervals", "equal_effort"
]


@dataclass(frozen=True, slots=True)
class PassMember:
    """``figures`` by the slug of a stream, those over all tasks first."""

    letter: str
    evaluation: Evaluation
    figures: Mapping[str, PassFigures]

    @property
    def overall(self) -> PassFigures | None:
        return self.figures.get(Scope.OVERALL.value)


class PassDifference(NamedTuple):
    """First minus second; None where one of the two is not known.

    ``intervals`` tells how the published intervals lie, which are of the rates and not
    of the difference; None unless both have one of the same level.
    """

    scope: str
    pass_rate: Fraction
    completion_rate: Fraction | None
    intervals: Overlap | None


class PassPair(NamedTuple):
    first: PassMember
    second: PassMember
    differences: Sequence[PassDifference]


@dataclass(frozen=True, slots=True)
class PassComparison:
    """``pairs`` are empty under different conditions; ``missing`` is what no pair says.

    ``streams`` are those of the shared snapshot.
    """

    members: Sequence[PassMember]
    obstacles: Sequence[Obstacle]
    differing: Sequence[str]
    streams: Sequence[Stream]
    pairs: Sequence[PassPair]
    missing: Sequence[Missing]

    @property
    def same_conditions(self) -> bool:
        return "other_conditions" not in self.obstacles


def compare_by_pass_rate(evaluations: Mapping[str, Evaluation]) -> PassComparison:
    """Compare evaluations by letter; three queries at most.

    Each gets its totals as ``pass_summary``, as by ``with_pass_totals()``.
    """
    rows = list(evaluations.values())
    attach_decisions(rows)
    _attach_totals(rows)
    shared = share_conditions(rows)
    members = [_member(*each) for each in evaluations.items()]
    finished = all(each.overall and each.overall.standing for each in members)
    obstacles = obstacles_of(rows, shared=shared, finished=finished)
    pairs = combinations(members, 2) if shared else ()
    return PassComparison(
        members=members,
        obstacles=obstacles,
        differing=[] if shared else differing_conditions(rows),
        streams=list(rows[0].snapshot.streams.all()) if shared else [],
        pairs=[
            PassPair(first, second, [] if obstacles else _differences(first, second))
            for first, second in pairs
        ],
        missing=_missing(members) if shared else [],
    )


def _attach_totals(rows: Sequence[Evaluation]) -> None:
    found: dict[int, list[PassTotals]] = {each.pk: [] for each in rows}
    totals = PassTotals.objects.filter(evaluation__in=rows).select_related("stream")
    for each in totals.order_by("stream__position"):
        found[each.evaluation_id].append(each)
    for evaluation in rows:
        evaluation.pass_summary = found[evaluation.pk]  # type: ignore[attr-defined]  # as with_pass_totals() sets it


def _member(letter: str, evaluation: Evaluation) -> PassMember:
    totals: list[PassTotals] = evaluation.pass_summary  # type: ignore[attr-defined]  # set by _attach_totals()
    figures = {
        each.stream.slug if each.stream else Scope.OVERALL.value: pass_figures(each)
        for each in sorted(totals, key=lambda each: each.stream is not None)
    }
    return PassMember(letter, evaluation, figures)


def _differences(first: PassMember, second: PassMember) -> list[PassDifference]:
    found = []
    for scope, mine in first.figures.items():
        theirs = second.figures.get(scope)
        if theirs is None or mine.pass_rate is None or theirs.pass_rate is None:
            continue
        found.append(
            PassDifference(
                scope=scope,
                pass_rate=mine.pass_rate - theirs.pass_rate,
                completion_rate=None
                if mine.completion_rate is None or theirs.completion_rate is None
                else mine.completion_rate - theirs.completion_rate,
                intervals=_overlap(mine, theirs),
            )
        )
    return found


def _overlap(mine: PassFigures, theirs: PassFigures) -> Overlap | None:
    one, other = mine.interval, theirs.interval
    if one is None or other is None or one.level != other.level:
        return None
    if one.low > other.high:
        return "first_above"
    if other.low > one.high:
        return "second_above"
    return "overlap"


def _missing(members: Sequence[PassMember]) -> list[Missing]:
    """What cannot be compared, or not without a word; single tasks never are."""
    known = [each.overall for each in members if each.overall is not None]
    found: list[Missing] = ["task_outcomes"]
    if any(each.counts is None for each in known):
        found.append("counts")
    if any(each.completion_rate is None for each in known):
        found.append("completion_rate")
    levels = {each.interval.level if each.interval else None for each in known}
    if None in levels or len(levels) > 1:
        found.append("intervals")
    efforts = {(each.run_count, each.tasks_per_run) for each in known}
    if len(efforts) > 1:
        found.append("equal_effort")
    return found
