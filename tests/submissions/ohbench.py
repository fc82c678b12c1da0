"""Running `ohbench` inside a test, and a server that answers as it is told."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any, NamedTuple

import pytest

from submissions.cli import main


class Ended(NamedTuple):
    """How a command ended and what it printed."""

    code: int
    out: str
    err: str


@pytest.fixture
def ohbench(monkeypatch, capsys, tmp_path):
    """Runs the command with settings of its own, none of this machine's."""
    monkeypatch.delenv("OHB_SERVER", raising=False)
    monkeypatch.delenv("OHB_TOKEN", raising=False)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setattr("submissions.cli.uploading.PAUSES", (0.0, 0.0))
    monkeypatch.setattr("submissions.cli.commands.follow._FIRST_WAIT", 0.01)

    def run(*arguments: object, **environment: str) -> Ended:
        for name, value in environment.items():
            monkeypatch.setenv(name, value)
        capsys.readouterr()
        code = main([str(each) for each in arguments])
        return Ended(code, *capsys.readouterr())

    return run


class Answer(NamedTuple):
    """One answer of the server; ``body`` is JSON unless it is bytes."""

    status: int
    body: Any = None
    headers: tuple[tuple[str, str], ...] = ()


@contextmanager
def serving(*answers: Answer | None) -> Iterator[tuple[str, list[dict[str, Any]]]]:
    """A server that gives the answers in turn, the last one for ever.

    None closes the connection without an answer. Yields the address and what was asked.
    """
    left = list(answers)
    asked: list[dict[str, Any]] = []

    class Handler(BaseHTTPRequestHandler):
        def reply(self) -> None:
            length = int(self.headers.get("Content-Length", 0))
            asked.append(
                {
                    "path": self.path,
                    "headers": dict(self.headers),
                    "body": self.rfile.read(length),
                }
            )
            answer = left.pop(0) if len(left) > 1 else left[0]
            if answer is None:
                self.close_connection = True
                return
            body = answer.body
            data = body if isinstance(body, bytes) else json.dumps(body).encode()
            self.send_response(answer.status)
            for name, value in answer.headers:
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        do_GET = do_HEAD = do_POST = do_PATCH = reply  # noqa: N815 - the names that the class asks for

        def log_message(self, *arguments: object) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}", asked
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
