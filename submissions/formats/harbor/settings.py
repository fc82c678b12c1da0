"""Settings of Harbor under which a result cannot be compared with others."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from submissions.findings import Code, Findings, plain, shown
from submissions.formats.harbor.documents import Document
from submissions.formats.harbor.trials import Trial
from submissions.formats.words import counted

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


def check_settings(trials: Iterable[Trial], *, findings: Findings) -> list[str]:
    """Note every setting out of the ordinary once; return them in words."""
    found: dict[Setting, list[Trial]] = {}
    for trial in trials:
        if trial.config.get("install_only") is True:
            findings.error(
                Code.HARBOR_SETTING,
                f"{trial.where}/config.json: install_only",
                saw="true, so the agent did no work",
                fix="Run the job without --install-only.",
            )
        for setting in deviations(trial.config):
            found.setdefault(setting, []).append(trial)
    for setting, where in found.items():
        findings.warning(
            Code.HARBOR_SETTING,
            f"{where[0].where}/config.json: {setting.name}",
            saw=f"{setting.value}, in {counted(len(where), 'trial')}",
            fix="Run the job with the default; as it stands the results are shown "
            "apart and not ranked with the snapshot's.",
        )
    return [plain(f"{each.name} = {each.value}", limit=190) for each in found]
