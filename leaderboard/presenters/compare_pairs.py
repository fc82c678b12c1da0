"""Conditions, pairs, task sources and Kits of a comparison as text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import NamedTuple

from django.http import QueryDict
from django.utils.functional import Promise

from leaderboard.comparison import Comparison, Pair, ScopeDifference, TaskCounts
from leaderboard.formats import percent, signed_percent
from leaderboard.metrics import Scope, rounded
from leaderboard.models import Evaluation
from leaderboard.paired import PairTable
from leaderboard.presenters.conditions import condition_label, condition_text
from leaderboard.presenters.ordering import href


class Condition(NamedTuple):
    """A condition that differs; None where an evaluation left its snapshot's."""

    label: str | Promise
    values: Sequence[str | None]


class Difference(NamedTuple):
    """First minus second; ``lead`` is first, second or tie."""

    points: str
    amount: str
    task_runs: int
    lead: str
    overlap: str


class PairRow(NamedTuple):
    """Two members; what needs outcomes of single tasks is None without them."""

    first: str
    second: str
    first_name: str
    second_name: str
    href: str
    difference: Difference | None
    table: PairTable | None
    shares: Mapping[str, str]
    majority: PairTable | None
    p: str
    low: str
    high: str

    @property
    def task_count(self) -> int:
        return sum(self.table) if self.table else 0

    @property
    def first_tasks(self) -> int:
        return self.table.both + self.table.only_first if self.table else 0

    @property
    def second_tasks(self) -> int:
        return self.table.both + self.table.only_second if self.table else 0

    @property
    def agreed(self) -> int:
        return self.table.both + self.table.neither if self.table else 0

    @property
    def agreed_share(self) -> str:
        return percent(Fraction(self.agreed, self.task_count), 1)

    @property
    def split(self) -> int:
        return self.task_count - self.agreed


class GroupCell(NamedTuple):
    """Completed task runs of one member; a dash where they are not known."""

    rate: str
    completed: str


class GroupRow(NamedTuple):
    """A task source or a Kit: a cell a member, and more where there are just two."""

    name: str
    task_count: int
    cells: Sequence[GroupCell]
    difference: Difference | None
    table: PairTable | None


def conditions(comparison: Comparison) -> list[Condition]:
    """The values of what differs, a column for each member."""
    return condition_rows(
        comparison.differing, [each.evaluation for each in comparison.members]
    )


def condition_rows(
    differing: Sequence[str], evaluations: Sequence[Evaluation]
) -> list[Condition]:
    found = []
    for name in differing:
        values = [
            None
            if name in each.differing_fields
            else condition_text(name, each.snapshot)
            for each in evaluations
        ]
        found.append(Condition(condition_label(name), values))
    return found


def pair_rows(comparison: Comparison, base: QueryDict) -> list[PairRow]:
    return [_pair_row(pair, base) for pair in comparison.pairs]


def _pair_row(pair: Pair, base: QueryDict) -> PairRow:
    first, second = pair.first.evaluation, pair.second.evaluation
    total = sum(pair.table) if pair.table else 0
    overall = next((d for d in pair.differences if d.scope == Scope.OVERALL), None)
    fresh = {"a": str(first.pk), "b": str(second.pk), "c": None, "d": None}
    return PairRow(
        first=pair.first.letter.upper(),
        second=pair.second.letter.upper(),
        first_name=first.configuration.model,
        second_name=second.configuration.model,
        href=href(base, **fresh),
        difference=_difference(overall) if overall else None,
        table=pair.table,
        shares={
            name: percent(Fraction(count, total), 1)
            for name, count in pair.table._asdict().items()
        }
        if pair.table
        else {},
        majority=pair.majority,
        p=_p_text(pair.mcnemar),
        low=signed_percent(pair.bootstrap.low) if pair.bootstrap else "",
        high=signed_percent(pair.bootstrap.high) if pair.bootstrap else "",
    )


def _difference(found: ScopeDifference) -> Difference:
    rate = found.task_completion
    return Difference(
        points=signed_percent(rate),
        amount=percent(abs(rate)),
        task_runs=abs(found.completed),
        lead="first" if rate > 0 else "second" if rate < 0 else "tie",
        overlap=found.overlap,
    )


def _p_text(p: Fraction | None) -> str:
    if p is None:
        return ""
    smallest = Fraction(1, 10_000)
    return "< 0.0001" if p < smallest else str(rounded(p, 4))


def source_rows(comparison: Comparison) -> list[GroupRow]:
    """Overall and each task source that some member has figures for."""
    pair = comparison.pairs[0] if len(comparison.pairs) == 1 else None
    differences = {each.scope: each for each in pair.differences} if pair else {}
    tables = {each.name: each.table for each in pair.sources} if pair else {}
    if pair and pair.table:
        tables[Scope.OVERALL.value] = pair.table
    rows = []
    for scope in Scope:
        found = [each.figures.get(scope) for each in comparison.members]
        known = [each for each in found if each is not None]
        if not known:
            continue
        difference = differences.get(scope)
        rows.append(
            GroupRow(
                name=scope.value,
                task_count=known[0].task_count,
                cells=[
                    GroupCell(
                        percent(each.task_completion.mean),
                        f"{each.completed_count}/{each.task_runs}",
                    )
                    if each
                    else GroupCell("—", "")
                    for each in found
                ],
                difference=_difference(difference) if difference else None,
                table=tables.get(scope.value),
            )
        )
    return rows


def kit_rows(comparison: Comparison) -> list[GroupRow]:
    """Kits that tasks of the shared snapshot touch, the most frequent first."""
    by_letter: dict[str, dict[str, int]] = {}
    counted: dict[str, TaskCounts] = {}
    for pair in comparison.pairs:
        for each in pair.kits:
            counted[each.name] = each
            by_letter.setdefault(pair.first.letter, {})[each.name] = (
                each.first_completed
            )
            by_letter.setdefault(pair.second.letter, {})[each.name] = (
                each.second_completed
            )
    alone = len(comparison.pairs) == 1
    return [
        GroupRow(
            name=name,
            task_count=each.task_count,
            cells=[
                _kit_cell(
                    by_letter.get(member.letter, {}).get(name),
                    each.task_count * member.evaluation.run_count,
                )
                for member in comparison.members
            ],
            difference=None,
            table=each.table if alone else None,
        )
        for name, each in counted.items()
    ]


def _kit_cell(completed: int | None, task_runs: int) -> GroupCell:
    if completed is None:
        return GroupCell("—", "")
    return GroupCell(
        percent(Fraction(completed, task_runs)), f"{completed}/{task_runs}"
    )
