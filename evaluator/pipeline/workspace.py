"""A fresh workspace: the base project of the snapshot with one gated patch."""

from __future__ import annotations

from pathlib import Path

from evaluator.capability import worker_sandbox
from evaluator.patches import GateResult, apply_patch
from evaluator.pipeline.work import StageTroubleError, StageWork
from evaluator.verdicts import InfraReason
from leaderboard.snapshots import base_folder
from leaderboard.trees import tree_digest


def checked_base(work: StageWork) -> Path:
    """The base project, after a look that it is the one the snapshot names."""
    base = base_folder(work.task)
    found = tree_digest(base)
    if found != work.task.base_digest:
        raise StageTroubleError(
            InfraReason.WORKSPACE,
            f"The base project of {work.task.slug} has digest {found}, the snapshot "
            f"names {work.task.base_digest}. Import the snapshot again on this worker.",
        )
    return base


def prepare(work: StageWork, patch: bytes) -> tuple[Path, GateResult]:
    """Copy the base and apply ``patch``; the folder exists only if it was accepted."""
    workspace = work.folder / "workspace"
    gate = apply_patch(
        checked_base(work),
        patch,
        workspace,
        allowed_build_paths=work.task.build_paths,
        sandbox=worker_sandbox(),
    )
    return workspace, gate
