"""The progress of a submission for scripts: counts, queue, estimate, signs of life."""

from __future__ import annotations

from typing import Any

from evaluator.models import JobState
from submissions.progress import Progress


def task_run_counts(counts: dict[str, int]) -> dict[str, int]:
    """Task runs by what they wait for; ``total`` never changes."""
    return {
        "total": sum(counts.values()),
        "scored": counts[JobState.SCORED],
        "queued": counts[JobState.QUEUED],
        "running": counts[JobState.LEASED],
        "waiting_for_a_maintainer": counts[JobState.INFRA_EXHAUSTED]
        + counts[JobState.QUARANTINED],
        "cancelled": counts[JobState.CANCELLED],
    }


def progress_document(progress: Progress) -> dict[str, Any]:
    """Times in seconds; ``estimate`` is a range, and None where nothing is known."""
    forecast = progress.forecast
    until = forecast.until_end
    return {
        "queue": {
            "pool": forecast.pool,
            "jobs_ahead": forecast.jobs_ahead,
            "worker_count": forecast.worker_count,
            "unserved_pools": list(progress.unserved),
            "unoffered": list(progress.unoffered),
            "paused_pools": [pause.pool for pause in forecast.pauses],
        },
        "estimate": None
        if until is None
        else {
            "low_seconds": round(until.low.total_seconds()),
            "high_seconds": round(until.high.total_seconds()),
        },
        "last_sign_at": progress.last_sign_at,
        "silent": progress.silent,
        "reruns": [
            {
                "task": row.task,
                "run": row.run,
                "stage": row.stage.value,
                "reason": row.reason,
                "attempt": row.number,
                "budget": row.budget,
            }
            for row in progress.reruns
        ],
        "stuck": [
            {
                "task": row.task,
                "run": row.run,
                "stage": row.stage.value,
                "reason": row.reason,
            }
            for row in progress.stuck
        ],
    }
