"""Reasons of attempts in words: trouble of ours, and the configuration's own doing."""

from __future__ import annotations

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from evaluator.verdicts import InfraReason
from leaderboard.outcomes import outcome

_OURS: dict[str, str | Promise] = {
    InfraReason.WORKER_LOST: _("Worker lost"),
    InfraReason.DRAIN: _("Worker told to stop"),
    InfraReason.DEADLINE: _("Stage passed its time limit"),
    InfraReason.TOOL_MISSING: _("Tool missing"),
    InfraReason.SANDBOX: _("Sandbox not set up"),
    InfraReason.DISK_FULL: _("Disk full"),
    InfraReason.STORAGE: _("Artifact storage failed"),
    InfraReason.DEVICE_LOST: _("Device lost"),
    InfraReason.DEVICE_FAULT: _("Device broken"),
    InfraReason.HDC: _("Device connector failed"),
    InfraReason.INSTALL: _("Package refused by the device"),
    InfraReason.NO_REPORT: _("No report of the checks"),
    InfraReason.RUNNER_CRASH: _("Check runner broke"),
    InfraReason.MODEL_ENDPOINT: _("Model endpoint failed"),
    InfraReason.CHECK_BROKEN: _("Check script broken"),
    InfraReason.NOT_SIMULATED: _("Not simulated"),
    InfraReason.WORKSPACE: _("Workspace failed"),
    InfraReason.INTERNAL: _("Error of ours"),
}


def reason_label(reason: str) -> str | Promise:
    """The reason of an attempt or a job in the reader's language; empty stays empty."""
    if not reason:
        return ""
    return _OURS.get(reason) or outcome(completed=False, reason=reason).label
