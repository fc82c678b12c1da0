"""Running code that nobody vouches for: under bubblewrap, or knowingly without.

Knows nothing of Django, so that a device process can use it too.
"""

from __future__ import annotations

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
from evaluator.sandbox.probes import ProbeResult, probe

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
    "probe",
    "was_set_up",
]


def open_sandbox(mode: str, *, privacy: Privacy = NOTHING_PRIVATE) -> Sandbox:
    """Return the sandbox for ``mode``: "auto", "bwrap" or "none".

    "auto" is bubblewrap where it works and the host itself where it does not; ask
    ``isolates`` before anything untrusted runs in what came back. What ``privacy``
    closes is never shown, whatever a command asks for.
    """
    if mode == "none":
        return HostSandbox()
    if mode == "bwrap":
        return BubblewrapSandbox(privacy)
    if mode != "auto":
        raise ValueError(f"No sandbox mode {mode!r}. Known: auto, bwrap, none.")
    try:
        return BubblewrapSandbox(privacy)
    except SandboxUnavailableError as error:
        return HostSandbox(reason=str(error))
