"""Standings as data: one document for the API and the command line, and as CSV."""

from __future__ import annotations

import csv
from io import StringIO
from typing import Any

from django.conf import settings

from leaderboard.as_of import AsOf
from leaderboard.models import EvaluationSnapshot
from leaderboard.passing.documents import streams_as_dict
from leaderboard.passing.standings import is_by_pass_rate
from leaderboard.ranking.asked import Asked
from leaderboard.ranking.fresh import FreshRanking
from leaderboard.ranking.rankings import Ranking
from leaderboard.standings import Standings, row_as_dict, strike_as_dict
from leaderboard.tables import safe_cell


def snapshot_as_dict(snapshot: EvaluationSnapshot) -> dict[str, Any]:
    """The identity of a snapshot, as it stands beside every list of numbers."""
    return {
        "benchmark": snapshot.benchmark.slug,
        "policy": snapshot.benchmark.policy,
        "guest": snapshot.benchmark.guest,
        "version": snapshot.version,
        "title": snapshot.title,
        "status": snapshot.status,
        "task_snapshot_date": snapshot.task_snapshot_date.isoformat(),
        "date_of": snapshot.date_of,
        "evaluation_scripts": _reported(snapshot, snapshot.evaluation_scripts),
        "agent": _reported(snapshot, snapshot.agent_name),
        "agent_version": _reported(snapshot, snapshot.agent_version),
        "sdk": _reported(snapshot, snapshot.sdk),
        "toolchain": _reported(snapshot, snapshot.toolchain),
        "device_profile": _reported(snapshot, snapshot.device_profile),
        "simulated": snapshot.device_profile_simulated,
        "device_facts": snapshot.device_facts,
        "prompt_template": snapshot.prompt_template,
        "run_parameters": snapshot.run_parameters,
        "run_count": None if snapshot.runs_differ else snapshot.run_count,
        "repair_limit": None if snapshot.benchmark.guest else snapshot.repair_limit,
        "asks_for_trajectories": snapshot.asks_for_trajectories,
        "refused_differences": snapshot.refused_differences,
        "task_set_digest": snapshot.task_set_digest or None,
        "script_digest": snapshot.script_digest or None,
        "comparability_key": snapshot.comparability_key,
        "package_held": bool(snapshot.package_path),
        "scopes": {
            row.scope: {"tasks": row.task_count, "f_points": row.f_point_count}
            for row in snapshot.scope_rows
        },
        "streams": streams_as_dict(snapshot) if is_by_pass_rate(snapshot) else {},
        "floor_completed": snapshot.floor_completed,
        "ceiling_completed": snapshot.ceiling_completed,
        "url": snapshot.get_absolute_url(),
    }


def _reported(snapshot: EvaluationSnapshot, value: str) -> str | None:
    """Of another benchmark hardly any condition is known."""
    return None if snapshot.benchmark.guest and not value else value


def standings_as_dict(table: Standings) -> dict[str, Any]:
    """The whole of ``table`` as the API gives it in pages."""
    fresh = FreshRanking.of(table)
    found = fresh.find(Asked(limit=None))
    return {
        **table_as_dict(fresh),
        "results": [row_as_dict(row) for row in found.rows],
        "unranked": [row_as_dict(row) for row in found.apart],
        "withdrawn": [strike_as_dict(*each) for each in found.strikes],
    }


def table_as_dict(table: Ranking, as_of: AsOf | None = None) -> dict[str, Any]:
    """What stands beside the rows: ``results`` that are ranked together, ``unranked``
    ones apart, and ``withdrawn`` ones."""
    return {
        "snapshot": snapshot_as_dict(table.snapshot),
        "scope": table.scope.value,
        "as_of": as_of.day.isoformat() if as_of else None,
        "data_version": table.summary.data_version,
        "license": settings.DATA_LICENSE,
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
    "declared_comparable",
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
        "declared_comparable": (row["declared_comparable"] or {}).get("reason"),
        "completed_by_run": " ".join(str(count) for count in row["completed_by_run"]),
        "task_completion_mean": completion["mean"],
        "task_completion_min": completion["min"],
        "task_completion_max": completion["max"],
    }
