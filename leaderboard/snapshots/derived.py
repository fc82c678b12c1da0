"""What is computed from a package at import: Kits of tasks, statistics of a snapshot.

Pages read what is stored here; none of it is part of what a snapshot promises to keep,
so a better rule may compute it anew.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from django.db.models import Count
from django.utils.text import slugify

from leaderboard.benchmark_files import benchmark_file
from leaderboard.kit_names import KitList, kit_list, same_kits, sdk_facts
from leaderboard.kits import kits_of_patch
from leaderboard.models import EvaluationSnapshot, Kit, Task
from leaderboard.snapshots.bases import base_below
from leaderboard.snapshots.progress import Progress, silent
from leaderboard.snapshots.reader import PackagedTask
from leaderboard.statistics import TaskFacts, input_length, snapshot_statistics


class KitDifference(NamedTuple):
    """A task whose declared Kits are not those that its reference patch touches."""

    task: Task
    declared: Sequence[str]
    computed: Sequence[str]

    def __str__(self) -> str:
        return (
            f"tasks/{self.task.slug}/task.json, kits: saw {_names(self.declared)}; the "
            f"reference patch touches {_names(self.computed)}. The site shows the "
            "latter. Correct the list, or see that the patch is the right one."
        )


def write_derived(
    snapshot: EvaluationSnapshot,
    folder: Path,
    tasks: Sequence[PackagedTask],
    *,
    progress: Progress = silent,
) -> None:
    """Compute anew and store what differs, for the package in ``folder``."""
    rows = {task.slug: task for task in snapshot.tasks.prefetch_related("kits")}
    for done, packaged in enumerate(tasks, start=1):
        slug = packaged.facts.slug
        _write_kits(
            rows[slug],
            computed=reference_kits(folder / "tasks" / slug, packaged.base_digest),
            declared=packaged.facts.kits,
        )
        progress("Kits read from references", done, len(tasks))
    found = computed_statistics(snapshot)
    if snapshot.statistics != found:
        snapshot.statistics = found
        snapshot.save(update_fields=["statistics"])


def reference_kits(task: Path, base_digest: str) -> tuple[str, ...]:
    """Printed names of the Kits that the reference patch in a task's folder touches."""
    project = base_below(task, base_digest).resolve()

    def base(path: str) -> str | None:
        file = (project / path).resolve()
        # A patch may name any path as the earlier one of a renamed file.
        if not file.is_relative_to(project) or not file.is_file():
            return None
        return file.read_bytes().decode("utf-8", "replace")

    patch = (task / "reference.patch").read_bytes().decode("utf-8", "replace")
    return kits_of_patch(patch, base)


def computed_statistics(snapshot: EvaluationSnapshot) -> dict[str, Any]:
    """The statistics of the tasks that are held, in two queries; empty without any."""
    tasks = (
        snapshot.tasks.annotate(f_point_count=Count("f_points"))
        .prefetch_related("kits")
        .order_by("position", "slug")
    )
    facts = [
        TaskFacts(
            source=task.source,
            difficulty=task.difficulty,
            repository=task.repository,
            input_length=input_length(task.statement),
            f_point_count=task.f_point_count,
            reference_files=task.reference_files,
            reference_lines=task.reference_lines,
            kits=[kit.name for kit in task.kits.all()],
        )
        for task in tasks
    ]
    if not facts:
        return {}
    return snapshot_statistics(
        facts, configured_kits(snapshot), sdk_commit=sdk_facts().commit
    )


def configured_kits(snapshot: EvaluationSnapshot) -> KitList:
    return kit_list(benchmark_file(snapshot.benchmark.slug, "kits.json"))


def kit_differences(snapshot: EvaluationSnapshot) -> list[KitDifference]:
    """Tasks whose declared Kits differ from the computed ones, in two queries."""
    tasks = snapshot.tasks.exclude(declared_kits=None).prefetch_related("kits")
    return [found for task in tasks if (found := kit_difference(task))]


def kit_difference(task: Task) -> KitDifference | None:
    """How the declared Kits of ``task`` differ; None if not, or if not computed."""
    computed = [kit.name for kit in task.kits.all()]
    if task.declared_kits is None or same_kits(task.declared_kits, computed):
        return None
    return KitDifference(task, task.declared_kits, computed)


def _write_kits(task: Task, *, computed: Sequence[str], declared: list[str]) -> None:
    if {kit.name for kit in task.kits.all()} != set(computed):
        task.kits.set([_kit(name) for name in computed])
    if task.declared_kits != declared:
        task.declared_kits = declared
        task.save(update_fields=["declared_kits"])


def _kit(name: str) -> Kit:
    """The Kit of that name; two spellings of one slug are the same Kit."""
    kit, _ = Kit.objects.get_or_create(slug=slugify(name), defaults={"name": name})
    return kit


def _names(kits: Sequence[str]) -> str:
    return ", ".join(kits) or "none"
