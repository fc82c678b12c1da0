"""Standings as data: one document for the API and the command line, and as CSV."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from io import StringIO
from typing import Any

from django.conf import settings

from leaderboard.as_of import AsOf
from leaderboard.models import EvaluationSnapshot
from leaderboard.standings import Standings, StandingsRow, as_text, row_as_dict
from leaderboard.tables import data_version, safe_cell


def snapshot_as_dict(snapshot: EvaluationSnapshot) -> dict[str, Any]:
    """The identity of a snapshot, as it stands beside every list of numbers."""
    return {
        "benchmark": snapshot.benchmark.slug,
        "version": snapshot.version,
        "title": snapshot.title,
        "status": snapshot.status,
        "task_snapshot_date": snapshot.task_snapshot_date.isoformat(),
        "evaluation_scripts": snapshot.evaluation_scripts,
        "agent": snapshot.agent_name,
        "agent_version": snapshot.agent_version,
        "sdk": snapshot.sdk,
        "toolchain": snapshot.toolchain,
        "device_profile": snapshot.device_profile,
        "simulated": snapshot.device_profile_simulated,
        "device_facts": snapshot.device_facts,
        "prompt_template": snapshot.prompt_template,
        "run_parameters": snapshot.run_parameters,
        "run_count": snapshot.run_count,
        "repair_limit": snapshot.repair_limit,
        "asks_for_trajectories": snapshot.asks_for_trajectories,
        "refused_differences": snapshot.refused_differences,
        "task_set_digest": snapshot.task_set_digest or None,
        "script_digest": snapshot.script_digest or None,
        "comparability_key": snapshot.comparability_key,
        "package_held": bool(snapshot.package_path),
        "scopes": {
            row.scope: {"tasks": row.task_count, "f_points": row.f_point_count}
            for row in snapshot.scopes.all()
        },
        "floor_completed": snapshot.floor_completed,
        "ceiling_completed": snapshot.ceiling_completed,
        "url": snapshot.get_absolute_url(),
    }


def standings_as_dict(
    table: Standings,
    as_of: AsOf | None = None,
    *,
    rows: Sequence[StandingsRow] | None = None,
) -> dict[str, Any]:
    """The whole table: ``results`` are ranked together, ``unranked`` stand apart.

    ``rows`` takes the place of all ranked ones, for a page of them.
    """
    return {
        "snapshot": snapshot_as_dict(table.snapshot),
        "scope": table.scope.value,
        "as_of": as_of.day.isoformat() if as_of else None,
        "data_version": data_version(table),
        "license": settings.DATA_LICENSE,
        "results": [row_as_dict(row) for row in (table.rows if rows is None else rows)],
        "unranked": [row_as_dict(row) for row in table.unranked],
        "withdrawn": [
            {
                "model": evaluation.configuration.model,
                "provider": evaluation.configuration.provider,
                "visibility": strike.kind,
                "reason": strike.reason,
                "struck_out_at": as_text(strike.start),
                "evaluation_url": evaluation.get_absolute_url(),
            }
            for evaluation, strike in table.strikes
        ],
    }


CSV_COLUMNS = (
    "rank",
    "rank_label",
    "rank_best",
    "rank_worst",
    "leading_group",
    "model",
    "provider",
    "family",
    "agent",
    "agent_version",
    "provenance",
    "simulated",
    "unverified",
    "differing_fields",
    "completed",
    "task_runs",
    "completed_by_run",
    "task_completion_mean",
    "task_completion_min",
    "task_completion_max",
    "first_build",
    "first_build_count",
    "final_build",
    "final_build_count",
    "tokens_per_task",
    "seconds_per_task",
    "evaluation_url",
)


def standings_as_csv(table: Standings) -> str:
    """The ranked rows, then the unranked ones without a rank; an empty cell is unknown.

    Rates are fractions of 1, as in the API.
    """
    buffer = StringIO(newline="")
    writer = csv.DictWriter(buffer, CSV_COLUMNS, lineterminator="\n")
    writer.writeheader()
    for row in (*table.rows, *table.unranked):
        cells = _cells(row_as_dict(row))
        writer.writerow({name: safe_cell(cells[name]) for name in CSV_COLUMNS})
    return buffer.getvalue()


def _cells(row: dict[str, Any]) -> dict[str, Any]:
    best, worst = row["rank_span"] or (None, None)
    completion = row["task_completion"]
    return {
        **row,
        **row["configuration"],
        "rank_best": best,
        "rank_worst": worst,
        "differing_fields": " ".join(row["differing_fields"]),
        "completed_by_run": " ".join(str(count) for count in row["completed_by_run"]),
        "task_completion_mean": completion["mean"],
        "task_completion_min": completion["min"],
        "task_completion_max": completion["max"],
    }
