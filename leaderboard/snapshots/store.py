"""Imports task packages into the database and the data folder, and exports them."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import NamedTuple
from uuid import uuid4

from django.conf import settings
from django.db import transaction
from django.utils.text import slugify

from leaderboard.comparability import comparability_key, conditions_of
from leaderboard.models import (
    Benchmark,
    EvaluationSnapshot,
    FPoint,
    Kit,
    SnapshotScope,
    SnapshotStatus,
    Task,
    record,
)
from leaderboard.snapshots.faults import Faults
from leaderboard.snapshots.lookup import package_folder
from leaderboard.snapshots.reader import Package, PackagedTask, read_package
from leaderboard.snapshots.tree import listed_files, script_digest, task_set_digest
from leaderboard.trees import TreeError, copy_project, tree_digest

# What must be equal for a package to be the one that was imported before.
FACT_FIELDS = (
    "title",
    "task_snapshot_date",
    "evaluation_scripts",
    "agent_name",
    "agent_version",
    "sdk",
    "toolchain",
    "device_profile",
    "device_profile_simulated",
    "device_facts",
    "prompt_template",
    "run_parameters",
    "run_count",
    "repair_limit",
    "asks_for_trajectories",
    "task_set_digest",
    "script_digest",
    "comparability_key",
)


class SnapshotConflictError(Exception):
    """A snapshot of that version exists and holds something else."""


class ExportError(Exception):
    """A package cannot be written out."""


class Imported(NamedTuple):
    """``changed`` is False where the same package had been imported before."""

    snapshot: EvaluationSnapshot
    changed: bool


def import_package(folder: Path) -> Imported:
    """Import the package in ``folder`` as a draft snapshot, wholly or not at all.

    The same package a second time changes nothing. A draft that nothing was measured
    on yet is replaced; any other snapshot of that version must hold the same.
    """
    package = read_package(folder)
    relative = Path("snapshots", package.facts.benchmark.slug, package.facts.version)
    target = Path(settings.DATA_DIR) / relative
    incoming = target.with_name(f".incoming-{uuid4().hex}")
    try:
        copy_project(folder, incoming)
        if tree_digest(incoming) != package.digest:
            raise SnapshotConflictError(
                f"{folder} changed while it was being imported. Import it again."
            )
        with transaction.atomic():
            imported = _save(package, relative=relative)
            if imported.changed:
                digests = {"task_set_digest": package.task_set_digest}
                record("import snapshot", imported.snapshot, after=digests)
            if imported.changed or not _holds(target, package):
                _put(incoming, target)
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


def _put(incoming: Path, target: Path) -> None:
    """Move the copy to its place; nobody sees a part of it."""
    if not target.exists():
        incoming.rename(target)
        return
    old = target.with_name(f".old-{uuid4().hex}")
    target.rename(old)
    incoming.rename(target)
    shutil.rmtree(old)


def _save(package: Package, *, relative: Path) -> Imported:
    facts = package.facts
    benchmark, _ = Benchmark.objects.get_or_create(
        slug=facts.benchmark.slug, defaults={"name": facts.benchmark.name}
    )
    existing = EvaluationSnapshot.objects.filter(
        benchmark=benchmark, version=facts.version
    ).first()
    snapshot = _snapshot(package, benchmark)
    if existing is not None:
        if _same(existing, snapshot):
            existing.package_path = relative.as_posix()
            # How much is shown may change; what is measured may not.
            existing.references_public = snapshot.references_public
            existing.save(update_fields=["package_path", "references_public"])
            return Imported(existing, changed=False)
        _refuse_conflict(existing)
        existing.tasks.all().delete()
        existing.scopes.all().delete()
        snapshot.pk, snapshot.created_at = existing.pk, existing.created_at
    snapshot.package_path = relative.as_posix()
    snapshot.save()
    for position, task in enumerate(package.tasks):
        _save_task(snapshot, task, position=position)
    SnapshotScope.objects.bulk_create(
        SnapshotScope(
            snapshot=snapshot, scope=scope, task_count=tasks, f_point_count=f_points
        )
        for scope, (tasks, f_points) in package.counts().items()
    )
    return Imported(snapshot, changed=True)


def _same(existing: EvaluationSnapshot, snapshot: EvaluationSnapshot) -> bool:
    return all(
        getattr(existing, name) == getattr(snapshot, name) for name in FACT_FIELDS
    )


def _refuse_conflict(existing: EvaluationSnapshot) -> None:
    """Only a draft without any evaluation may be replaced."""
    if existing.status != SnapshotStatus.DRAFT:
        raise SnapshotConflictError(
            f"{existing} is {existing.status} and holds something else. A snapshot "
            "never changes once it is open: give the package a new version."
        )
    if existing.evaluations.exists():
        raise SnapshotConflictError(
            f"{existing} is a draft that was evaluated already, and holds something "
            "else. Give the package a new version, or delete those evaluations."
        )


def _snapshot(package: Package, benchmark: Benchmark) -> EvaluationSnapshot:
    facts = package.facts
    snapshot = EvaluationSnapshot(
        benchmark=benchmark,
        version=facts.version,
        title=facts.title,
        status=SnapshotStatus.DRAFT,
        task_snapshot_date=facts.task_snapshot_date,
        evaluation_scripts=facts.evaluation_scripts,
        agent_name=facts.agent.name,
        agent_version=facts.agent.version,
        sdk=facts.sdk,
        toolchain=facts.toolchain,
        device_profile=facts.device_profile.name,
        device_profile_simulated=facts.device_profile.simulated,
        device_facts=facts.device_profile.facts(),
        prompt_template=facts.prompt_template,
        run_parameters=facts.run_parameters,
        run_count=facts.runs,
        repair_limit=facts.repair_limit,
        asks_for_trajectories=facts.asks_for_trajectories,
        references_public=facts.publish_references,
        task_set_digest=package.task_set_digest,
        script_digest=package.script_digest,
    )
    snapshot.comparability_key = comparability_key(conditions_of(snapshot))
    return snapshot


def _save_task(
    snapshot: EvaluationSnapshot, packaged: PackagedTask, *, position: int
) -> None:
    facts = packaged.facts
    task = Task.objects.create(
        snapshot=snapshot,
        slug=facts.slug,
        source=facts.source,
        title=facts.title,
        statement=packaged.statement,
        difficulty=facts.difficulty,
        repository=facts.repository,
        base_commit=facts.base_commit,
        base_digest=packaged.base_digest,
        bundle_name=facts.bundle_name,
        build_paths=facts.build_paths,
        reference_files=len(packaged.reference.paths),
        reference_lines=packaged.reference.added_lines
        + packaged.reference.deleted_lines,
        position=position,
    )
    FPoint.objects.bulk_create(
        FPoint(
            task=task,
            f_point=each.id,
            scenario=each.scenario,
            description=each.description,
            case=each.case,
            method=each.method,
            dimension=each.dimension,
            weight=each.weight,
            position=place,
        )
        for place, each in enumerate(facts.f_points)
    )
    task.kits.set([_kit(name) for name in facts.kits])


def _kit(name: str) -> Kit:
    """The Kit of that name; two spellings of one slug are the same Kit."""
    kit, _ = Kit.objects.get_or_create(slug=slugify(name), defaults={"name": name})
    return kit
