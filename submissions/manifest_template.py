"""A manifest with the values of a snapshot, to be completed by hand."""

from __future__ import annotations

from typing import Any

from leaderboard.models import EvaluationSnapshot
from submissions.manifest import SCHEMA_VERSION

_FILL_IN = "fill in"


def manifest_template(snapshot: EvaluationSnapshot | None) -> dict[str, Any]:
    """Every required field; what only the submitter knows says so."""

    def known(value: object) -> object:
        return value if value not in (None, "") else _FILL_IN

    return {
        "schema_version": SCHEMA_VERSION,
        "mode": "workspaces",
        "benchmark": known(snapshot and snapshot.benchmark.slug),
        "benchmark_version": known(snapshot and snapshot.version),
        "task_snapshot_date": known(
            snapshot and snapshot.task_snapshot_date.isoformat()
        ),
        "evaluation_scripts": known(snapshot and snapshot.evaluation_scripts),
        "agent": {
            "name": known(snapshot and snapshot.agent_name),
            "version": known(snapshot and snapshot.agent_version),
        },
        "model": {"identifier": _FILL_IN, "provider": _FILL_IN, "family": _FILL_IN},
        "sdk": known(snapshot and snapshot.sdk),
        "toolchain": known(snapshot and snapshot.toolchain),
        "device_profile": known(snapshot and snapshot.device_profile),
        "run_parameters": {
            "temperature": 0,
            "context_window_tokens": 0,
            "reasoning_budget_tokens": 0,
            **(snapshot.run_parameters if snapshot else {}),
        },
        "run_configuration": {
            "runs": snapshot.run_count if snapshot else 0,
            "repair_limit": snapshot.repair_limit if snapshot else 0,
        },
        "execution_environment": {
            "operating_system": _FILL_IN,
            "hardware": _FILL_IN,
            "notes": "",
        },
        "contact": {"name": _FILL_IN, "email": "fill-in@example.org"},
    }
