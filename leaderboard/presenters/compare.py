"""The page that compares up to four evaluations."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import NamedTuple

from django.http import QueryDict
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from leaderboard.charts import RunAxis, RunTicks, run_axis, run_ticks
from leaderboard.comparison import (
    Choice,
    Comparison,
    Fault,
    Member,
    compare,
)
from leaderboard.current import current_of, listed_snapshots
from leaderboard.formats import MILLION, THOUSAND
from leaderboard.ignored import Ignored, one_of
from leaderboard.metrics import Scope
from leaderboard.models import Benchmark, Evaluation
from leaderboard.paired import Rule
from leaderboard.presenters.compare_choice import Picker, pickers
from leaderboard.presenters.compare_pairs import (
    Condition,
    GroupRow,
    PairRow,
    conditions,
    kit_rows,
    pair_rows,
    source_rows,
)
from leaderboard.presenters.compare_tasks import TaskList, task_list
from leaderboard.presenters.ordering import href
from leaderboard.presenters.rows import Figures, figures_text
from leaderboard.standings import standings

RULES: Mapping[Rule, str | Promise] = {
    Rule.MAJORITY: _("most runs"),
    Rule.ANY: _("any run"),
    Rule.ALL: _("every run"),
}


class MemberRow(NamedTuple):
    """One evaluation of the comparison; ``figures`` is None while it is not scored."""

    letter: str
    evaluation: Evaluation
    figures: Figures | None
    runs: RunTicks | None


class RuleLink(NamedTuple):
    label: str | Promise
    href: str
    current: bool


@dataclass(frozen=True, slots=True)
class ComparePage:
    """``comparison`` is None where fewer than two evaluations were named."""

    pickers: Sequence[Picker]
    more_to_pick: bool
    faults: Sequence[Fault]
    ignored: Sequence[Ignored]
    suggestion: str
    comparison: Comparison | None
    swap_href: str
    rules: Sequence[RuleLink]
    axis: RunAxis
    unit: int
    members: Sequence[MemberRow]
    conditions: Sequence[Condition]
    pairs: Sequence[PairRow]
    sources: Sequence[GroupRow]
    kits: Sequence[GroupRow]
    tasks: TaskList | None

    @property
    def unit_is_million(self) -> bool:
        return self.unit == MILLION

    @property
    def pair(self) -> PairRow | None:
        """The only pair, where there is just one."""
        return self.pairs[0] if len(self.pairs) == 1 else None

    @property
    def without_tasks(self) -> str:
        """Names of those whose outcomes of single tasks are not held."""
        found = self.comparison.without_tasks if self.comparison else []
        return _(", ").join(each.evaluation.configuration.model for each in found)

    @property
    def first_held(self) -> str:
        return self._held[0]

    @property
    def second_held(self) -> str:
        return self._held[1]

    @property
    def _held(self) -> list[str]:
        """Letters of those whose outcomes of single tasks are held."""
        members = self.comparison.members if self.comparison else []
        return [each.letter.upper() for each in members if each.outcomes is not None]

    @property
    def synthetic(self) -> Benchmark | None:
        """The benchmark of a member that is made up; None without one."""
        found = (row.evaluation.snapshot.benchmark for row in self.members)
        return next((each for each in found if each.is_synthetic), None)

    @property
    def simulated(self) -> bool:
        return any(row.evaluation.simulated for row in self.members)


def compare_page(query: QueryDict, choice: Choice) -> ComparePage:
    """Everything the page shows, in a fixed number of queries."""
    members = choice.members
    ignored: list[Ignored] = []
    rule = _rule(query, ignored)
    comparison = compare(members, rule) if len(members) > 1 else None
    # Addresses on the page name the evaluations that are really compared.
    base = _base(members, rule)
    picked, more = pickers(members)
    rows, axis, unit = _member_rows(comparison)
    tasks = task_list(comparison, query, base=base, ignored=ignored)
    return ComparePage(
        pickers=picked,
        more_to_pick=more,
        faults=choice.faults,
        ignored=ignored,
        suggestion="" if members else _suggestion(),
        comparison=comparison,
        swap_href=swap_href(base, members),
        rules=[
            RuleLink(
                label,
                href(base, by=None if each == Rule.MAJORITY else each.value),
                each == rule,
            )
            for each, label in RULES.items()
        ],
        axis=axis,
        unit=unit,
        members=rows,
        conditions=conditions(comparison) if comparison else [],
        pairs=pair_rows(comparison, base) if comparison else [],
        sources=source_rows(comparison) if comparison else [],
        kits=kit_rows(comparison) if comparison else [],
        tasks=tasks,
    )


def _rule(query: QueryDict, ignored: list[Ignored]) -> Rule:
    wanted = query.get("by", "")
    if wanted in list(Rule):
        return Rule(wanted)
    if wanted:
        ignored.append(Ignored("by", wanted, one_of(Rule)))
    return Rule.MAJORITY


def _base(members: Mapping[str, Evaluation], rule: Rule) -> QueryDict:
    base = QueryDict(mutable=True)
    for letter, evaluation in members.items():
        base[letter] = str(evaluation.pk)
    if rule != Rule.MAJORITY:
        base["by"] = rule.value
    return base


def swap_href(base: QueryDict, members: Mapping[str, Evaluation]) -> str:
    """Two change places; with more there is nothing to swap."""
    if len(members) != 2:
        return ""
    (first, mine), (second, theirs) = members.items()
    return href(base, **{first: str(theirs.pk), second: str(mine.pk)})


def _suggestion() -> str:
    """The first two of the current leaderboard, where there are two."""
    snapshot = current_of(listed_snapshots())
    rows = standings(snapshot).rows[:2] if snapshot else ()
    if len(rows) < 2:
        return ""
    return f"?a={rows[0].evaluation.pk}&b={rows[1].evaluation.pk}"


def _member_rows(
    comparison: Comparison | None,
) -> tuple[list[MemberRow], RunAxis, int]:
    members = comparison.members if comparison else []
    overall = [each.figures.get(Scope.OVERALL) for each in members]
    known = [each for each in overall if each is not None]
    axis = run_axis(each.task_completion for each in known)
    tokens = max((each.tokens_per_task or Fraction(0) for each in known), default=0)
    unit = THOUSAND if 0 < tokens < MILLION // 10 else MILLION
    return (
        [_member_row(each, axis=axis, unit=unit) for each in members],
        axis,
        unit,
    )


def _member_row(member: Member, *, axis: RunAxis, unit: int) -> MemberRow:
    found = member.figures.get(Scope.OVERALL)
    return MemberRow(
        letter=member.letter.upper(),
        evaluation=member.evaluation,
        figures=figures_text(found, unit) if found else None,
        runs=run_ticks(found.completed_by_run, found.task_count, axis=axis)
        if found
        else None,
    )
