"""Settings of Harbor under which a result cannot be compared with others."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from submissions.findings import shown
from submissions.formats.harbor.documents import Document

# Multipliers are 1 where nothing was changed; everything else is empty or off.
_MULTIPLIERS = (
    "timeout_multiplier",
    "agent_timeout_multiplier",
    "verifier_timeout_multiplier",
    "agent_setup_timeout_multiplier",
    "environment_build_timeout_multiplier",
)
_UNSET = (
    "extra_instructions",
    "extra_instruction_paths",
    "override_error_policy",
    "user_agent",
    "agent.override_timeout_sec",
    "agent.override_setup_timeout_sec",
    "agent.max_timeout_sec",
    "agent.resume_trajectory",
    "agent.load_trajectory",
    "agent.skills",
    "agent.mcp_servers",
    "verifier.override_timeout_sec",
    "verifier.max_timeout_sec",
    "verifier.disable",
    "environment.override_cpus",
    "environment.override_memory_mb",
    "environment.override_storage_mb",
    "environment.override_gpus",
    "environment.override_tpu",
)


class Setting(NamedTuple):
    """A setting that is not as the benchmark has it, with its value in words."""

    name: str
    value: str


def deviations(config: Document) -> Iterator[Setting]:
    """The settings of a trial that break comparability."""
    for name in _MULTIPLIERS:
        value = config.get(name)
        if value is not None and value != 1:
            yield Setting(name, shown(value))
    for name in _UNSET:
        value = config.get(*name.split("."))
        if value not in (None, False, [], {}, ""):
            yield Setting(name, _told(value))


def _told(value: Any) -> str:
    if isinstance(value, list) and value:
        return ", ".join(shown(item, limit=40) for item in value[:3])
    return shown(value)
