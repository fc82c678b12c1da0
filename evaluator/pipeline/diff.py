"""Stage ``diff``: both patches pass the gate once, and what it said is kept."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import Any

from evaluator.artifacts import NewArtifact
from evaluator.patches import GateResult
from evaluator.pipeline.work import StageReport, StageWork
from evaluator.pipeline.workspace import prepare
from evaluator.queue import Passed
from evaluator.workspaces import remove_tree


def run(work: StageWork) -> StageReport:
    """Judge the first and the final patch on the tree that results."""
    facts: dict[str, Any] = {}
    artifacts: list[NewArtifact] = []
    for which in ("first", "final"):
        patch = work.patch(f"{which}_patch")
        if patch is None:
            facts[f"{which}_gate"] = None
            continue
        workspace, gate = prepare(work, patch)
        remove_tree(workspace)
        facts[f"{which}_gate"] = verdict(gate)
        if which == "final":
            facts["empty"] = gate.empty
            facts["flags"] = sorted({*gate.flags, *_restored(gate)})
        artifacts += [
            NewArtifact(f"{which}.patch", "patch", patch),
            NewArtifact(f"{which}.gate.json", "gate", _as_json(gate)),
        ]
    return StageReport(Passed(facts), artifacts)


def verdict(gate: GateResult) -> dict[str, str]:
    """The gate's answer as job facts: an empty reason means accepted."""
    detail = "; ".join(
        f"{problem.code} {problem.path}: {problem.detail}".strip()
        for problem in gate.problems[:5]
    )
    reason = gate.fail_reason
    return {"reason": reason.value if reason else "", "detail": detail}


def _restored(gate: GateResult) -> list[str]:
    return [f"restored {path}" for path in gate.restored]


def _as_json(gate: GateResult) -> bytes:
    return json.dumps(asdict(gate), indent=2, sort_keys=True, default=list).encode()
