"""Artifacts of a task run: named bytes, stored by digest, listed with the result."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from evaluator.models import Job
from leaderboard.blobs import Blob, store_blob
from leaderboard.models import Artifact


class NewArtifact(NamedTuple):
    """Bytes that a stage wants to keep; ``name`` is a path below the task's folder."""

    name: str
    kind: str
    content: bytes


class StoredArtifact(NamedTuple):
    name: str
    kind: str
    blob: Blob


def store(artifacts: Sequence[NewArtifact]) -> list[StoredArtifact]:
    """Store the bytes; the rows come later, in the transaction of the report."""
    return [
        StoredArtifact(name, kind, store_blob(content))
        for name, kind, content in artifacts
    ]


def register(job: Job, stored: Sequence[StoredArtifact]) -> None:
    """List stored bytes under the job's task run; a newer one replaces its namesake."""
    Artifact.objects.bulk_create(
        [
            Artifact(
                run_id=job.run_id,
                task_id=job.task_id,
                name=name,
                kind=kind,
                sha256=blob.sha256,
                size_bytes=blob.size_bytes,
            )
            for name, kind, blob in stored
        ],
        update_conflicts=True,
        update_fields=["kind", "sha256", "size_bytes"],
        unique_fields=["run", "task", "name"],
    )
