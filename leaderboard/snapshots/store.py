"""Imports task packages into the database and the data folder, and exports them."""

from __future__ import annotations

import shutil
from functools import partial
from pathlib import Path
from typing import Any
from uuid import uuid4

from django.conf import settings
from django.db import transaction

from leaderboard.models import EvaluationSnapshot, is_synthetic, record
from leaderboard.snapshots.faults import Fault, Faults, PackageError
from leaderboard.snapshots.lookup import package_folder
from leaderboard.snapshots.progress import Progress, silent
from leaderboard.snapshots.reader import Package, read_package
from leaderboard.snapshots.rows import Imported, SnapshotConflictError, save
from leaderboard.snapshots.tree import listed_files, script_digest, task_set_digest
from leaderboard.trees import TreeError, copy_project, tree_digest


class ExportError(Exception):
    """A package cannot be written out."""


def import_package(
    folder: Path, *, synthetic: bool = False, progress: Progress = silent
) -> Imported:
    """Import the package in ``folder`` as a draft snapshot, wholly or not at all.

    The same package a second time changes nothing. A draft that nothing was measured
    on yet is replaced; any other snapshot of that version must hold the same. What is
    made up to measure the software is refused unless it is meant to be ``synthetic``.
    """
    package = read_package(folder, progress=progress)
    if not synthetic:
        _refuse_synthetic(package)
    relative = Path("snapshots", package.facts.benchmark.slug, package.facts.version)
    target = Path(settings.DATA_DIR) / relative
    incoming = target.with_name(f".incoming-{uuid4().hex}")
    try:
        copy_project(folder, incoming, copied=partial(progress, "Files copied"))
        if tree_digest(incoming) != package.digest:
            raise SnapshotConflictError(
                f"{folder} changed while it was being imported. Import it again."
            )
        with transaction.atomic():
            imported = save(package, relative=relative, progress=progress)
            if imported.changed:
                record("import snapshot", imported.snapshot, after=_audited(package))
            if imported.changed or not _holds(target, package):
                _put(incoming, target)
            else:
                _refresh_top(incoming, target)
    finally:
        shutil.rmtree(incoming, ignore_errors=True)
    return imported


def export_package(snapshot: EvaluationSnapshot, folder: Path) -> None:
    """Write the package of ``snapshot`` to ``folder`` as it was imported.

    File contents and execute bits are those of the import; ``folder`` must not exist or
    be empty.
    """
    source = package_folder(snapshot)
    stored = read_package(source)
    if (stored.task_set_digest, stored.script_digest) != (
        snapshot.task_set_digest,
        snapshot.script_digest,
    ):
        raise ExportError(
            f"The stored package of {snapshot} is not the one that was imported: its "
            "digests differ. Restore it from a backup, or import it again."
        )
    try:
        if folder.is_dir() and not any(folder.iterdir()):
            folder.rmdir()
        copy_project(source, folder)
    except (OSError, TreeError) as error:
        raise ExportError(
            f"{error} Name a folder that does not exist yet, in one you may write to."
        ) from None


def _audited(package: Package) -> dict[str, Any]:
    """What the audit trail keeps of an import: digests, and where a version is from."""
    after: dict[str, Any] = {
        "task_set_digest": package.task_set_digest,
        "script_digest": package.script_digest,
    }
    if package.facts.derived_from is not None:
        after["derived_from"] = package.facts.derived_from.model_dump(mode="json")
    return after


def _refuse_synthetic(package: Package) -> None:
    slug = package.facts.benchmark.slug
    if is_synthetic(slug):
        raise PackageError(
            [
                Fault(
                    "snapshot.json",
                    "benchmark.slug",
                    f"{slug!r}, a name for what is made up to measure the software",
                    "Import it with --synthetic where no visitor takes it for a "
                    "benchmark, or correct the name.",
                )
            ]
        )


def _holds(target: Path, package: Package) -> bool:
    """Whether the tasks and checks of ``package`` lie at ``target`` already.

    They are then left alone: an evaluation may be reading them.
    """
    if not target.is_dir():
        return False
    files = listed_files(target, faults=Faults())
    return (task_set_digest(target, files), script_digest(target, files)) == (
        package.task_set_digest,
        package.script_digest,
    )


def _refresh_top(incoming: Path, target: Path) -> None:
    """Bring the files beside the tasks up to date; they say nothing to a stage."""
    for path in target.iterdir():
        if path.is_file() and not (incoming / path.name).exists():
            path.unlink()
    for path in incoming.iterdir():
        if path.is_file():
            path.replace(target / path.name)


def _put(incoming: Path, target: Path) -> None:
    """Move the copy to its place; nobody sees a part of it."""
    if not target.exists():
        incoming.rename(target)
        return
    old = target.with_name(f".old-{uuid4().hex}")
    target.rename(old)
    incoming.rename(target)
    shutil.rmtree(old)
