"""User ids for sandboxes that root opens: one per open sandbox, never shared."""

from __future__ import annotations

import socket
import weakref

from evaluator.sandbox.base import SandboxUnavailableError

FIRST_UID = 60100
SLOT_COUNT = 64
LOCK_NAME = "ohb-sandbox-slot"


class Slot:
    """A user id that nobody else on this machine runs a sandbox under.

    Held by the name of an abstract socket: the kernel lets go of it with the process,
    so a killed worker leaves nothing to clean up. ``close()`` lets go of it earlier.
    """

    def __init__(self) -> None:
        self._lock = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.close = weakref.finalize(self, self._lock.close)
        for number in range(SLOT_COUNT):
            try:
                self._lock.bind(f"\0{LOCK_NAME}-{number}")
            except OSError:
                continue
            self.uid = FIRST_UID + number
            return
        self.close()
        raise SandboxUnavailableError(
            f"All {SLOT_COUNT} sandbox users of this machine are in use. "
            "Run fewer workers here, or end the ones that hang."
        )
