"""No sandbox at all: for input that somebody vouches for."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

from evaluator.sandbox.base import DEFAULT_LIMITS, Limits, Stream
from evaluator.sandbox.rlimits import prlimit_words


class HostSandbox:
    """Runs commands on the host itself, with limits but without walls."""

    name = "none"
    isolates = False
    gaps = ()

    def __init__(self, reason: str = "asked for") -> None:
        self._reason = reason

    def describe(self) -> str:
        return f"none: no isolation, trusted input only ({self._reason})"

    def popen(
        self,
        argv: Sequence[str | Path],
        *,
        cwd: Path,
        env: Mapping[str, str],
        readable: Sequence[Path] = (),
        writable: Sequence[Path] = (),
        limits: Limits = DEFAULT_LIMITS,
        stdin: Stream = subprocess.DEVNULL,
        stdout: Stream = subprocess.PIPE,
        stderr: Stream = subprocess.STDOUT,
    ) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            [*self._prefix(limits), *[str(word) for word in argv]],
            cwd=cwd,
            env={"PATH": "/usr/local/bin:/usr/bin:/bin", "LANG": "C.UTF-8", **env},
            stdin=stdin,
            stdout=stdout,
            stderr=stderr,
            start_new_session=True,
        )

    def _prefix(self, limits: Limits) -> list[str]:
        """Limits where Linux's tools are to be had; a Mac does without."""
        if not shutil.which("setpriv") or not shutil.which("prlimit"):
            return []
        # The processes of the whole user would count, so that limit is left out.
        words = prlimit_words(limits, processes=False)
        return ["setpriv", "--pdeathsig", "KILL", *words]
