"""The event lines of ``deveco run --format json`` and ``opencode run --format json``.

The stream leaves out what sub-agents did, so nothing is counted from it.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Events:
    """What a stream tells: its session, every error, and whether the last was fatal.

    ``streamed_tokens`` is the root session's part of the tokens; ``endpoint_failed``
    says that the model could not be asked.
    """

    session: str = ""
    errors: tuple[str, ...] = ()
    endpoint_failed: bool = False
    steps: int = 0
    streamed_tokens: int = 0
    sub_agents: int = 0


def read_events(output: bytes) -> Events:
    """Read a stream; lines that are no events (warnings, say) are passed over."""
    session, steps, tokens, sub_agents = "", 0, 0, 0
    errors: list[str] = []
    failed = False
    for event in _events(output):
        session = session or str(event.get("sessionID") or "")
        part = _dict(event.get("part"))
        match event.get("type"):
            case "step_finish":
                steps += 1
                total = _dict(part.get("tokens")).get("total")
                tokens += total if type(total) is int else 0
            case "tool_use" if part.get("tool") == "task":
                sub_agents += 1
            case "error":
                error = _dict(event.get("error"))
                errors.append(_told(error))
                failed = error.get("name") == "APIError" and bool(
                    _dict(error.get("data")).get("isRetryable")
                )
    return Events(session, tuple(errors), failed, steps, tokens, sub_agents)


def _events(output: bytes) -> Iterator[Mapping[str, Any]]:
    for line in output.splitlines():
        if not line.startswith(b"{"):
            continue
        try:
            event = json.loads(line)
        except (ValueError, RecursionError):
            continue
        if isinstance(event, dict) and "type" in event:
            yield event


def _told(error: Mapping[str, Any]) -> str:
    message = _dict(error.get("data")).get("message") or error.get("message") or ""
    return f"{error.get('name', 'error')}: {' '.join(str(message).split())[:300]}"


def _dict(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}
