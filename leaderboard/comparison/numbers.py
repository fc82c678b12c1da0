"""The numbers of a comparison, the same for the page and the API.

A difference and a verdict need equal conditions; what happened task by task needs the
outcomes of single tasks, which reports do not give.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Literal

from leaderboard.comparability import conditions_of, differing_fields
from leaderboard.comparison.members import Member, members_of
from leaderboard.comparison.pairs import Groups, Pair, pair_of
from leaderboard.models import Evaluation, Kit, Provenance, Task
from leaderboard.paired import Rule

Obstacle = Literal[
    "other_conditions", "unfinished", "self_reported", "unverified", "baseline"
]


@dataclass(frozen=True, slots=True)
class Comparison:
    """``obstacles`` say why no verdict is given, ``differing`` which conditions differ.

    ``pairs`` is empty where conditions differ; ``tasks`` are those of the shared
    snapshot in order of disagreement, empty where fewer than two members have their
    outcomes.
    """

    members: Sequence[Member]
    rule: Rule
    obstacles: Sequence[Obstacle]
    differing: Sequence[str]
    pairs: Sequence[Pair]
    tasks: Sequence[Task]

    @property
    def same_conditions(self) -> bool:
        return "other_conditions" not in self.obstacles

    @property
    def without_tasks(self) -> list[Member]:
        """Finished members whose outcomes of single tasks are not held.

        Under different conditions nobody looks for them.
        """
        if not self.same_conditions:
            return []
        return [each for each in self.members if each.figures and not each.outcomes]


def compare(evaluations: Mapping[str, Evaluation], rule: Rule) -> Comparison:
    """Compare evaluations by letter, each with its ``summary`` attached.

    Three queries at most, whatever the number of tasks.
    """
    keys = {each.comparability_key for each in evaluations.values()}
    shared = len(evaluations) > 1 and len(keys) == 1
    members = members_of(evaluations, with_outcomes=shared)
    obstacles = _obstacles(members, shared=shared)
    by_task = [each for each in members if each.outcomes is not None]
    tasks, kits = _tasks(by_task[0].evaluation) if len(by_task) > 1 else ([], {})
    pairs = combinations(members, 2) if shared else ()
    return Comparison(
        members=members,
        rule=rule,
        obstacles=obstacles,
        differing=[] if shared else _differing(evaluations.values()),
        pairs=[
            pair_of(
                first,
                second,
                tasks=tasks,
                kits=kits,
                rule=rule,
                verdict=not obstacles,
            )
            for first, second in pairs
        ],
        tasks=_by_disagreement(tasks, by_task),
    )


def _obstacles(members: Sequence[Member], *, shared: bool) -> list[Obstacle]:
    found: list[Obstacle] = []
    evaluations = [each.evaluation for each in members]
    if not shared and len(members) > 1:
        found.append("other_conditions")
    if not all(each.figures for each in members):
        found.append("unfinished")
    if any(each.provenance == Provenance.SELF_REPORTED for each in evaluations):
        found.append("self_reported")
    if any(each.unverified for each in evaluations):
        found.append("unverified")
    if any(each.provenance == Provenance.BASELINE for each in evaluations):
        found.append("baseline")
    return found


def _differing(evaluations: Iterable[Evaluation]) -> list[str]:
    """Names of the conditions in which snapshots, or evaluations on them, differ."""
    rows = list(evaluations)
    conditions = [conditions_of(each.snapshot) for each in rows]
    names = dict.fromkeys(
        name
        for other in conditions[1:]
        for name in differing_fields(conditions[0], other)
    )
    for each in rows:
        names |= dict.fromkeys(str(name) for name in each.differing_fields)
    return list(names)


def _tasks(evaluation: Evaluation) -> tuple[list[Task], Groups]:
    """The shared snapshot's tasks, and the places of its tasks by Kit; two queries.

    The most frequent Kit comes first.
    """
    tasks = list(evaluation.snapshot.tasks.all())
    places = {task.pk: place for place, task in enumerate(tasks)}
    kits: dict[str, list[int]] = {}
    rows = Kit.objects.filter(tasks__snapshot=evaluation.snapshot_id)
    for name, task in rows.values_list("name", "tasks"):
        kits.setdefault(name, []).append(places[task])
    return tasks, dict(sorted(kits.items(), key=lambda kit: -len(kit[1])))


def _by_disagreement(tasks: Sequence[Task], members: Sequence[Member]) -> list[Task]:
    """The widest gap between members first, catalogue order inside."""

    def agreement(task: Task) -> int:
        counts = [each.completed_runs(task) for each in members]
        return min(counts) - max(counts)

    return sorted(tasks, key=agreement)
