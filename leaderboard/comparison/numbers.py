"""The numbers of a comparison, the same for the page and the API.

A difference and a verdict need equal conditions; what happened task by task needs the
outcomes of single tasks, which reports do not give.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from leaderboard.comparability import attach_decisions
from leaderboard.comparison.conditions import (
    Obstacle,
    differing_conditions,
    obstacles_of,
    share_conditions,
)
from leaderboard.comparison.members import Member, members_of
from leaderboard.comparison.pairs import Groups, Pair, pair_of
from leaderboard.models import Evaluation, Kit, Task
from leaderboard.paired import Rule


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

    Four queries at most, whatever the number of tasks.
    """
    attach_decisions(evaluations.values())
    shared = share_conditions(evaluations.values())
    members = members_of(evaluations, with_outcomes=shared)
    finished = all(each.figures for each in members)
    obstacles = obstacles_of(evaluations.values(), shared=shared, finished=finished)
    by_task = [each for each in members if each.outcomes is not None]
    tasks, kits = _tasks(by_task[0].evaluation) if len(by_task) > 1 else ([], {})
    pairs = combinations(members, 2) if shared else ()
    return Comparison(
        members=members,
        rule=rule,
        obstacles=obstacles,
        differing=[] if shared else differing_conditions(evaluations.values()),
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
