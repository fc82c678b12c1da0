"""The honest bundle from which every archive of the corpus is made."""

from __future__ import annotations

import json
from datetime import date
from typing import Any

from submissions.comparability import SnapshotFacts

TASKS = ("alpha-task", "beta-task")
RUNS = 2

FACTS = SnapshotFacts(
    benchmark="corpus-bench",
    benchmark_version="1.10",
    task_snapshot_date=date(2026, 11, 1),
    evaluation_scripts="1.10",
    agent_name="Sample Agent",
    agent_version="1.0",
    sdk="API 1",
    toolchain="Sample Toolchain",
    device_profile="Sample Device",
    runs=RUNS,
    repair_limit=5,
    task_slugs=TASKS,
    run_parameters={
        "temperature": 0,
        "context_window_tokens": 1000,
        "reasoning_budget_tokens": 500,
    },
)


def manifest() -> dict[str, Any]:
    """A manifest that agrees with ``FACTS`` in every field."""
    return {
        "schema_version": 1,
        "mode": "workspaces",
        "benchmark": "corpus-bench",
        "benchmark_version": "1.10",
        "task_snapshot_date": "2026-11-01",
        "evaluation_scripts": "1.10",
        "agent": {"name": "Sample Agent", "version": "1.0"},
        "model": {"identifier": "sample-model", "provider": "Sample Lab"},
        "sdk": "API 1",
        "toolchain": "Sample Toolchain",
        "device_profile": "Sample Device",
        "run_parameters": {
            "temperature": 0,
            "context_window_tokens": 1000,
            "reasoning_budget_tokens": 500,
        },
        "run_configuration": {"runs": RUNS, "repair_limit": 5},
        "execution_environment": {"operating_system": "OS", "hardware": "Machine"},
        "contact": {"name": "A. Person", "email": "person@example.org"},
    }


def files() -> dict[str, bytes]:
    """Name and content of every file of the honest bundle."""
    found = {"manifest.json": json.dumps(manifest(), indent=1).encode()}
    for run in range(1, RUNS + 1):
        for task in TASKS:
            folder = f"runs/{run}/{task}"
            patch = f"--- a/{task}\n+++ b/{task}\n@@ -1 +1 @@\n-old\n+new {run}\n"
            found[f"{folder}/first.patch"] = patch.encode()
            found[f"{folder}/final.patch"] = patch.encode()
            found[f"{folder}/build.log"] = b"BUILD SUCCESSFUL\n"
            found[f"{folder}/trajectory.jsonl"] = f'{{"run": {run}}}\n'.encode()
            usage = {"total_tokens": 10, "agent_seconds": 1.5, "repair_rounds": 0}
            found[f"{folder}/usage.json"] = json.dumps(usage).encode()
    return found
