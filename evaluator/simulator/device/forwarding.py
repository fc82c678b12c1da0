"""Port forwarding to the uitest daemon, the one port of the device that answers."""

from __future__ import annotations

import json
import re
import socketserver
import threading
from collections.abc import Sequence

from evaluator.simulator.device.uitest import UiTest

MAX_REQUEST_BYTES = 4 * 1024 * 1024

_DAEMON_ENDS = {"tcp:8012", "localabstract:uitest_socket"}


class _RpcServer(socketserver.ThreadingTCPServer):
    allow_reuse_address = True
    daemon_threads = True

    def __init__(self, port: int, uitest: UiTest) -> None:
        self.uitest = uitest
        super().__init__(("127.0.0.1", port), _RpcHandler)


class _RpcHandler(socketserver.StreamRequestHandler):
    """JSON requests and replies, one a line."""

    server: _RpcServer

    def handle(self) -> None:
        while line := self.rfile.readline(MAX_REQUEST_BYTES):
            try:
                request = json.loads(line)
            except (ValueError, RecursionError):
                request = None
            reply = json.dumps(self.server.uitest.answer(request), ensure_ascii=False)
            try:
                self.wfile.write(reply.encode("utf-8", "replace") + b"\n")
            except OSError:
                return


class Forwarding:
    """The forwarding rules of one device (`fport`)."""

    def __init__(self, serial: str, uitest: UiTest) -> None:
        self._serial = serial
        self._uitest = uitest
        self._rules: dict[int, tuple[str, _RpcServer]] = {}
        self._lock = threading.Lock()

    def answer(self, words: Sequence[str]) -> str:
        with self._lock:
            if list(words) == ["ls"]:
                return self._list()
            if words[:1] == ["rm"] and len(words) >= 2:
                return self._remove(words[1:])
            if len(words) == 2:
                return self._add(*words)
        return "[Fail]Forward parament failed\n"

    def close(self) -> None:
        with self._lock:
            for _, server in self._rules.values():
                server.shutdown()
                server.server_close()
            self._rules.clear()

    def _list(self) -> str:
        if not self._rules:
            return "[Empty]\n"
        return "".join(
            f"{self._serial}    tcp:{port} {remote}    [Forward]\n"
            for port, (remote, _) in self._rules.items()
        )

    def _add(self, local: str, remote: str) -> str:
        port = _port(local)
        if port is None or remote not in _DAEMON_ENDS:
            return "[Fail]Forwardport result:Failed\n"
        try:
            server = _RpcServer(port, self._uitest)
        except OSError:
            return f"[Fail]Forward parament failed, TCP Port listen failed at {port}\n"
        self._rules[port] = (remote, server)
        poll = {"poll_interval": 0.05}
        threading.Thread(target=server.serve_forever, kwargs=poll, daemon=True).start()
        return "Forwardport result:OK\n"

    def _remove(self, words: Sequence[str]) -> str:
        rule = " ".join(words)
        port = _port(words[0])
        found = None if port is None else self._rules.pop(port, None)
        if found is None:
            return f"[Fail]Remove forward ruler failed, ruler is not exist {rule}\n"
        found[1].shutdown()
        found[1].server_close()
        return f"Remove forward ruler success, ruler:{rule}\n"


def _port(end: str) -> int | None:
    match = re.fullmatch(r"tcp:(\d{1,5})", end)
    return int(match[1]) if match and 0 < int(match[1]) < 65536 else None
