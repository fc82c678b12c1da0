"""The conditions of a snapshot in words."""

from __future__ import annotations

from collections.abc import Mapping

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from leaderboard.comparability import conditions_of
from leaderboard.models import EvaluationSnapshot

CONDITIONS: Mapping[str, str | Promise] = {
    "benchmark": _("Benchmark"),
    "benchmark_version": _("Benchmark version"),
    "task_set_digest": _("Task set"),
    "script_digest": _("Evaluation scripts"),
    "agent_name": _("Agent"),
    "agent_version": _("Agent version"),
    "sdk": "SDK",
    "toolchain": _("Toolchain"),
    "device_profile": _("Device profile"),
    "run_count": _("Runs"),
    "repair_limit": _("Compile repairs, at most"),
}
_DIGEST_CHARACTERS = 12


def condition_text(name: str, snapshot: EvaluationSnapshot) -> str:
    """The value that ``snapshot`` sets; digests are cut to what eyes can compare."""
    value = str(getattr(conditions_of(snapshot), name, "") or "—")
    return value[:_DIGEST_CHARACTERS] if name.endswith("_digest") else value
