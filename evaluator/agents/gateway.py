"""The agent's only way out: one model of one endpoint, through a socket.

The key is added on this side, so it is never where the agent could read it. What the
endpoint answered is noted here as well: whether it was down decides between a model
outcome and trouble of ours, and nothing inside the sandbox has a say in that.
"""

from __future__ import annotations

import hmac
import json
import secrets
import shutil
import socket
import tempfile
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from socketserver import TCPServer, ThreadingMixIn
from typing import Any, Protocol

from evaluator.agents.verdicts import ModelCall

COMPLETIONS = "/v1/chat/completions"
MAX_REQUEST_BYTES = 64 * 1024 * 1024

_TAIL_BYTES = 64 * 1024


@dataclass(frozen=True, slots=True)
class Answer:
    """The head of an endpoint's answer and its body in pieces."""

    status: int
    headers: Mapping[str, str]
    body: Iterator[bytes]


class EndpointError(Exception):
    """The endpoint could not be asked, or broke off its answer."""


class Endpoint(Protocol):
    """Answers chat completions of one model."""

    @property
    def model(self) -> str:
        """The one model that may be asked for."""
        ...

    def ask(self, body: bytes) -> Answer:
        """Pass one request on; raises EndpointError, also while the body is read."""
        ...


@dataclass(slots=True)
class Gateway:
    """An open gateway: where it listens, the agent's token, and what went through."""

    socket: Path
    token: str
    endpoint: Endpoint
    calls: list[ModelCall] = field(default_factory=list)
    waiting: dict[int, float] = field(default_factory=dict)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def longest_wait(self) -> float:
        """For how many seconds the endpoint has owed an answer; 0 if it owes none."""
        with self.lock:
            began = min(self.waiting.values(), default=None)
        return 0.0 if began is None else time.monotonic() - began

    def total_tokens(self) -> int | None:
        """What the endpoint said it used; None where an answer did not say."""
        answered = [call for call in self.calls if call.status == 200]
        told = [call.tokens for call in answered if call.tokens is not None]
        return sum(told) if len(told) == len(answered) else None


@contextmanager
def open_gateway(endpoint: Endpoint) -> Iterator[Gateway]:
    """Listen for one agent; nothing but its token and its model is let through."""
    # A short path: a socket's may have no more than some hundred bytes.
    folder = Path(tempfile.mkdtemp(prefix="ohb-model-"))
    gateway = Gateway(folder / "model.sock", secrets.token_urlsafe(24), endpoint)
    try:
        # The agent runs as another user; what it may ask, its token says.
        folder.chmod(0o755)
        with _Server(gateway) as server:
            gateway.socket.chmod(0o666)
            thread = threading.Thread(
                target=server.serve_forever, args=(0.05,), daemon=True
            )
            thread.start()
            try:
                yield gateway
            finally:
                server.shutdown()
    finally:
        shutil.rmtree(folder, ignore_errors=True)


class _Server(ThreadingMixIn, TCPServer):
    # Windows lacks them; its workers serve devices, and load this module all the same.
    address_family = getattr(socket, "AF_UNIX", socket.AF_INET)
    daemon_threads = True
    # A request that still waits for the endpoint must not hold up the end.
    block_on_close = False

    def __init__(self, gateway: Gateway) -> None:
        self.gateway = gateway
        super().__init__(str(gateway.socket), _Handler)  # type: ignore[arg-type]  # a path, for this family

    def handle_error(self, request: Any, client_address: Any) -> None:
        """An agent that hangs up is no news."""


class _Handler(BaseHTTPRequestHandler):
    server: _Server

    def log_message(self, format: str, *args: Any) -> None:
        """Nothing: a request's line is the agent's text."""

    def do_POST(self) -> None:
        gateway = self.server.gateway
        body = self._body()
        refusal = self._refusal(body)
        if refusal:
            self._refuse(*refusal)
            return
        number = id(self)
        with gateway.lock:
            gateway.waiting[number] = time.monotonic()
        try:
            self._pass_on(gateway, body)
        finally:
            with gateway.lock:
                gateway.waiting.pop(number, None)

    def do_GET(self) -> None:
        self._refuse(403, "Only chat completions are let through.")

    def _body(self) -> bytes:
        length = self.headers.get("Content-Length", "")
        if not length.isdecimal() or int(length) > MAX_REQUEST_BYTES:
            return b""
        return self.rfile.read(int(length))

    def _refusal(self, body: bytes) -> tuple[int, str] | None:
        gateway = self.server.gateway
        given = self.headers.get("Authorization", "")
        wanted = f"Bearer {gateway.token}"
        if not hmac.compare_digest(given.encode(), wanted.encode()):
            return 403, "This is not the token of the task run."
        if self.path != COMPLETIONS:
            return 403, "Only chat completions are let through."
        try:
            asked = json.loads(body)["model"]
        except (ValueError, KeyError, TypeError, RecursionError):
            return 400, "A JSON object that names its model is expected."
        if asked != gateway.endpoint.model:
            return 403, f"Only {gateway.endpoint.model} may be asked."
        return None

    def _pass_on(self, gateway: Gateway, body: bytes) -> None:
        """Hand the answer through as it comes; noted before the agent sees its end."""
        try:
            answer = gateway.endpoint.ask(body)
        except EndpointError as error:
            gateway.calls.append(ModelCall(None, str(error)))
            self._refuse(502, f"Cannot connect to the model's endpoint: {error}")
            return
        self.send_response(answer.status)
        for name, value in answer.headers.items():
            self.send_header(name, value)
        # The end of the answer is the end of the connection.
        self.send_header("Connection", "close")
        self.close_connection = True
        tail = b""
        try:
            self.end_headers()
            for chunk in answer.body:
                tail = (tail + chunk)[-_TAIL_BYTES:]
                self.wfile.write(chunk)
                with gateway.lock:
                    gateway.waiting[id(self)] = time.monotonic()
        except EndpointError as error:
            gateway.calls.append(ModelCall(None, str(error)))
        except OSError:
            return  # The agent hung up.
        else:
            said = "" if answer.status == 200 else tail.decode(errors="replace")[:300]
            gateway.calls.append(ModelCall(answer.status, said, tokens=_tokens(tail)))

    def _refuse(self, status: int, message: str) -> None:
        content = json.dumps({"error": {"message": message}}).encode()
        self.close_connection = True
        try:
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(content)))
            self.send_header("Connection", "close")
            self.end_headers()
            self.wfile.write(content)
        except OSError:
            return


def _tokens(tail: bytes) -> int | None:
    """The total of an answer's usage, whole or as a stream of events."""
    for line in reversed(tail.splitlines()):
        text = line.removeprefix(b"data:").strip()
        if b'"usage"' not in text:
            continue
        try:
            total = json.loads(text)["usage"]["total_tokens"]
        except (ValueError, KeyError, TypeError, RecursionError):
            continue
        return total if type(total) is int and total >= 0 else None
    return None
