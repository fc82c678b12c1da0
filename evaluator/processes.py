"""Running external commands: a time limit, a capped log, and no process left behind."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

OUTPUT_LIMIT_BYTES = 16 * 1024 * 1024
_POLL_SECONDS = 0.1


@dataclass(frozen=True, slots=True)
class Finished:
    """How a command ended. ``exit_code`` is None when it was ended from outside."""

    exit_code: int | None
    output: bytes
    seconds: float
    timed_out: bool = False
    stopped: bool = False


class CappedOutput:
    """Keeps the first and the last half of ``limit`` bytes and says what is missing."""

    def __init__(self, limit: int) -> None:
        self._half = limit // 2
        self._head = bytearray()
        self._tail = bytearray()
        self._dropped = 0

    def add(self, chunk: bytes) -> None:
        room = self._half - len(self._head)
        self._head += chunk[:room]
        self._tail += chunk[room:] if room < len(chunk) else b""
        surplus = len(self._tail) - self._half
        if surplus > 0:
            del self._tail[:surplus]
            self._dropped += surplus

    def value(self) -> bytes:
        if not self._dropped:
            return bytes(self._head + self._tail)
        mark = f"\n[... {self._dropped} bytes left out ...]\n".encode()
        return bytes(self._head) + mark + bytes(self._tail)


def end_group(process: subprocess.Popen[bytes]) -> None:
    """Kill a process and everything in its group; returns when it is gone.

    Windows has no groups: there its descendants go, as far as it still knows them.
    """
    if sys.platform == "win32":
        subprocess.run(
            ["taskkill", "/F", "/T", "/PID", str(process.pid)],  # noqa: S607 - of Windows itself
            capture_output=True,
            check=False,
        )
        process.kill()
    else:
        try:
            os.killpg(process.pid, signal.SIGKILL)
        except (ProcessLookupError, PermissionError):
            process.kill()
    process.wait()


def start(
    argv: Sequence[str | Path],
    *,
    cwd: Path,
    env: Mapping[str, str],
    pass_fds: Sequence[int] = (),
) -> subprocess.Popen[bytes]:
    """Start a command in a group of its own, without input, output on one pipe."""
    return subprocess.Popen(
        [str(word) for word in argv],
        cwd=cwd,
        env=dict(env),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        start_new_session=True,
        pass_fds=tuple(pass_fds),
    )


def finish(
    process: subprocess.Popen[bytes],
    *,
    deadline: float,
    output_limit: int = OUTPUT_LIMIT_BYTES,
    stop: threading.Event | None = None,
) -> Finished:
    """Collect the output of ``process`` until it ends, is stopped, or runs out of time.

    ``deadline`` is in seconds of monotonic time. The whole process group is gone when
    this returns, also after a normal end: a daemon left behind by a build is ended too.
    """
    began = time.monotonic()
    collected = CappedOutput(output_limit)
    stream = process.stdout
    assert stream is not None  # noqa: S101 - start() always opens the pipe

    def collect() -> None:
        while chunk := os.read(stream.fileno(), 65536):
            collected.add(chunk)

    reader = threading.Thread(target=collect, daemon=True)
    reader.start()
    timed_out = stopped = False
    while process.poll() is None:
        timed_out = time.monotonic() >= deadline
        stopped = stop is not None and stop.is_set()
        if timed_out or stopped:
            break
        reader.join(_POLL_SECONDS)
        if not reader.is_alive():
            time.sleep(_POLL_SECONDS / 10)
    exit_code = process.poll()
    end_group(process)
    reader.join(5)
    stream.close()
    return Finished(
        exit_code=None if timed_out or stopped else exit_code,
        output=collected.value(),
        seconds=time.monotonic() - began,
        timed_out=timed_out,
        stopped=stopped,
    )


def run(
    argv: Sequence[str | Path],
    *,
    cwd: Path,
    env: Mapping[str, str],
    deadline: float,
    output_limit: int = OUTPUT_LIMIT_BYTES,
    stop: threading.Event | None = None,
) -> Finished:
    """Run a trusted command on the host to its end; see :func:`finish`."""
    return finish(
        start(argv, cwd=cwd, env=env),
        deadline=deadline,
        output_limit=output_limit,
        stop=stop,
    )
