"""Ports for servers that a test starts, perhaps more than once."""

from __future__ import annotations

import secrets
import socket


def free_port() -> int:
    """A port on which nothing listens.

    It is below those that systems lend to outgoing connections, so none of those takes
    it before its server is there or while that is away.
    """
    while True:
        port = 10_000 + secrets.randbelow(20_000)
        with socket.socket() as probe:
            try:
                probe.bind(("127.0.0.1", port))
            except OSError:
                continue
            return port
