"""A task package of the size of v1.0: imported, exported, and its pages read."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from django.core.cache import caches

from leaderboard.models import EvaluationSnapshot, SnapshotStatus
from leaderboard.snapshots import export_package, import_package
from leaderboard.trees import tree_digest
from scripts.synthetic_snapshot import VERSION, write_package
from tests.benchmarks.measure import (
    Site,
    query_count,
    speed,
    wall_milliseconds,
)


class Cost(NamedTuple):
    """``queries`` and ``kilobytes`` (compressed) are None for what is no page."""

    what: str
    milliseconds: float
    queries: int | None = None
    kilobytes: float | None = None


def costs(
    folder: Path, *, megabytes: int, rounds: int, every: int = 1
) -> Iterator[Cost]:
    """Import, second import, export and pages of a synthetic package."""
    package, out = folder / "package", folder / "out"
    write_package(package, megabytes=megabytes, every=every)
    size = sum(path.stat().st_size for path in package.rglob("*") if path.is_file())
    took = wall_milliseconds(lambda: import_package(package, synthetic=True))
    yield Cost(f"import of {size / 1e6:.0f} MB", took)
    took = wall_milliseconds(lambda: import_package(package, synthetic=True))
    yield Cost("import of the same again", took)
    snapshot = EvaluationSnapshot.objects.get(version=VERSION)
    yield Cost("export", wall_milliseconds(lambda: export_package(snapshot, out)))
    if tree_digest(out) != tree_digest(package):
        raise RuntimeError("The export is not what was imported.")
    EvaluationSnapshot.objects.update(status=SnapshotStatus.OPEN)
    task = snapshot.tasks.order_by("-reference_lines")[0]
    yield _page("list of tasks", f"/tasks/?snapshot={VERSION}", rounds=rounds)
    filtered = f"/tasks/?snapshot={VERSION}&source=bug-fix&difficulty=easy"
    yield _page("filtered list", filtered, rounds=rounds)
    yield _page("benchmark page", f"/benchmark/?snapshot={VERSION}", rounds=rounds)
    yield _page("page of a task", task.get_absolute_url(), rounds=rounds)


def _page(what: str, path: str, *, rounds: int) -> Cost:
    """A page made from the database, by processor time."""
    site = Site()

    def act() -> bytes:
        caches["pages"].clear()
        return site.get(path, **{"accept-encoding": "gzip"})[0]

    kilobytes = len(act()) / 1000
    found = speed(act, rounds=rounds)
    return Cost(what, found.milliseconds, query_count(act), kilobytes)
