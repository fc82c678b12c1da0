"""How outcomes of task runs are named and drawn. Shape carries the meaning."""

from __future__ import annotations

from typing import NamedTuple

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

COMPLETED = "completed"
OVERRULED = "overruled"


class Outcome(NamedTuple):
    """``mark`` is the shape: filled, outline, cross, dash."""

    name: str
    label: str | Promise
    mark: str


_OUTCOMES = {
    outcome.name: outcome
    for outcome in (
        Outcome(COMPLETED, _("Completed"), "filled"),
        # Measured as completed; maintainers let it count as not completed.
        Outcome(OVERRULED, _("Overruled, counts as not completed"), "outline"),
        Outcome("check_failed", _("Behavior check failed"), "outline"),
        Outcome("install_failed", _("App did not install or start"), "outline"),
        Outcome("timed_out", _("Timed out"), "outline"),
        Outcome("build_failed", _("Build failed"), "cross"),
        Outcome("patch_does_not_apply", _("Patch does not apply"), "cross"),
        Outcome("patch_rejected", _("Patch rejected"), "cross"),
        Outcome("no_change", _("No change submitted"), "dash"),
    )
}


def outcome(*, completed: bool, reason: str, overruled: bool = False) -> Outcome:
    """The outcome of one task run; an unknown reason is shown by its own name."""
    name = OVERRULED if overruled else COMPLETED if completed else reason
    return _OUTCOMES.get(name) or Outcome(name, name.replace("_", " "), "outline")


def order(found: Outcome) -> int:
    """Place in lists: completed first, unknown reasons last."""
    names = list(_OUTCOMES)
    return names.index(found.name) if found.name in _OUTCOMES else len(names)
