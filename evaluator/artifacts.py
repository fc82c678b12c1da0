"""Artifacts of a task run: named bytes, stored by digest, listed with the result."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from django.conf import settings
from django.db.models import Sum

from evaluator.models import Job
from leaderboard.blobs import Blob, blob_of, store_blob
from leaderboard.models import Absence, Artifact

# Without these nobody could follow a verdict; they are small.
NEEDED_KINDS = frozenset({"patch", "gate", "report"})


class NewArtifact(NamedTuple):
    """Bytes that a stage wants to keep; ``name`` is a path below the task's folder."""

    name: str
    kind: str
    content: bytes


class StoredArtifact(NamedTuple):
    name: str
    kind: str
    blob: Blob
    absence: str = ""


def store(job_id: int, artifacts: Sequence[NewArtifact]) -> list[StoredArtifact]:
    """Store the bytes; the rows come later, in the transaction of the report.

    Over the limit of the submission only what a verdict rests on is kept; the rest is
    listed with its digest. Two stages that end at once may go over it together.
    """
    if not artifacts:
        return []
    room = settings.OHB_SUBMISSION_STORAGE_BYTES - _used_bytes(job_id)
    stored = []
    for name, kind, content in artifacts:
        room -= len(content)
        if room < 0 and kind not in NEEDED_KINDS:
            room += len(content)
            left_out = StoredArtifact(
                name, kind, blob_of(content), Absence.OVER_LIMIT.value
            )
            stored.append(left_out)
        else:
            stored.append(StoredArtifact(name, kind, store_blob(content)))
    return stored


def _used_bytes(job_id: int) -> int:
    """What the files of the job's evaluation take, each as often as it is listed."""
    kept = Artifact.objects.kept().filter(run__evaluation__jobs=job_id)
    return kept.aggregate(total=Sum("size_bytes"))["total"] or 0


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
                absence=absence,
            )
            for name, kind, blob, absence in stored
        ],
        update_conflicts=True,
        update_fields=["kind", "sha256", "size_bytes", "absence"],
        unique_fields=["run", "task", "name"],
    )
