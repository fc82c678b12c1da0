"""What changed between two snapshots: conditions, and tasks by digest."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from leaderboard.comparability import conditions_of, differing_fields
from leaderboard.models import EvaluationSnapshot, Task


class ChangedTask(NamedTuple):
    """A task of both; ``parts`` name what differs."""

    before: Task
    after: Task
    parts: Sequence[str]


@dataclass(frozen=True, slots=True)
class SnapshotDiff:
    """``tasks_held`` is False where the tasks of one snapshot are not held here."""

    before: EvaluationSnapshot
    after: EvaluationSnapshot
    conditions: Sequence[str]
    added: Sequence[Task]
    retired: Sequence[Task]
    changed: Sequence[ChangedTask]
    unchanged: int
    tasks_held: bool


def snapshot_diff(
    before: EvaluationSnapshot, after: EvaluationSnapshot
) -> SnapshotDiff:
    """Compare the two; three queries for the tasks of each."""
    old = {task.slug: task for task in _tasks(before)}
    new = {task.slug: task for task in _tasks(after)}
    shared = [slug for slug in new if slug in old]
    changed = [
        ChangedTask(old[slug], new[slug], parts)
        for slug in shared
        if (parts := _differing_parts(old[slug], new[slug]))
    ]
    held = bool(old) and bool(new)
    return SnapshotDiff(
        before=before,
        after=after,
        conditions=differing_fields(conditions_of(before), conditions_of(after)),
        added=[task for slug, task in new.items() if slug not in old] if held else [],
        retired=[task for slug, task in old.items() if slug not in new] if held else [],
        changed=changed,
        unchanged=len(shared) - len(changed),
        tasks_held=held,
    )


def task_digest(task: Task) -> str:
    """SHA-256 over all that an agent is given and must do; needs F-points and Kits."""
    return _digest(_parts(task))


def is_same(before: Task, after: Task) -> bool:
    """Whether nothing in the folders of the two tasks differs, as far as is known."""
    if before.digest and after.digest:
        return before.digest == after.digest
    return task_digest(before) == task_digest(after)


def _tasks(snapshot: EvaluationSnapshot) -> list[Task]:
    return list(snapshot.tasks.prefetch_related("f_points", "kits"))


def _parts(task: Task) -> dict[str, object]:
    """The task by parts. The hidden checks are not among them: their digest is the
    snapshot's, and no page shows it task by task."""
    return {
        "statement": [task.title, task.statement],
        "base": [task.base_digest, task.bundle_name, task.build_paths],
        "f_points": [
            [each.f_point, each.scenario, each.description, each.case, each.method]
            for each in task.f_points.all()
        ],
        "reference": [task.reference_files, task.reference_lines],
        "facts": [task.source, task.difficulty, task.repository],
        "kits": sorted(kit.name for kit in task.kits.all()),
    }


def _differing_parts(before: Task, after: Task) -> list[str]:
    old, new = _parts(before), _parts(after)
    parts = [name for name in old if _digest(old[name]) != _digest(new[name])]
    # What is left of a folder that differs is what no page shows.
    return parts or ([] if is_same(before, after) else ["checks"])


def _digest(value: object) -> str:
    return hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()
