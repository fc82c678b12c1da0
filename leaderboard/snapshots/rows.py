"""The database rows of a task package: written, or found to be the same already."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from leaderboard.comparability import comparability_key, conditions_of
from leaderboard.models import (
    UNLISTED,
    Benchmark,
    CuratorVerdict,
    EvaluationSnapshot,
    FPoint,
    Opinion,
    SnapshotScope,
    SnapshotStatus,
    Stream,
    Task,
)
from leaderboard.snapshots.derived import write_derived
from leaderboard.snapshots.format import FPointEntry, SnapshotFile, StreamEntry
from leaderboard.snapshots.progress import Progress
from leaderboard.snapshots.reader import Package, PackagedTask

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
    "legacy_apis",
    "task_set_digest",
    "script_digest",
    "comparability_key",
)


class SnapshotConflictError(Exception):
    """A snapshot of that version exists and holds something else."""


class Imported(NamedTuple):
    """``changed`` is False where the same package had been imported before."""

    snapshot: EvaluationSnapshot
    changed: bool


def save(package: Package, *, relative: Path, progress: Progress) -> Imported:
    """Write the rows of ``package``, which lies at ``relative`` below the data folder.

    Call it inside a transaction; SnapshotConflictError where other content has to stay.
    """
    facts = package.facts
    benchmark = _benchmark(facts)
    _keep_approvals(package)
    existing = EvaluationSnapshot.objects.filter(
        benchmark=benchmark, version=facts.version
    ).first()
    snapshot = _snapshot(package, benchmark)
    if existing is None:
        _refuse_version_of_another(snapshot)
    else:
        if _same(existing, snapshot):
            existing.package_path = relative.as_posix()
            # How much is shown may change; what is measured may not.
            existing.references_public = snapshot.references_public
            existing.contamination = snapshot.contamination
            existing.save(
                update_fields=["package_path", "references_public", "contamination"]
            )
            _save_streams(existing, package)
            write_derived(existing, package.folder, package.tasks, progress=progress)
            return Imported(existing, changed=False)
        _refuse_conflict(existing)
        existing.tasks.all().delete()
        existing.scopes.all().delete()
        existing.streams.all().delete()
        snapshot.pk, snapshot.created_at = existing.pk, existing.created_at
    snapshot.package_path = relative.as_posix()
    snapshot.save()
    _save_tasks(snapshot, package.tasks)
    _save_streams(snapshot, package)
    SnapshotScope.objects.bulk_create(
        SnapshotScope(
            snapshot=snapshot, scope=scope, task_count=tasks, f_point_count=f_points
        )
        for scope, (tasks, f_points) in package.counts().items()
    )
    write_derived(snapshot, package.folder, package.tasks, progress=progress)
    return Imported(snapshot, changed=True)


def _benchmark(facts: SnapshotFile) -> Benchmark:
    named = facts.benchmark
    benchmark, _ = Benchmark.objects.get_or_create(
        slug=named.slug,
        defaults={
            "name": named.name,
            "canary": named.canary,
            "policy": facts.policy,
        },
    )
    if benchmark.policy != facts.policy:
        raise SnapshotConflictError(
            f"{benchmark} is scored by {benchmark.policy}, the package by "
            f"{facts.policy}. One benchmark keeps one policy: correct the package, or "
            "give it a benchmark of its own."
        )
    if not benchmark.canary:
        benchmark.canary = named.canary
        benchmark.save(update_fields=["canary"])
    if benchmark.canary != named.canary:
        raise SnapshotConflictError(
            f"{benchmark} has the canary {benchmark.canary}, the package has "
            f"{named.canary}. One benchmark keeps one: correct the package."
        )
    return benchmark


def _keep_approvals(package: Package) -> None:
    """Note the approvals that the package brings along and that are not known yet."""
    if package.curation is None:
        return
    names = {each.id: each.name for each in package.curation.curators}
    for each in package.curation.approvals:
        CuratorVerdict.objects.get_or_create(
            slug=each.task,
            digest=each.digest,
            curator=each.curator,
            user=None,
            opinion=Opinion.APPROVED,
            defaults={"curator_name": names[each.curator], "given_on": each.on},
        )


def _same(existing: EvaluationSnapshot, snapshot: EvaluationSnapshot) -> bool:
    return all(
        getattr(existing, name) == getattr(snapshot, name) for name in FACT_FIELDS
    )


def _refuse_conflict(existing: EvaluationSnapshot) -> None:
    """Only a draft without any evaluation may be replaced."""
    if existing.status not in UNLISTED:
        raise SnapshotConflictError(
            f"{existing} is {existing.status} and holds something else. A snapshot "
            "never changes once it is open: give the package a new version."
        )
    if existing.evaluations.exists():
        raise SnapshotConflictError(
            f"{existing} is a draft that was evaluated already, and holds something "
            "else. What was evaluated stays: give the package a new version."
        )


def _refuse_version_of_another(snapshot: EvaluationSnapshot) -> None:
    """Addresses of tasks name a version and no benchmark."""
    other = (
        EvaluationSnapshot.objects.exclude(benchmark=snapshot.benchmark)
        .filter(version=snapshot.version, tasks__isnull=False)
        .select_related("benchmark")
        .first()
    )
    if other is not None:
        raise SnapshotConflictError(
            f"{other} has tasks under the version {other.version!r}, and addresses of "
            "tasks name the version alone: give the package another one."
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
        legacy_apis=facts.legacy_apis,
        references_public=facts.publish_references,
        contamination=dict(facts.contamination),
        derived_from=facts.derived_from.model_dump() if facts.derived_from else {},
        task_set_digest=package.task_set_digest,
        script_digest=package.script_digest,
    )
    snapshot.comparability_key = comparability_key(conditions_of(snapshot))
    return snapshot


def _save_streams(snapshot: EvaluationSnapshot, package: Package) -> None:
    """Write the streams, and their names at the tasks; texts of them may change."""
    counts = package.stream_counts()
    for position, stream in enumerate(package.facts.streams):
        Stream.objects.update_or_create(
            snapshot=snapshot,
            slug=stream.slug,
            defaults={
                "names": stream.names,
                "task_count": counts[stream.slug],
                "position": position,
                "facts": _stream_facts(stream),
            },
        )
        snapshot.tasks.filter(source=stream.slug).update(source_names=stream.names)


def _stream_facts(stream: StreamEntry) -> dict[str, object]:
    return {"focus": stream.focus} if stream.focus else {}


def _save_tasks(snapshot: EvaluationSnapshot, packaged: Sequence[PackagedTask]) -> None:
    tasks = Task.objects.bulk_create(
        _task(snapshot, each, position=position)
        for position, each in enumerate(packaged)
    )
    FPoint.objects.bulk_create(
        f_point
        for task, each in zip(tasks, packaged, strict=True)
        for f_point in _f_points(task, each.facts.f_points)
    )


def _task(
    snapshot: EvaluationSnapshot, packaged: PackagedTask, *, position: int
) -> Task:
    facts = packaged.facts
    return Task(
        snapshot=snapshot,
        slug=facts.slug,
        source=facts.source,
        title=facts.title,
        statement=packaged.statement,
        difficulty=facts.difficulty,
        repository=facts.repository,
        base_commit=facts.base_commit,
        base_digest=packaged.base_digest,
        digest=packaged.digest,
        bundle_name=facts.bundle_name,
        build_paths=facts.build_paths,
        wrong_patches=[each.model_dump() for each in facts.wrong_patches],
        visual=facts.visual.model_dump() if facts.visual else {},
        reference_files=len(packaged.reference.paths),
        reference_lines=packaged.reference.added_lines
        + packaged.reference.deleted_lines,
        position=position,
    )


def _f_points(task: Task, entries: Iterable[FPointEntry]) -> Iterator[FPoint]:
    for position, each in enumerate(entries):
        yield FPoint(
            task=task,
            f_point=each.id,
            scenario=each.scenario,
            description=each.description,
            case=each.case,
            method=each.method,
            dimension=each.dimension,
            weight=each.weight,
            required=each.required,
            position=position,
        )
