"""Bundles for a snapshot made by the factories."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from leaderboard.models import EvaluationSnapshot
from submissions.manifest_template import manifest_template
from tests.factories import EvaluationSnapshotFactory
from tests.submissions.corpus.zips import Entry, write_zip

USAGE = b'{"total_tokens": 7, "agent_seconds": 1.25}'


def make_snapshot(**fields: Any) -> EvaluationSnapshot:
    """An open snapshot of two tasks and two runs."""
    return EvaluationSnapshotFactory(**{"task_count": 2, "run_count": 2, **fields})


def manifest_for(snapshot: EvaluationSnapshot, **changes: Any) -> dict[str, Any]:
    return {**manifest_template(snapshot), **changes}


def files_for(
    snapshot: EvaluationSnapshot, *, manifest: dict[str, Any] | None = None
) -> dict[str, bytes]:
    """Every file of a sound bundle; contents differ by run and task."""
    found = {"manifest.json": json.dumps(manifest or manifest_for(snapshot)).encode()}
    for run in range(1, snapshot.run_count + 1):
        for task in snapshot.tasks.all():
            folder = f"runs/{run}/{task.slug}"
            patch = (
                f"--- a/x\n+++ b/x\n@@ -1 +1 @@\n-{task.slug}\n+run {run}\n".encode()
            )
            found[f"{folder}/first.patch"] = patch
            found[f"{folder}/final.patch"] = patch
            found[f"{folder}/trajectory.jsonl"] = f'{{"run": {run}}}\n'.encode()
            found[f"{folder}/usage.json"] = (
                b'{"total_tokens": 7, "agent_seconds": 1.25}'
            )
    return found


def zipped(files: dict[str, bytes]) -> bytes:
    return write_zip([Entry(name, data) for name, data in files.items()])


def write_archive(folder: Path, files: dict[str, bytes]) -> Path:
    path = folder / "bundle.zip"
    path.write_bytes(zipped(files))
    return path
