"""Stage ``agent``: who changes the workspace, and the patches that come of it."""

from __future__ import annotations

from typing import Any

from evaluator.models import AgentKind
from evaluator.pipeline.work import StageReport, StageWork
from evaluator.queue import Passed
from leaderboard.blobs import store_blob


def run(work: StageWork) -> StageReport:
    """Take the submitted patches, or those of a built-in agent."""
    return StageReport(Passed(_facts(work)))


def _facts(work: StageWork) -> dict[str, Any]:
    match work.job.agent:
        case AgentKind.REPLAY:
            return dict(work.job.inputs)
        case AgentKind.NOOP:
            digest = store_blob(b"").sha256
        case AgentKind.REFERENCE:
            digest = store_blob((work.package / "reference.patch").read_bytes()).sha256
        case other:
            raise ValueError(f"Unknown agent {other!r}.")
    return {"first_patch": digest, "final_patch": digest}
