"""The hdc server of the device: clients connect, ask, and are answered."""

from __future__ import annotations

import socketserver
import threading

from evaluator.simulator.device.channel import (
    ChannelError,
    greet_as_server,
    receive_text,
    send_text,
)
from evaluator.simulator.device.commands import Commands

_NO_SUCH_TARGET = "[Fail]Not match target founded, check connect-key please\n"


class HdcServer(socketserver.ThreadingTCPServer):
    """Listens on one local port for one device."""

    allow_reuse_address = True
    daemon_threads = True
    request_queue_size = 64

    def __init__(self, port: int, serial: str, commands: Commands) -> None:
        self.serial = serial
        self.commands = commands
        super().__init__(("127.0.0.1", port), _Channel)


class _Channel(socketserver.BaseRequestHandler):
    """One client. A target list may be asked for again; all else is one answer."""

    server: HdcServer

    def handle(self) -> None:
        try:
            key = greet_as_server(self.request, threading.get_ident())
            while self._serve(key, receive_text(self.request).strip()):
                pass
        except (ChannelError, OSError):
            return

    def _serve(self, key: str, text: str) -> bool:
        """Answer one command; whether the channel stays open."""
        listing = text.startswith("list targets")
        if key not in {"", self.server.serial} and not listing:
            send_text(self.request, _NO_SUCH_TARGET)
            return False
        answer = self.server.commands.answer(text)
        if answer:
            send_text(self.request, answer)
        return answer is None or listing
