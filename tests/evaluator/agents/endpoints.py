"""Endpoints for tests: an HTTP server that fails in every way, and scripts."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any

from evaluator.agents.scripted import ScriptedEndpoint


def call(tool: str, **arguments: Any) -> dict[str, Any]:
    """One step of a script."""
    return {"tool": tool, "arguments": arguments}


def script(*turns: Sequence[Any], when: str = "") -> dict[str, Any]:
    return {"when": when, "turns": list(turns)}


def scripted(*conversations: dict[str, Any]) -> ScriptedEndpoint:
    return ScriptedEndpoint("scripted-test", conversations)


@dataclass(slots=True)
class FakeLab:
    """A model server on the loopback: what it was asked, and how it answers.

    Without ``status`` it follows ``model``; with one it fails, and says the key that it
    was given back, as some do. A status of 0 breaks off in the middle.
    """

    model: ScriptedEndpoint
    status: int | None = None
    headers: dict[str, str] = field(default_factory=dict)
    asked: list[dict[str, Any]] = field(default_factory=list)
    keys: list[str] = field(default_factory=list)
    base_url: str = ""


@contextmanager
def fake_lab(model: ScriptedEndpoint, **fields: Any) -> Iterator[FakeLab]:
    lab = FakeLab(model, **fields)

    class Handler(BaseHTTPRequestHandler):
        def log_message(self, format: str, *args: Any) -> None:
            pass

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            lab.asked.append(json.loads(body))
            key = self.headers.get("Authorization", "")
            lab.keys.append(key)
            if lab.status is None:
                self._answer(200, b"".join(lab.model.ask(body).body))
            elif lab.status == 0:
                self.send_response(200)
                self.send_header("Content-Length", "1000")
                self.end_headers()
                self.wfile.write(b"data: {")
            else:
                said = {"error": {"message": f"not with {key}"}}
                self._answer(lab.status, json.dumps(said).encode())

        def _answer(self, status: int, content: bytes) -> None:
            self.send_response(status)
            self.send_header("Content-Type", "text/event-stream")
            self.send_header("Content-Length", str(len(content)))
            for name, value in lab.headers.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(content)

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        lab.base_url = f"http://127.0.0.1:{server.server_port}/v1"
        Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
        try:
            yield lab
        finally:
            server.shutdown()
