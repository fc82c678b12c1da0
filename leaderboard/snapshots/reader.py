"""Reads a task package from its folder and finds every fault in it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from leaderboard.metrics import Scope
from leaderboard.patch_counts import PatchCounts
from leaderboard.snapshots.approvals import CURATION, CurationFile, check_approvals
from leaderboard.snapshots.bases import resolve_base
from leaderboard.snapshots.faults import Fault, Faults, PackageError
from leaderboard.snapshots.format import SnapshotFile, TaskFile
from leaderboard.snapshots.outline import outline
from leaderboard.snapshots.patches import check_wrong_patches, read_patch
from leaderboard.snapshots.progress import Progress, silent
from leaderboard.snapshots.safeguards import check_base, check_canary
from leaderboard.snapshots.screens import check_screens
from leaderboard.snapshots.scripts import check_scripts
from leaderboard.snapshots.strict import Document, read_document, read_text
from leaderboard.snapshots.task_file import check_facts
from leaderboard.snapshots.task_sources import (
    check_source,
    check_sources,
    package_sources,
    sources_of,
)
from leaderboard.snapshots.tree import (
    listed_files,
    script_digest,
    task_set_digest,
    task_slugs,
)
from leaderboard.trees import LINK, files_digest, project_files, tree_digest


@dataclass(frozen=True, slots=True)
class PackagedTask:
    """``digest`` covers the whole folder of the task: what curators approve."""

    facts: TaskFile
    statement: str
    base_digest: str
    digest: str
    reference: PatchCounts


@dataclass(frozen=True, slots=True)
class Package:
    """A task package without faults; ``tasks`` are sorted by source, then slug.

    ``digest`` covers every file, ``task_set_digest`` all of the tasks but their checks,
    ``script_digest`` the checks. ``curation`` are approvals that it brings along.
    """

    folder: Path
    facts: SnapshotFile
    tasks: tuple[PackagedTask, ...]
    curation: CurationFile | None
    digest: str
    task_set_digest: str
    script_digest: str

    def counts(self) -> dict[Scope, tuple[int, int]]:
        """Tasks and F-points of overall and of each fixed source that has tasks.

        Streams are no scopes: :meth:`stream_counts` has their tasks.
        """
        fixed = self.facts.policy.fixed_sources is not None
        tasks: Counter[Scope] = Counter()
        f_points: Counter[Scope] = Counter()
        for task in self.tasks:
            own = [Scope(task.facts.source)] if fixed else []
            for scope in (Scope.OVERALL, *own):
                tasks[scope] += 1
                f_points[scope] += len(task.facts.f_points)
        return {scope: (tasks[scope], f_points[scope]) for scope in tasks}

    def stream_counts(self) -> dict[str, int]:
        """Tasks of each stream, in the order of snapshot.json; none by fixed ones."""
        tasks = Counter(task.facts.source for task in self.tasks)
        return {each.slug: tasks[each.slug] for each in self.facts.streams}


class _Common(NamedTuple):
    """What snapshot.json says of every task; ``sources`` as in package_sources()."""

    canary: str
    sources: Sequence[str] | None


class _Read(NamedTuple):
    """One task: its source where that can be read, and all of it without faults."""

    source: str | None
    task: PackagedTask | None


def read_package(folder: Path, *, progress: Progress = silent) -> Package:
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
    document = read_document(folder, "snapshot.json", SnapshotFile, faults=faults)
    slugs = task_slugs(files, faults=faults)
    if not slugs:
        faults.add("tasks", "", saw="no task", fix="Add at least one task folder.")
    common = _Common(
        canary=_at(document, "benchmark").get("canary") or "",
        sources=package_sources(document),
    )
    read = []
    for done, slug in enumerate(slugs, start=1):
        read.append(_read_task(folder, slug, common=common, faults=faults))
        progress("Tasks read", done, len(slugs))
    curation = _read_curation(folder, slugs, faults=faults)
    _check_derivation(_at(document, "derived_from"), slugs, faults=faults)
    check_sources(document, [each.source for each in read], faults=faults)
    facts = document.model
    if faults.found or facts is None:
        raise PackageError(faults.found)
    return Package(
        folder=folder,
        facts=facts,
        tasks=_in_catalogue_order((each.task for each in read), sources_of(facts)),
        curation=curation,
        digest=files_digest(folder, files),
        task_set_digest=task_set_digest(folder, files),
        script_digest=script_digest(folder, files),
    )


def _at(document: Document[SnapshotFile], part: str) -> Mapping[str, Any]:
    """What is sound of a part of ``snapshot.json``; empty where nothing is."""
    whole = document.sound if isinstance(document.sound, dict) else {}
    found: Mapping[str, Any] = whole.get(part) or {}
    return found


def _in_catalogue_order(
    tasks: Iterable[PackagedTask | None], sources: Sequence[str]
) -> tuple[PackagedTask, ...]:
    def place(task: PackagedTask) -> tuple[int, str]:
        return sources.index(task.facts.source), task.facts.slug

    return tuple(sorted(filter(None, tasks), key=place))


def _read_curation(
    folder: Path, slugs: Sequence[str], *, faults: Faults
) -> CurationFile | None:
    if not (folder / CURATION).exists():
        return None
    document = read_document(folder, CURATION, CurationFile, faults=faults)
    digests = {slug: _digest_as_found(folder / "tasks" / slug) for slug in slugs}
    check_approvals(document, digests, faults=faults)
    return document.model


def _digest_as_found(task: Path) -> str:
    """Without symbolic links, which are faults already and never followed."""
    files = project_files(task, links=True)
    return files_digest(task, [each for each in files if each.mode != LINK])


def _check_derivation(
    derived: Mapping[str, Any], slugs: Sequence[str], *, faults: Faults
) -> None:
    for name, here in (("added", True), ("changed", True), ("retired", False)):
        place, listed = f"derived_from.{name}", derived.get(name) or ()
        faults.add_doubles("snapshot.json", place, listed)
        for slug in listed:
            if slug is not None and (slug in slugs) is not here:
                faults.add(
                    "snapshot.json",
                    place,
                    saw=f"{slug}, which is {'not ' if here else ''}in this package",
                    fix="Correct the list, or the tasks.",
                )


def _read_task(folder: Path, slug: str, *, common: _Common, faults: Faults) -> _Read:
    """One task; no task once the package has faults, which are noted."""
    task = f"tasks/{slug}"
    document = read_document(folder, f"{task}/task.json", TaskFile, faults=faults)
    statement = read_text(folder, f"{task}/statement.md", faults=faults)
    reference = read_patch(folder, f"{task}/reference.patch", faults=faults)
    base = resolve_base(folder, task, faults=faults)
    if base is not None:
        patch = folder / task / "reference.patch"
        check_base(base, f"{task}/base", patch, faults=faults)
    found = outline(document)
    check_facts(found, slug, faults=faults)
    source = check_source(document, f"{task}/task.json", common.sources, faults=faults)
    check_scripts(folder, task, found.f_points, faults=faults)
    check_wrong_patches(folder, task, found, faults=faults)
    check_screens(folder, task, found, faults=faults)
    if common.canary:
        check_canary(folder, task, common.canary, faults=faults)
    facts = document.model
    if faults.found or facts is None or statement is None:
        return _Read(source, None)
    if reference is None or base is None:
        return _Read(source, None)
    whole = tree_digest(folder / task)
    packaged = PackagedTask(facts, statement, tree_digest(base), whole, reference)
    return _Read(source, packaged)
