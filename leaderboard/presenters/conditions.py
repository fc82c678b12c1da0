"""The conditions of a snapshot in words."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from django.utils.functional import Promise
from django.utils.translation import gettext
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
# Conditions by the name that the manifest of a bundle has for them.
_OF_THE_MANIFEST: Mapping[str, str | Promise] = {
    "task_snapshot_date": _("Task snapshot"),
    "evaluation_scripts": CONDITIONS["script_digest"],
    "agent.name": CONDITIONS["agent_name"],
    "agent.version": CONDITIONS["agent_version"],
    "run_configuration.runs": CONDITIONS["run_count"],
    "run_configuration.repair_limit": CONDITIONS["repair_limit"],
    "origin.deviations": _("Noted when the bundle was converted"),
}
_PARAMETER = "run_parameters."
_DIGEST_CHARACTERS = 12


def condition_label(name: str) -> str:
    """A differing field in words; an unknown one by its own name."""
    if name.startswith(_PARAMETER):
        found = gettext("Run parameter %(name)s")
        return found % {"name": name.removeprefix(_PARAMETER)}
    return str(CONDITIONS.get(name) or _OF_THE_MANIFEST.get(name) or name)


def condition_labels(names: Iterable[str]) -> str:
    """Differing fields in words, with the commas of the reader's language."""
    return gettext(", ").join(map(condition_label, names))


def condition_text(name: str, snapshot: EvaluationSnapshot) -> str:
    """The value that ``snapshot`` sets; digests are cut to what eyes can compare."""
    value = str(getattr(conditions_of(snapshot), name, "") or "—")
    return value[:_DIGEST_CHARACTERS] if name.endswith("_digest") else value
