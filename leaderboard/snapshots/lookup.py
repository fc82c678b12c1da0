"""Finding a snapshot by what people type, and its package on disk."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from django.conf import settings

from leaderboard.metrics import Scope
from leaderboard.models import EvaluationSnapshot, Task
from leaderboard.snapshots.bases import base_below


class SnapshotLookupError(LookupError):
    """No snapshot, or more than one, goes by a name."""


class ScopeLookupError(LookupError):
    """A snapshot has no such scope."""


class PackageNotHeldError(LookupError):
    """The task package of a snapshot is not on this machine."""


def snapshot_by_version(
    text: str, *, among: Iterable[EvaluationSnapshot] | None = None
) -> EvaluationSnapshot:
    """The snapshot of a version such as ``demo-0.1``, ``demo`` or ``bench/demo-0.1``.

    A version may be cut short where it stays unique. ``among`` narrows the choice, to
    listed snapshots for instance.
    """
    if among is None:
        among = EvaluationSnapshot.objects.select_related("benchmark")
    snapshots = list(among)
    benchmark, _, version = text.rpartition("/")
    of_benchmark = [
        each for each in snapshots if benchmark in {"", each.benchmark.slug}
    ]
    exact = [each for each in of_benchmark if each.version == version]
    short = [each for each in of_benchmark if version and _is_short(version, each)]
    found = exact or short
    if len(found) == 1:
        return found[0]
    names = _names(found or snapshots)
    if found:
        raise SnapshotLookupError(f"{text!r} fits {names}. Say which one.")
    raise SnapshotLookupError(f"No snapshot {text!r}. Known: {names or 'none'}.")


def scope_by_name(text: str, *, snapshot: EvaluationSnapshot) -> Scope:
    """The scope ``text`` of ``snapshot``, such as ``overall`` or ``bug-fix``."""
    known = [row.scope for row in snapshot.scope_rows]
    if text not in known:
        names = ", ".join(scope for scope in Scope if scope in known)
        raise ScopeLookupError(
            f"{snapshot} has no source {text!r}. Known: {names or 'none'}."
        )
    return Scope(text)


def _is_short(version: str, snapshot: EvaluationSnapshot) -> bool:
    rest = snapshot.version.removeprefix(version)
    return rest != snapshot.version and rest.startswith(("-", ".", "_"))


def _names(snapshots: list[EvaluationSnapshot]) -> str:
    """Versions, with the benchmark in front where two benchmarks share one."""
    versions = [each.version for each in snapshots]
    return ", ".join(
        sorted(
            each.version
            if versions.count(each.version) == 1
            else f"{each.benchmark.slug}/{each.version}"
            for each in snapshots
        )
    )


def package_folder(snapshot: EvaluationSnapshot) -> Path:
    """Where the task package of ``snapshot`` lies; PackageNotHeldError without one."""
    if not snapshot.package_path:
        raise PackageNotHeldError(
            f"The task package of {snapshot} is not held: its tasks are not public."
        )
    folder = Path(settings.DATA_DIR) / snapshot.package_path
    if not folder.is_dir():
        raise PackageNotHeldError(
            f"The task package of {snapshot} is missing: {snapshot.package_path} does "
            "not exist below OHB_DATA_DIR. Run import_snapshot on this machine."
        )
    return folder


def task_folder(task: Task) -> Path:
    """The folder of ``task`` in the package of its snapshot."""
    return package_folder(task.snapshot) / "tasks" / task.slug


def base_folder(task: Task) -> Path:
    """The base project of ``task``, in its package or fetched for it."""
    return base_below(task_folder(task), task.base_digest)
