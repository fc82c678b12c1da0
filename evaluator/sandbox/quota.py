"""How much a sandboxed command may write in all: watched, and ended beyond that.

The limit of one file says nothing about their number, and the folders lie on the host's
own disk. The count is of what was added since the start, in blocks that are really
used, so a file with holes costs what it costs.
"""

from __future__ import annotations

import os
import subprocess
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from evaluator.sandbox.base import MIB, Limits

_PAUSE_SECONDS = 0.1
# Measuring must not become the main work of this machine.
_SHARE_OF_TIME = 10
_END_SECONDS = 10.0


class Usage(NamedTuple):
    size_bytes: int
    files: int


class Watch:
    """Watches one command from its start to its end; ``excess`` says what was wrong."""

    def __init__(
        self,
        process: subprocess.Popen[bytes],
        folders: Sequence[Path],
        *,
        before: Usage,
        limits: Limits,
    ) -> None:
        self._process = process
        self._folders = folders
        self._most = Usage(
            before.size_bytes + limits.written_bytes,
            before.files + limits.written_files,
        )
        self._limits = limits
        self._excess = ""
        self._asked = threading.Event()
        self._thread = threading.Thread(
            target=self._watch, name="sandbox-quota", daemon=True
        )
        self._thread.start()

    @property
    def excess(self) -> str:
        """What the command wrote too much of; empty if it kept to its limits.

        The last word is known once the command has ended.
        """
        if self._process.poll() is not None:
            self._asked.set()
            self._thread.join(_END_SECONDS)
        return self._excess

    def _watch(self) -> None:
        ended = False
        while not ended:
            # Whatever ended the command, what it left is measured once more.
            ended = self._process.poll() is not None
            began = time.monotonic()
            found = measure(self._folders, most=self._most)
            if found.size_bytes > self._most.size_bytes:
                self._end(f"wrote more than {self._limits.written_bytes // MIB} MiB")
            elif found.files > self._most.files:
                self._end(f"made more than {self._limits.written_files} files")
            if self._excess:
                return
            taken = time.monotonic() - began
            if not ended:
                self._asked.wait(max(_PAUSE_SECONDS, taken * _SHARE_OF_TIME))

    def _end(self, excess: str) -> None:
        self._excess = excess
        # All that runs inside ends with the process that holds the sandbox.
        self._process.kill()


def measure(folders: Sequence[Path], *, most: Usage | None = None) -> Usage:
    """What lies below ``folders`` together; stops counting beyond ``most``."""
    size = files = 0
    for found in _everything(folders):
        size += found.st_blocks * 512
        files += 1
        if most is not None and (size > most.size_bytes or files > most.files):
            break
    return Usage(size, files)


def _everything(folders: Sequence[Path]) -> Iterator[os.stat_result]:
    waiting = [os.fspath(folder) for folder in folders]
    while waiting:
        # What disappears or is locked away while we look is looked at the next time.
        with suppress(OSError), os.scandir(waiting.pop()) as entries:
            for entry in entries:
                with suppress(OSError):
                    yield entry.stat(follow_symlinks=False)
                    if entry.is_dir(follow_symlinks=False):
                        waiting.append(entry.path)
