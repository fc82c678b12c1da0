"""Ending a tree of processes, also those that moved to a session of their own."""

from __future__ import annotations

import contextlib
import ctypes
import os
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

PR_SET_CHILD_SUBREAPER = 36


def adopt_orphans() -> None:
    """On Linux, inherit the children of descendants that die, so none gets lost."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def start(argv: Sequence[str | Path]) -> subprocess.Popen[bytes]:
    """Start a command out of reach of the terminal's Ctrl-C; it is ended by us."""
    return subprocess.Popen(
        list(argv), stdin=subprocess.DEVNULL, start_new_session=True
    )


def end(children: Sequence[subprocess.Popen[bytes]], *, grace: float) -> None:
    """Ask ``children`` to end, then kill every descendant that is left.

    Returns when all are gone; ``grace`` is how many seconds they have for it.
    """
    known = descendants()
    for child in children:
        with contextlib.suppress(ProcessLookupError):
            child.terminate()
    deadline = time.monotonic() + grace
    while time.monotonic() < deadline and any(c.poll() is None for c in children):
        time.sleep(0.05)
    for _ in range(100):
        bury_orphans(children)
        left = {pid for pid in known | descendants() if _is_alive(pid)}
        if not left:
            return
        for pid in left:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGKILL)
        time.sleep(0.05)


def bury_orphans(children: Sequence[subprocess.Popen[bytes]]) -> None:
    """Collect dead processes: our own children and the orphans that came to us."""
    for child in children:
        child.poll()
    own = {child.pid for child in children}
    for pid, parent in _parents().items():
        if parent == os.getpid() and pid not in own:
            with contextlib.suppress(ChildProcessError):
                os.waitpid(pid, os.WNOHANG)


def descendants(ancestor: int | None = None) -> set[int]:
    """The ids of all processes below ``ancestor``, or below this process."""
    parents = _parents()
    found: set[int] = set()
    generation = {os.getpid() if ancestor is None else ancestor}
    while generation:
        generation = {
            pid
            for pid, parent in parents.items()
            if parent in generation and pid not in found
        }
        found |= generation
    return found


def _is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


def _parents() -> dict[int, int]:
    """Each process's parent: from /proc on Linux, from ps elsewhere."""
    if sys.platform != "linux":
        listed = subprocess.run(
            ["ps", "-A", "-o", "pid=,ppid="],  # noqa: S607 - wherever the system has it
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        pairs = [line.split() for line in listed.splitlines()]
        return {int(pid): int(parent) for pid, parent in pairs}
    parents = {}
    for status in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            # "pid (name) state parent": the name may hold spaces and parentheses.
            after_name = status.read_text("utf-8", "replace").rpartition(")")[2]
            parents[int(status.parent.name)] = int(after_name.split()[1])
    return parents
