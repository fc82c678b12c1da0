"""The tasks of a comparison in order of disagreement, with every run of each side."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from django.http import QueryDict
from django.urls import reverse

from leaderboard.comparison import Comparison, Member
from leaderboard.ignored import Ignored, one_of
from leaderboard.models import Task
from leaderboard.outcomes import Outcome, order
from leaderboard.paired import Rule, pair_cell
from leaderboard.presenters.ordering import href


class RunMark(NamedTuple):
    """One run with the name and the shape of its outcome."""

    number: int
    label: str
    shape: str
    href: str


class TaskCell(NamedTuple):
    """The runs of one member; without marks where they are not held."""

    completed: int
    marks: Sequence[RunMark]


class TaskRow(NamedTuple):
    """``cell`` is the set into which the task falls by the rule."""

    task: Task
    cell: str
    cells: Sequence[TaskCell]


class CellLink(NamedTuple):
    """A set of tasks; ``cell`` is empty for all of them."""

    cell: str
    task_count: int
    href: str
    current: bool


@dataclass(frozen=True, slots=True)
class TaskList:
    rows: Sequence[TaskRow]
    links: Sequence[CellLink]
    outcomes: Sequence[Outcome]

    @property
    def by_cell(self) -> Mapping[str, CellLink]:
        return {each.cell: each for each in self.links}


def task_list(
    comparison: Comparison | None,
    query: QueryDict,
    *,
    base: QueryDict,
    ignored: list[Ignored],
) -> TaskList | None:
    """None where there is nothing to compare task by task; ``?show=`` narrows it."""
    if comparison is None or not comparison.tasks:
        return None
    members = comparison.members
    held = [each for each in members if each.outcomes is not None]
    cell_of, cells = _sets(held, comparison.rule)
    by_task = {task.pk: cell_of(task) for task in comparison.tasks}
    counts = {cell: list(by_task.values()).count(cell) for cell in cells}
    show = query.get("show", "")
    if show and show not in counts:
        ignored.append(Ignored("show", show, one_of(counts)))
        show = ""
    outcomes = sorted(
        {
            outcome
            for each in held
            for runs in (each.outcomes or {}).values()
            for outcome in runs.values()
        },
        key=order,
    )
    # Translated once here, not once for each of many hundred marks.
    labels = {each.name: str(each.label) for each in outcomes}
    shown = [task for task in comparison.tasks if show in {"", by_task[task.pk]}]
    rows = [
        TaskRow(task, by_task[task.pk], [_cell(each, task, labels) for each in members])
        for task in shown
    ]
    return TaskList(
        rows=rows,
        links=[
            CellLink("", len(by_task), href(base) + "#tasks", not show),
            *(
                CellLink(cell, count, href(base, show=cell) + "#tasks", show == cell)
                for cell, count in counts.items()
            ),
        ],
        outcomes=outcomes,
    )


def _sets(
    held: Sequence[Member], rule: Rule
) -> tuple[Callable[[Task], str], tuple[str, ...]]:
    """How tasks are sorted into sets, and the sets in their order."""
    run_count = held[0].evaluation.run_count
    if len(held) == 2:
        first, second = held

        def cell(task: Task) -> str:
            mine, theirs = first.completed_runs(task), second.completed_runs(task)
            return pair_cell(mine, theirs, run_count, rule=rule)

        return cell, ("both", "only_first", "only_second", "neither")

    def share(task: Task) -> str:
        found = {rule.holds(each.completed_runs(task), run_count) for each in held}
        return "some" if len(found) > 1 else "all" if found.pop() else "none"

    return share, ("all", "some", "none")


def _cell(member: Member, task: Task, labels: Mapping[str, str]) -> TaskCell:
    if member.outcomes is None:
        return TaskCell(0, [])
    runs = member.outcomes[task.pk]
    return TaskCell(
        completed=member.completed_runs(task),
        marks=[
            RunMark(
                number,
                labels[found.name],
                found.mark,
                reverse("task-run", args=[member.evaluation.pk, number, task.slug]),
            )
            for number, found in sorted(runs.items())
        ],
    )
