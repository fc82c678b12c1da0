"""The page that compares evaluations by pass rate."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import NamedTuple

from django.http import QueryDict
from django.utils.translation import gettext as _

from leaderboard.comparison import (
    Choice,
    Fault,
    PassComparison,
    PassDifference,
    PassMember,
    PassPair,
    compare_by_pass_rate,
)
from leaderboard.formats import MISSING, signed_percent
from leaderboard.metrics import Scope
from leaderboard.models import Evaluation, ScoringPolicy
from leaderboard.presenters.compare import swap_href
from leaderboard.presenters.compare_choice import Picker, pickers
from leaderboard.presenters.compare_pairs import Condition, condition_rows
from leaderboard.presenters.passing import PassCells, pass_cells

# Of a rate that was counted here, as tables show it.
_COUNTED_DIGITS = 2


class PassMemberRow(NamedTuple):
    """``cells`` are over all tasks; None where nothing has finished."""

    letter: str
    evaluation: Evaluation
    cells: PassCells | None


class PassStreamRow(NamedTuple):
    """One stream with a cell a member, None where it has no figures there."""

    name: str
    task_count: int
    cells: Sequence[PassCells | None]


class PassPairRow(NamedTuple):
    """Percent points, first minus second; a dash where one of the two is not known.

    ``intervals`` is empty where they cannot be set against each other.
    """

    first: str
    second: str
    first_name: str
    second_name: str
    pass_rate: str
    completion_rate: str
    intervals: str


@dataclass(frozen=True, slots=True)
class PassComparePage:
    """``comparison`` is None where fewer than two evaluations were named."""

    pickers: Sequence[Picker]
    more_to_pick: bool
    faults: Sequence[Fault]
    comparison: PassComparison | None
    swap_href: str
    level: int | None
    members: Sequence[PassMemberRow]
    conditions: Sequence[Condition]
    streams: Sequence[PassStreamRow]
    pairs: Sequence[PassPairRow]

    @property
    def has_counts(self) -> bool:
        return any(row.cells and row.cells.passed != MISSING for row in self.members)

    @property
    def simulated(self) -> bool:
        return any(row.evaluation.simulated for row in self.members)


def pass_compare_page(choice: Choice) -> PassComparePage:
    """Everything the page shows, in a fixed number of queries."""
    members = choice.members
    comparison = compare_by_pass_rate(members) if len(members) > 1 else None
    picked, more = pickers(members, ScoringPolicy.PASS_AND_COMPLETION)
    compared = comparison.members if comparison else ()
    return PassComparePage(
        pickers=picked,
        more_to_pick=more,
        faults=choice.faults,
        comparison=comparison,
        swap_href=swap_href(_base(members), members),
        level=_level(compared),
        members=[_member_row(each) for each in compared],
        conditions=condition_rows(
            comparison.differing, [each.evaluation for each in compared]
        )
        if comparison
        else [],
        streams=_stream_rows(comparison) if comparison else [],
        pairs=[_pair_row(each) for each in comparison.pairs] if comparison else [],
    )


def _base(members: Mapping[str, Evaluation]) -> QueryDict:
    base = QueryDict(mutable=True)
    base.update({letter: str(each.pk) for letter, each in members.items()})
    return base


def _level(members: Sequence[PassMember]) -> int | None:
    """The level of the intervals, where all that are published have the same."""
    found = [each.overall for each in members if each.overall is not None]
    levels = {each.interval.level for each in found if each.interval}
    return levels.pop() if len(levels) == 1 else None


def _member_row(member: PassMember) -> PassMemberRow:
    return PassMemberRow(
        letter=member.letter.upper(),
        evaluation=member.evaluation,
        cells=pass_cells(member.overall) if member.overall else None,
    )


def _stream_rows(comparison: PassComparison) -> list[PassStreamRow]:
    """Streams that some member has figures of; a report may give none."""
    rows = []
    for stream in comparison.streams:
        found = [each.figures.get(stream.slug) for each in comparison.members]
        if any(found):
            cells = [pass_cells(each) if each else None for each in found]
            rows.append(PassStreamRow(stream.name, stream.task_count, cells))
    return rows


def _pair_row(pair: PassPair) -> PassPairRow:
    overall = next((d for d in pair.differences if d.scope == Scope.OVERALL), None)
    first, second = pair.first.letter.upper(), pair.second.letter.upper()
    return PassPairRow(
        first=first,
        second=second,
        first_name=pair.first.evaluation.configuration.model,
        second_name=pair.second.evaluation.configuration.model,
        pass_rate=_points(pair, "pass_rate", overall.pass_rate if overall else None),
        completion_rate=_points(
            pair, "completion_rate", overall.completion_rate if overall else None
        ),
        intervals=_intervals(overall, first, second) if overall else "",
    )


def _points(pair: PassPair, name: str, value: Fraction | None) -> str:
    """With no more digits than both rates were given with."""
    if value is None:
        return MISSING
    members = (pair.first.overall, pair.second.overall)
    printed = [each.printed.get(name) for each in members if each is not None]
    digits = [len(text.partition(".")[2]) for text in printed if text]
    return signed_percent(value, min([_COUNTED_DIGITS, *digits]))


def _intervals(found: PassDifference, first: str, second: str) -> str:
    match found.intervals:
        case "overlap":
            return _("They overlap: the order of the two is open.")
        case "first_above":
            above, below = first, second
        case "second_above":
            above, below = second, first
        case None:
            return ""
    return _("They do not overlap: that of %(above)s is above that of %(below)s.") % {
        "above": above,
        "below": below,
    }
