"""Stage ``diff``: both patches pass the gate once, and what it said is kept."""

from __future__ import annotations

from typing import Any

from evaluator.artifacts import NewArtifact
from evaluator.pipeline.gating import judged
from evaluator.pipeline.work import StageReport, StageWork
from evaluator.queue import Passed


def run(work: StageWork) -> StageReport:
    """Judge the first and the final patch; what is not there yet is judged later."""
    facts: dict[str, Any] = {}
    artifacts: list[NewArtifact] = []
    for which in ("first", "final"):
        patch = work.patch(f"{which}_patch")
        if patch is None:
            facts[f"{which}_gate"] = None
            continue
        found, kept = judged(work, which, patch)
        facts |= found
        artifacts += kept
    return StageReport(Passed(facts), artifacts)
