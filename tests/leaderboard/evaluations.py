"""A small evaluated snapshot that several test files look at."""

from __future__ import annotations

from leaderboard.blobs import store_blob
from leaderboard.models import Artifact, Evaluation, EvaluationSnapshot, Run, Task
from leaderboard.totals import write_run_totals, write_summary
from tests.factories import (
    ArtifactFactory,
    CheckResultFactory,
    EvaluationFactory,
    RunFactory,
    TaskResultFactory,
)


def evaluated(
    snapshot: EvaluationSnapshot,
    *,
    completed: tuple[tuple[bool, ...], ...] = ((True, False), (True, True)),
    **fields: object,
) -> Evaluation:
    """A public evaluation; ``completed`` says by run which tasks were completed."""
    evaluation = EvaluationFactory(
        snapshot=snapshot, run_count=len(completed), public=True, **fields
    )
    for outcomes in completed:
        run = RunFactory(evaluation=evaluation)
        for task, done in zip(snapshot.tasks.all(), outcomes, strict=True):
            result = TaskResultFactory(
                run=run,
                task=task,
                completed=done,
                total_tokens=40_000,
                agent_milliseconds=90_000,
            )
            CheckResultFactory(result=result)
        write_run_totals(run)
    write_summary(evaluation)
    return evaluation


def stored(run: Run, task: Task, name: str, content: bytes) -> Artifact:
    """An artifact whose bytes really lie in the storage."""
    blob = store_blob(content)
    return ArtifactFactory(
        run=run, task=task, name=name, sha256=blob.sha256, size_bytes=blob.size_bytes
    )
