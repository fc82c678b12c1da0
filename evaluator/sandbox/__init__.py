"""Running code that nobody vouches for: under bubblewrap, or knowingly without.

Knows nothing of Django, so that a device process can use it too.
"""

from __future__ import annotations

import os
import sys

from evaluator.sandbox.base import (
    Limits,
    Sandbox,
    SandboxError,
    SandboxUnavailableError,
    excess_of,
    was_set_up,
)
from evaluator.sandbox.bubblewrap import BubblewrapSandbox
from evaluator.sandbox.host import HostSandbox
from evaluator.sandbox.privacy import NOTHING_PRIVATE, Privacy
from evaluator.sandbox.probes import ProbeResult, open_ways_out, probe
from evaluator.sandbox.unshare import UnshareSandbox

__all__ = [
    "NOTHING_PRIVATE",
    "Limits",
    "Privacy",
    "ProbeResult",
    "Sandbox",
    "SandboxError",
    "SandboxUnavailableError",
    "excess_of",
    "open_sandbox",
    "open_ways_out",
    "probe",
    "was_set_up",
]

MODES = ("auto", "bwrap", "unshare", "none")


def open_sandbox(mode: str, *, privacy: Privacy = NOTHING_PRIVATE) -> Sandbox:
    """Return the sandbox for ``mode``: "auto", "bwrap", "unshare" or "none".

    "auto" is bubblewrap where it works, for root otherwise util-linux alone, and the
    host itself where neither works: ask ``isolates`` and :func:`open_ways_out` before
    anything untrusted runs in what came back. What ``privacy`` closes is never shown,
    whatever a command asks for.
    """
    if mode == "none":
        return HostSandbox()
    if mode == "bwrap":
        return BubblewrapSandbox(privacy)
    if mode == "unshare":
        return UnshareSandbox(privacy)
    if mode != "auto":
        raise ValueError(f"No sandbox mode {mode!r}. Known: {', '.join(MODES)}.")
    if sys.platform == "win32":
        return HostSandbox(reason="there is no sandbox on Windows")
    try:
        return BubblewrapSandbox(privacy)
    except SandboxUnavailableError as error:
        return _second_best(str(error), privacy)


def _second_best(reason: str, privacy: Privacy) -> Sandbox:
    if os.geteuid() != 0:
        return HostSandbox(reason=reason)
    try:
        return UnshareSandbox(privacy)
    except SandboxUnavailableError as error:
        return HostSandbox(reason=f"{reason} {error}")
