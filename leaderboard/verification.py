"""Whether what an evaluation completed can be looked at by others."""

from __future__ import annotations

from django.db.models import Exists, OuterRef

from leaderboard.models import Artifact, Evaluation, Provenance, TaskResult

TRAJECTORY = "trajectory"


def lacks_trajectories(evaluation: Evaluation) -> bool:
    """Whether a completed task run has no trajectory though the snapshot asks for it.

    Baselines have no agent, and so nothing to show.
    """
    if not evaluation.snapshot.asks_for_trajectories:
        return False
    if evaluation.provenance == Provenance.BASELINE:
        return False
    held = Artifact.objects.filter(
        run=OuterRef("run"), task=OuterRef("task"), kind=TRAJECTORY, size_bytes__gt=0
    )
    completed = TaskResult.objects.filter(
        run__evaluation=evaluation, completed=True, overruling=None
    )
    return completed.filter(~Exists(held)).exists()
