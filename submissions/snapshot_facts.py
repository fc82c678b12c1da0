"""What validation needs to know about the snapshots of this installation."""

from __future__ import annotations

import os
from pathlib import Path

from leaderboard.harbor import kept_digests
from leaderboard.models import EvaluationSnapshot, SnapshotStatus
from leaderboard.snapshots import PackageNotHeldError, base_folder, package_folder
from submissions.comparability import BaseFile, SnapshotFacts


def facts_of(snapshot: EvaluationSnapshot) -> SnapshotFacts:
    """The facts of one snapshot; a benchmark without an agent leaves it open."""
    return SnapshotFacts(
        benchmark=snapshot.benchmark.slug,
        benchmark_version=snapshot.version,
        task_snapshot_date=snapshot.task_snapshot_date,
        evaluation_scripts=snapshot.evaluation_scripts,
        agent_name=snapshot.agent_name or None,
        agent_version=snapshot.agent_version or None,
        sdk=snapshot.sdk,
        toolchain=snapshot.toolchain,
        device_profile=snapshot.device_profile,
        runs=snapshot.run_count,
        repair_limit=snapshot.repair_limit,
        run_parameters=snapshot.run_parameters,
        asks_for_trajectories=snapshot.asks_for_trajectories,
        refused_differences=tuple(snapshot.refused_differences),
        task_slugs=tuple(snapshot.tasks.values_list("slug", flat=True)),
        takes_submissions=snapshot.status == SnapshotStatus.OPEN,
        task_digests=kept_digests(snapshot),
        base_file=_base_files(snapshot),
    )


def _base_files(snapshot: EvaluationSnapshot) -> BaseFile | None:
    """Reads from the package as it was imported; None where it is not on this machine.

    Paths are those of patches: the caller looks that they stay in the project.
    """
    try:
        package_folder(snapshot)
    except PackageNotHeldError:
        return None
    bases = {task.slug: base_folder(task) for task in snapshot.tasks.all()}

    def read(task: str, path: bytes) -> bytes | None:
        if task not in bases:
            return None
        file = os.path.join(bases[task], os.fsdecode(path))  # noqa: PTH118 - a path of a patch may be too long for pathlib's questions
        if os.path.islink(file) or not os.path.isfile(file):  # noqa: PTH113, PTH114 - the same
            return None
        return Path(file).read_bytes()

    return read


def listed_facts(benchmark: str, version: str) -> SnapshotFacts | None:
    """The facts of a snapshot that the public may know of; None for drafts."""
    snapshot = (
        EvaluationSnapshot.objects.listed()
        .filter(benchmark__slug=benchmark, version=version)
        .first()
    )
    return facts_of(snapshot) if snapshot else None


def open_snapshots() -> list[EvaluationSnapshot]:
    """Snapshots that take submissions, the preferred one first."""
    return list(EvaluationSnapshot.objects.listed().filter(status=SnapshotStatus.OPEN))


def open_versions() -> list[str]:
    return [snapshot.version for snapshot in open_snapshots()]
