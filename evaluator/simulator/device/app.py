"""The process of a started app, and the cautious conversation with it.

The process runs the submission's code: whatever it answers, or does not, ends at
worst in "the app crashed", never in a device that is gone.
"""

from __future__ import annotations

import json
import os
import selectors
import signal
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from evaluator.sandbox import Limits, Sandbox, SandboxError, excess_of
from evaluator.simulator.device.tree import BadTreeError, Tree, read_tree

START_SECONDS = 20.0
REPLY_SECONDS = 10.0

_FROZEN = "the app did not respond (freeze)"
_MIB = 1024 * 1024
_MAX_REPLY_BYTES = 16 * _MIB
_LIMITS = Limits(
    cpu_seconds=600,
    memory_bytes=1024 * _MIB,
    processes=64,
    file_bytes=64 * _MIB,
    written_bytes=256 * _MIB,
    written_files=5_000,
)


class AppGoneError(Exception):
    """The app process ended, or had to be ended; the message says why."""


class AppHostError(Exception):
    """Our own trouble: the process that runs apps cannot be started."""


@dataclass(frozen=True, slots=True)
class AppHost:
    """How app processes are started: ``node SCRIPT PACKAGE --data DIR``, sandboxed."""

    node: Path
    script: Path
    sandbox: Sandbox
    starter: ThreadPoolExecutor
    """One thread that lives as long as the device: sandboxes end with their thread."""

    def open(self, package: Path, data: Path) -> subprocess.Popen[bytes]:
        argv: list[str | Path] = [self.node, self.script, package, "--data", data]
        modules = self.script.parent.parent / "node_modules"
        readable = [package, self.script.parent, self.node.resolve().parent]
        try:
            return self.starter.submit(
                self.sandbox.popen,
                argv,
                cwd=data,
                env={"HOME": str(data), "NODE_NO_WARNINGS": "1"},
                readable=[*readable, modules] if modules.is_dir() else readable,
                writable=[data],
                limits=_LIMITS,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
            ).result()
        except (SandboxError, OSError) as error:
            raise AppHostError(f"the app process did not start: {error}") from error


class AppProcess:
    """One running app. Every method may raise AppGoneError, and is then the last."""

    def __init__(
        self, host: AppHost, package: Path, *, data: Path, omit: Callable[[str], None]
    ) -> None:
        self._omit = omit
        self._buffer = bytearray()
        self._process = host.open(package, data)
        self.log: list[str] = []
        self.idle = False
        """Whether the app said that nothing will change before the next event."""

    @property
    def running(self) -> bool:
        return self._process.poll() is None

    def start(self) -> Tree:
        """Run the app. Raises AppHostError when no app ever ran."""
        try:
            # Before its start no code of the app runs, so this answer is the host's.
            self._exchange({"op": "tree"}, START_SECONDS)
        except AppGoneError as error:
            raise AppHostError(f"the process that runs apps: {error}") from error
        return self._tree({"op": "start"}, START_SECONDS)

    def tree(self) -> Tree:
        return self._tree({"op": "tree"})

    def fire(self, uid: int, event: str, value: object = None) -> Tree:
        return self._tree({"op": "fire", "uid": uid, "event": event, "value": value})

    def back(self) -> bool:
        """Press the back key; False when the app leaves that to the system."""
        return self._ask({"op": "back"}).get("handled") is not False

    def background(self) -> None:
        self._ask({"op": "background"})

    def foreground(self) -> Tree:
        return self._tree({"op": "foreground"})

    def end(self) -> None:
        try:
            os.killpg(self._process.pid, signal.SIGKILL)
        except (ProcessLookupError, PermissionError):
            self._process.kill()
        self._process.wait()
        for stream in (self._process.stdin, self._process.stdout):
            if stream is not None:
                try:
                    stream.close()
                except OSError:
                    continue

    def _tree(self, request: dict[str, Any], seconds: float = REPLY_SECONDS) -> Tree:
        reply = self._ask(request, seconds)
        try:
            return read_tree(reply.get("tree"))
        except BadTreeError as error:
            raise self._gone(f"the app process answered nonsense: {error}") from error

    def _ask(
        self, request: dict[str, Any], seconds: float = REPLY_SECONDS
    ) -> Mapping[str, Any]:
        reply = self._exchange(request, seconds)
        self.idle = reply.get("idle") is True
        for name in _texts(reply.get("not_simulated")):
            self._omit(name)
        self.log.extend(_texts(reply.get("log")))
        del self.log[:-500]
        if reply.get("crash") is not None:
            raise self._gone(str(reply["crash"])[:2000])
        return reply

    def _exchange(self, request: dict[str, Any], seconds: float) -> dict[str, Any]:
        deadline = time.monotonic() + seconds
        self._write_line(json.dumps(request).encode() + b"\n", deadline)
        line = self._read_line(deadline)
        try:
            reply = json.loads(line)
        except (ValueError, RecursionError):
            raise self._gone("the app process answered nonsense: no JSON") from None
        if not isinstance(reply, dict):
            raise self._gone("the app process answered nonsense: no object")
        return reply

    def _write_line(self, line: bytes, deadline: float) -> None:
        stream = self._process.stdin
        assert stream is not None  # noqa: S101 - opened as a pipe
        os.set_blocking(stream.fileno(), False)
        with selectors.DefaultSelector() as selector:
            selector.register(stream, selectors.EVENT_WRITE)
            while line:
                if not selector.select(max(0.0, deadline - time.monotonic())):
                    raise self._gone(_FROZEN)
                try:
                    line = line[os.write(stream.fileno(), line) :]
                except OSError:
                    raise self._gone("the app process ended") from None

    def _read_line(self, deadline: float) -> bytes:
        stream = self._process.stdout
        assert stream is not None  # noqa: S101 - opened as a pipe
        with selectors.DefaultSelector() as selector:
            selector.register(stream, selectors.EVENT_READ)
            while (end := self._buffer.find(b"\n")) < 0:
                if len(self._buffer) > _MAX_REPLY_BYTES:
                    raise self._gone("the app process answered without end")
                if not selector.select(max(0.0, deadline - time.monotonic())):
                    raise self._gone(_FROZEN)
                chunk = os.read(stream.fileno(), 1 << 18)
                if not chunk:
                    raise self._gone("the app process ended")
                self._buffer += chunk
        line = bytes(self._buffer[:end])
        del self._buffer[: end + 1]
        return line

    def _gone(self, message: str) -> AppGoneError:
        self.end()
        if excess := excess_of(self._process):
            message = f"the app {excess}"
        return AppGoneError(message)


def _texts(value: object) -> Sequence[str]:
    if not isinstance(value, list):
        return ()
    return [item[:500] for item in value[:200] if isinstance(item, str)]
