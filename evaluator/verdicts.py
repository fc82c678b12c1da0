"""Tool outcomes sorted into model outcomes and infrastructure outcomes; pure.

A model outcome is the configuration's doing and final. An infrastructure outcome is
our own trouble: it is tried again and never scores.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class InfraReason(StrEnum):
    """Why a stage has to be run again. None of these ever counts as a fail."""

    WORKER_LOST = "worker_lost"
    DRAIN = "drain"
    DEADLINE = "deadline"
    TOOL_MISSING = "tool_missing"
    SANDBOX = "sandbox_setup"
    DISK_FULL = "disk_full"
    STORAGE = "storage_error"
    DEVICE_LOST = "device_lost"
    HDC = "hdc_error"
    NO_REPORT = "no_report"
    RUNNER_CRASH = "runner_crash"
    CHECK_BROKEN = "check_broken"
    NOT_SIMULATED = "not_simulated"
    WORKSPACE = "workspace_error"
    INTERNAL = "internal_error"


class FailReason(StrEnum):
    """Why a task run is not completed: the configuration's doing, final."""

    NO_CHANGE = "no_change"
    PATCH_REJECTED = "patch_rejected"
    PATCH_DOES_NOT_APPLY = "patch_does_not_apply"
    BUILD_FAILED = "build_failed"
    INSTALL_FAILED = "install_failed"
    CHECK_FAILED = "check_failed"
    TIMED_OUT = "timed_out"


@dataclass(frozen=True, slots=True)
class Trouble:
    """An infrastructure outcome: a reason from the closed list and what was seen."""

    reason: InfraReason
    detail: str
