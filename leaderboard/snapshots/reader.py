"""Reads a task package from its folder and finds every fault in it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from leaderboard.metrics import Scope
from leaderboard.models import TaskSource
from leaderboard.patch_counts import PatchCounts, PatchFormatError, count_patch
from leaderboard.snapshots.faults import Fault, Faults, PackageError, shown
from leaderboard.snapshots.format import SnapshotFile, TaskFile
from leaderboard.snapshots.scripts import check_scripts
from leaderboard.snapshots.strict import read_model, read_text
from leaderboard.snapshots.tree import (
    listed_files,
    script_digest,
    task_set_digest,
    task_slugs,
)
from leaderboard.trees import files_digest, tree_digest


@dataclass(frozen=True, slots=True)
class PackagedTask:
    facts: TaskFile
    statement: str
    base_digest: str
    reference: PatchCounts


@dataclass(frozen=True, slots=True)
class Package:
    """A task package without faults; ``tasks`` are sorted by source, then slug.

    ``digest`` covers every file, ``task_set_digest`` all of the tasks but their checks,
    ``script_digest`` the checks.
    """

    folder: Path
    facts: SnapshotFile
    tasks: tuple[PackagedTask, ...]
    digest: str
    task_set_digest: str
    script_digest: str

    def counts(self) -> dict[Scope, tuple[int, int]]:
        """Tasks and F-points of overall and of each source that has tasks."""
        tasks: Counter[Scope] = Counter()
        f_points: Counter[Scope] = Counter()
        for task in self.tasks:
            for scope in (Scope.OVERALL, Scope(task.facts.source)):
                tasks[scope] += 1
                f_points[scope] += len(task.facts.f_points)
        return {scope: (tasks[scope], f_points[scope]) for scope in tasks}


def read_package(folder: Path) -> Package:
    """Read the package in ``folder``; raise PackageError with every fault it has."""
    if not folder.is_dir():
        raise PackageError(
            [
                Fault(
                    str(folder),
                    "",
                    "no such folder",
                    "Name the folder that holds snapshot.json.",
                )
            ]
        )
    faults = Faults()
    files = listed_files(folder, faults=faults)
    facts = read_model(folder, "snapshot.json", SnapshotFile, faults=faults)
    slugs = task_slugs(files, faults=faults)
    if not slugs:
        faults.add("tasks", "", saw="no task", fix="Add at least one task folder.")
    tasks = [_read_task(folder, slug, faults=faults) for slug in slugs]
    if faults.found or facts is None:
        raise PackageError(faults.found)
    return Package(
        folder=folder,
        facts=facts,
        tasks=tuple(
            sorted((task for task in tasks if task is not None), key=_catalogue_order)
        ),
        digest=files_digest(folder, files),
        task_set_digest=task_set_digest(folder, files),
        script_digest=script_digest(folder, files),
    )


def _catalogue_order(task: PackagedTask) -> tuple[int, str]:
    return list(TaskSource).index(task.facts.source), task.facts.slug


def _read_task(folder: Path, slug: str, *, faults: Faults) -> PackagedTask | None:
    """One task; None once the package has faults, which are noted."""
    task = f"tasks/{slug}"
    facts = read_model(folder, f"{task}/task.json", TaskFile, faults=faults)
    statement = read_text(folder, f"{task}/statement.md", faults=faults)
    reference = _read_reference(folder, f"{task}/reference.patch", faults=faults)
    base = folder / task / "base"
    if not base.is_dir() or not any(base.iterdir()):
        faults.add(f"{task}/base", "", saw="no project", fix="Add the base project.")
    if facts is not None:
        _check_facts(facts, slug, faults=faults)
        check_scripts(folder, task, facts.f_points, faults=faults)
    if faults.found or facts is None or statement is None or reference is None:
        return None
    return PackagedTask(facts, statement, tree_digest(base), reference)


def _read_reference(folder: Path, name: str, *, faults: Faults) -> PatchCounts | None:
    text = read_text(folder, name, faults=faults)
    if text is None:
        return None
    try:
        counts = count_patch(text)
    except PatchFormatError as error:
        faults.add(
            name,
            "",
            saw=f"a text that is not a patch in git's format ({error})",
            fix="Make it with 'git diff --binary' against the base project.",
        )
        return None
    for path in counts.paths:
        _check_path(path, name, "diff --git", faults=faults)
    return counts


def _check_facts(facts: TaskFile, slug: str, *, faults: Faults) -> None:
    name = f"tasks/{slug}/task.json"
    if facts.slug != slug:
        faults.add(
            name,
            "slug",
            saw=shown(facts.slug),
            fix=f"Name the folder and the slug alike; the folder is {slug!r}.",
        )
    _note_doubles(name, "f_points", [each.id for each in facts.f_points], faults=faults)
    _note_doubles(
        name,
        "f_points",
        [f"{each.case}.{each.method}" for each in facts.f_points],
        faults=faults,
    )
    _note_doubles(name, "kits", facts.kits, faults=faults)
    _note_doubles(name, "build_paths", facts.build_paths, faults=faults)
    for place, path in enumerate(facts.build_paths):
        _check_path(path, name, f"build_paths[{place}]", faults=faults)


def _note_doubles(
    name: str, place: str, values: Sequence[str], *, faults: Faults
) -> None:
    for value, count in Counter(values).items():
        if count > 1:
            faults.add(
                name,
                place,
                saw=f"{shown(value)} {count} times",
                fix="Keep one of them.",
            )


def _check_path(path: str, name: str, place: str, *, faults: Faults) -> None:
    parts = path.split("/")
    if path.startswith("/") or "\\" in path or {"", ".", "..", ".git"} & set(parts):
        faults.add(
            name,
            place,
            saw=shown(path),
            fix="Write a path below the base project, with slashes.",
        )
