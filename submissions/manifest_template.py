"""A manifest with the values of a snapshot, to be completed by hand."""

from __future__ import annotations

from typing import Any

from leaderboard.models import EvaluationSnapshot
from submissions.manifest_schema import FieldRow, field_rows, nested

_FILL_IN = "fill in"
# Optional, and still worth being asked for.
_OFFERED = ("model.family", "execution_environment.notes")


def manifest_template(snapshot: EvaluationSnapshot | None) -> dict[str, Any]:
    """Every required field; what only the submitter knows says so."""
    known = known_values(snapshot) if snapshot else {}
    return nested(
        {
            row.name: known.get(row.name, _stand_in(row))
            for row in field_rows()
            if row.required or row.name in _OFFERED
        }
    )


def known_values(snapshot: EvaluationSnapshot) -> dict[str, Any]:
    """What a snapshot fixes, by the path of the field; absent where it is open."""
    names = {row.name for row in field_rows()}
    values = {
        "benchmark": snapshot.benchmark.slug,
        "benchmark_version": snapshot.version,
        "task_snapshot_date": snapshot.task_snapshot_date.isoformat(),
        "evaluation_scripts": snapshot.evaluation_scripts,
        "agent.name": snapshot.agent_name,
        "agent.version": snapshot.agent_version,
        "sdk": snapshot.sdk,
        "toolchain": snapshot.toolchain,
        "device_profile": snapshot.device_profile,
        "run_configuration.runs": snapshot.run_count,
        "run_configuration.repair_limit": snapshot.repair_limit,
        **{f"run_parameters.{k}": v for k, v in snapshot.run_parameters.items()},
    }
    return {
        name: value
        for name, value in values.items()
        if name in names and value not in (None, "")
    }


def _stand_in(row: FieldRow) -> object:
    if "const" in row.limits:
        return row.limits["const"]
    if "enum" in row.limits:
        return row.limits["enum"][0]
    if row.limits["type"] in ("integer", "number"):
        return 0
    if row.name == "contact.email":
        return "fill-in@example.org"
    return _FILL_IN if "minLength" in row.limits else ""
