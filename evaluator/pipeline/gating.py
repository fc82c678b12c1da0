"""A patch before the gate, and the gate's answer as facts and artifacts of a job."""

from __future__ import annotations

import json
import logging
import os
from dataclasses import asdict
from typing import Any

from evaluator.artifacts import NewArtifact
from evaluator.patches import GateResult
from evaluator.pipeline.work import StageWork
from evaluator.pipeline.workspace import prepare
from evaluator.workspaces import project_files, remove_tree
from leaderboard.benchmark_files import benchmark_file
from leaderboard.penalties import (
    ForeignFilesError,
    penalty_flags,
    read_foreign_suffixes,
)
from leaderboard.snapshots import base_folder

logger = logging.getLogger(__name__)


def judged(
    work: StageWork, which: str, patch: bytes
) -> tuple[dict[str, Any], list[NewArtifact]]:
    """What the gate says of the first or the final patch, by the tree that results."""
    workspace, gate = prepare(work, patch)
    remove_tree(workspace)
    facts: dict[str, Any] = {f"{which}_gate": verdict(gate)}
    if which == "final":
        facts["empty"] = gate.empty
        flags = {*gate.flags, *_restored(gate), *_penalties(work, gate, patch)}
        facts["flags"] = sorted(flags)
    return facts, [
        NewArtifact(f"{which}.patch", "patch", patch),
        NewArtifact(f"{which}.gate.json", "gate", _as_json(gate)),
    ]


def verdict(gate: GateResult) -> dict[str, str]:
    """The gate's answer as job facts: an empty reason means accepted."""
    detail = "; ".join(
        f"{problem.code} {problem.path}: {problem.detail}".strip()
        for problem in gate.problems[:5]
    )
    reason = gate.fail_reason
    return {"reason": reason.value if reason else "", "detail": detail}


def _penalties(work: StageWork, gate: GateResult, patch: bytes) -> list[str]:
    """What multiplies the completion rate down, by the rules of the benchmark."""
    if not gate.changed_paths:
        return []
    snapshot = work.task.snapshot
    base = base_folder(work.task)
    known = {os.fsdecode(each.path) for each in project_files(base)}

    def text(path: str) -> str | None:
        if path not in known:
            return None
        return (base / path).read_text("utf-8", "replace")

    try:
        suffixes = read_foreign_suffixes(
            benchmark_file(snapshot.benchmark.slug, "foreign_files.json")
        )
    except ForeignFilesError as error:
        # No flag rather than one by other rules than the operator's; a system check
        # tells of the file.
        logger.error("Foreign files are not looked for: %s", error)
        suffixes = frozenset()
    return penalty_flags(
        patch.decode("utf-8", "replace"),
        gate.changed_paths,
        text,
        base_paths=known,
        foreign_suffixes=suffixes,
        legacy_apis=snapshot.legacy_apis,
    )


def _restored(gate: GateResult) -> list[str]:
    return [f"restored {path}" for path in gate.restored]


def _as_json(gate: GateResult) -> bytes:
    return json.dumps(asdict(gate), indent=2, sort_keys=True, default=list).encode()
