"""One short text for the numbers behind a table: equal texts mean equal numbers."""

from __future__ import annotations

import hashlib
import json

from leaderboard.standings import Standings, StandingsRow


def data_version(table: Standings) -> str:
    """16 hex digits over every count of every shown evaluation, in all scopes."""
    shown = [_counts(row) for row in (*table.rows, *table.unranked)]
    withdrawn = [evaluation.pk for evaluation in table.withdrawn]
    content = [table.snapshot.comparability_key, sorted(shown), sorted(withdrawn)]
    canonical = json.dumps(content, separators=(",", ":"))
    return hashlib.sha256(canonical.encode()).hexdigest()[:16]


def _counts(row: StandingsRow) -> list[object]:
    evaluation = row.evaluation
    return [
        evaluation.pk,
        evaluation.provenance,
        evaluation.comparability_key,
        row.rank is None,
        row.decision.pk if row.decision else None,
        *(
            [
                scope,
                found.task_runs,
                found.completed_by_run,
                found.first_build_count,
                found.final_build_count,
                str(found.tokens_per_task),
                str(found.seconds_per_task),
            ]
            for scope, found in sorted(row.figures.items())
        ),
    ]
