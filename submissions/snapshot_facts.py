"""What validation needs to know about the snapshots of this installation."""

from __future__ import annotations

from leaderboard.models import EvaluationSnapshot, SnapshotStatus
from submissions.comparability import SnapshotFacts


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
        asks_for_trajectories=snapshot.asks_for_trajectories,
        task_slugs=tuple(snapshot.tasks.values_list("slug", flat=True)),
        takes_submissions=snapshot.status == SnapshotStatus.OPEN,
    )


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
