"""What the task runs of one evaluation tell beyond its figures; none of it ranks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import NamedTuple

from django.db.models import Count, Q

from leaderboard.formats import percent
from leaderboard.metrics import pass_at_k, pass_hat_k, stability
from leaderboard.models import COUNTS, Evaluation, TaskResult

# Below that a share says more about the one task than about the Kit.
_ENOUGH_TASKS = 3
_SHOWN_KITS = 5


class Bucket(NamedTuple):
    """Tasks completed in ``runs`` of k runs; ``width`` in percent of the longest."""

    runs: int
    task_count: int
    width: float


class Chance(NamedTuple):
    """Shares of tasks that any and that all of ``k`` runs complete, in percent."""

    k: int
    any_run: str
    every_run: str


class Stability(NamedTuple):
    buckets: Sequence[Bucket]
    chances: Sequence[Chance]


class RepairBucket(NamedTuple):
    """Task runs with so many repair rounds; widths in percent of the longest bar."""

    rounds: int
    task_runs: int
    built: int
    built_width: float
    other_width: float


class Repairs(NamedTuple):
    buckets: Sequence[RepairBucket]
    not_reported: int


class KitShare(NamedTuple):
    name: str
    task_count: int
    completed: int
    task_runs: int
    percent: str
    width: float


@dataclass(frozen=True, slots=True)
class KitRanking:
    """All Kits from best to worst, or the ends of a longer list (then ``worst``).

    ``enough`` is the number of tasks that a Kit needed to be among them.
    """

    best: Sequence[KitShare]
    worst: Sequence[KitShare]
    enough: int

    @property
    def groups(self) -> list[Sequence[KitShare]]:
        return [each for each in (self.best, self.worst) if each]


def stability_of(evaluation: Evaluation) -> Stability | None:
    """None until every run of every task is decided."""
    rows = list(
        TaskResult.objects.filter(run__evaluation=evaluation)
        .order_by()
        .values_list("task")
        .annotate(decided=Count("pk"), done=Count("pk", filter=COUNTS))
    )
    runs = evaluation.run_count
    if not rows or any(decided != runs for _, decided, _ in rows):
        return None
    completed = [done for _, _, done in rows]
    counts = stability(completed, runs)
    largest = max(counts)
    return Stability(
        buckets=[
            Bucket(place, count, round(100 * count / largest, 2))
            for place, count in enumerate(counts)
        ],
        chances=[
            Chance(
                k,
                percent(pass_at_k(completed, runs, k)),
                percent(pass_hat_k(completed, runs, k)),
            )
            for k in sorted({1, 2, 3, runs})
            if k <= runs
        ],
    )


def repairs_of(evaluation: Evaluation) -> Repairs | None:
    """None where no task run tells its repair rounds."""
    rows = (
        TaskResult.objects.filter(run__evaluation=evaluation)
        .order_by()
        .values_list("repair_rounds")
        .annotate(all=Count("pk"), built=Count("pk", filter=Q(final_build_ok=True)))
    )
    found = {rounds: (total, built) for rounds, total, built in rows}
    not_reported, _ = found.pop(None, (0, 0))
    if not found:
        return None
    largest = max(total for total, _ in found.values())
    buckets = []
    for rounds in range(max(*found, evaluation.snapshot.repair_limit) + 1):
        total, built = found.get(rounds, (0, 0))
        built_width = round(100 * built / largest, 2)
        other_width = round(100 * (total - built) / largest, 2)
        buckets.append(RepairBucket(rounds, total, built, built_width, other_width))
    return Repairs(buckets, not_reported)


def kits_of(evaluation: Evaluation) -> KitRanking | None:
    """None where nothing is decided, or no task names a Kit."""
    rows = (
        TaskResult.objects.filter(run__evaluation=evaluation)
        .exclude(task__kits=None)
        .order_by()
        .values_list("task__kits__name")
        .annotate(
            tasks=Count("task", distinct=True),
            decided=Count("pk"),
            done=Count("pk", filter=COUNTS),
        )
    )
    everything = [_kit_share(*row) for row in rows]
    enough = [kit for kit in everything if kit.task_count >= _ENOUGH_TASKS]
    ranked = sorted(enough or everything, key=lambda kit: (-kit.width, kit.name))
    if not ranked:
        return None
    threshold = _ENOUGH_TASKS if enough else 1
    if len(ranked) <= 2 * _SHOWN_KITS:
        return KitRanking(ranked, [], threshold)
    worst = ranked[: -_SHOWN_KITS - 1 : -1]
    return KitRanking(ranked[:_SHOWN_KITS], worst, threshold)


def _kit_share(name: str, tasks: int, decided: int, done: int) -> KitShare:
    share = Fraction(done, decided)
    return KitShare(
        name, tasks, done, decided, percent(share), round(float(share * 100), 2)
    )
