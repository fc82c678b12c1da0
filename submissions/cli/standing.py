"""Where an evaluation stands, in words: its place in the queue, its end, signs of life.

Reads ``progress`` of a submission in the API; what a server does not tell is left out.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

_UNITS = ((86400, "d"), (3600, "h"), (60, "min"))


def standing(found: Mapping[str, Any], *, now: datetime) -> dict[str, str]:
    """What is to be told of an evaluation that goes on, by its name; in their order."""
    progress = found.get("progress")
    if found.get("state") != "evaluating" or not isinstance(progress, Mapping):
        return {}
    told = {
        "queue": _queue(progress.get("queue") or {}),
        "estimate": _estimate(progress.get("estimate")),
        "last sign of life": _sign(progress, now),
        "tried again": _listed(progress.get("reruns")),
        "waiting for a maintainer": _listed(progress.get("stuck")),
    }
    return {name: text for name, text in told.items() if text}


def roughly(seconds: float) -> str:
    """A length of time in one unit: 41 s, 90 min, 2 h."""
    for length, unit in _UNITS:
        if seconds >= 2 * length or seconds == length:
            return f"{round(seconds / length)} {unit}"
    return f"{round(seconds)} s"


def _queue(queue: Mapping[str, Any]) -> str:
    ahead = queue.get("jobs_ahead")
    parts = []
    if isinstance(ahead, int):
        noun = "task run" if ahead == 1 else "task runs"
        parts.append(
            f"position {ahead + 1} in pool {queue.get('pool')} "
            f"({ahead} {noun} of others ahead)"
        )
    if queue.get("worker_count") == 0:
        parts.append("no worker is running")
    elif queue.get("unserved_pools"):
        parts.append(f"no worker serves {', '.join(queue['unserved_pools'])}")
    elif queue.get("unoffered"):
        parts.append(f"no worker offers {', '.join(queue['unoffered'])}")
    if queue.get("paused_pools"):
        parts.append(f"paused: {', '.join(queue['paused_pools'])}")
    return "; ".join(parts)


def _estimate(estimate: object) -> str:
    if not isinstance(estimate, Mapping):
        return "none yet"
    low, high = roughly(estimate["low_seconds"]), roughly(estimate["high_seconds"])
    span = low if low == high else f"{low} to {high}"
    return f"{span} to the end, no promise"


def _sign(progress: Mapping[str, Any], now: datetime) -> str:
    text = progress.get("last_sign_at")
    if not isinstance(text, str):
        return ""
    at = datetime.fromisoformat(text).astimezone(UTC)
    age = roughly(max(0.0, (now - at).total_seconds()))
    silent = ", longer than it should be" if progress.get("silent") else ""
    return f"{at:%Y-%m-%d %H:%M:%S} UTC, {age} ago{silent}"


def _listed(rows: object) -> str:
    """Task runs with trouble of ours and its reason."""
    if not isinstance(rows, list):
        return ""
    texts = []
    for row in rows:
        attempt = f", attempt {row['attempt']}" if "attempt" in row else ""
        texts.append(f"run {row['run']} {row['task']} ({row['reason']}{attempt})")
    return "; ".join(texts)
