"""What every sandbox offers, and the words for its limits and its failures."""

from __future__ import annotations

import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Protocol

MIB = 1024 * 1024

# What a sandbox is started with, and what a command finds where it names nothing.
OUTER_ENVIRONMENT = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin"}
INNER_ENVIRONMENT = {
    "PATH": "/usr/local/bin:/usr/bin:/bin",
    "HOME": "/tmp",  # noqa: S108 - the sandbox's own, empty and gone with it
    "LANG": "C.UTF-8",
}
TRY_SECONDS = 20

Stream = int | IO[bytes]


class SandboxError(Exception):
    """A sandbox was asked for something it cannot do."""


class SandboxUnavailableError(SandboxError):
    """No working sandbox on this machine; the message says what is missing."""


@dataclass(frozen=True, slots=True)
class Limits:
    """Ceilings for one sandboxed command.

    Most hold per process. ``total_memory_bytes`` and ``processors`` hold for all that
    the command starts, where there are control groups. ``processes`` counts everything
    under the sandbox's user, ``tmp_bytes`` is the size of /tmp (and, an eighth of it,
    of /dev/shm), and ``written_bytes`` and ``written_files`` are what may be added to
    writable folders.
    ``memory_bytes`` bounds private writable memory (RLIMIT_DATA), not address space:
    V8 reserves far more of that than it ever uses.
    """

    cpu_seconds: int = 900
    memory_bytes: int = 4096 * MIB
    processes: int = 256
    file_bytes: int = 1024 * MIB
    open_files: int = 4096
    tmp_bytes: int = 512 * MIB
    written_bytes: int = 2048 * MIB
    written_files: int = 50_000
    total_memory_bytes: int = 6144 * MIB
    processors: float = 2.0


DEFAULT_LIMITS = Limits()


def without_nul(word: str) -> str:
    """``word``, which must not end early or become two options."""
    if "\0" in word:
        raise SandboxError(f"A sandbox option holds a NUL character: {word!r}.")
    return word


class Sandbox(Protocol):
    """Starts commands with no more of the host than they are given."""

    @property
    def name(self) -> str:
        """The name of the kind: "bwrap", "unshare" or "none"."""
        ...

    @property
    def gaps(self) -> tuple[str, ...]:
        """Probes that are known not to hold, and are borne with a warning."""
        ...

    @property
    def isolates(self) -> bool:
        """Whether code that nobody vouches for may run in it."""
        ...

    def describe(self) -> str:
        """One line for a person: what holds here, and what is missing."""
        ...

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
        """Start ``argv`` in a process group of its own that dies with the caller.

        ``readable`` and ``writable`` appear inside at the same absolute paths, and
        nothing else of the host but the system folders does; the innermost of nested
        paths decides. ``env`` is the whole environment, with plain values for PATH,
        HOME and LANG where it names none. ``cwd`` lies in one of the paths or in /tmp.

        The command is killed when the *thread* that started it ends.
        """
        ...


def excess_of(process: subprocess.Popen[bytes]) -> str:
    """What a command had too much of, such as "wrote more than 64 MiB".

    It was ended for that. Empty if it kept to its limits; ask after it ended.
    """
    watchers = (getattr(process, name, None) for name in ("watch", "group"))
    found = (str(each.excess) for each in watchers if each is not None)
    return next(filter(None, found), "")


def was_set_up(process: subprocess.Popen[bytes]) -> bool:
    """Whether the command itself was reached; ask after it ended by itself.

    False is our own trouble (the sandbox could not be built), never the command's
    doing. The answer comes over a channel that the command cannot write to.
    """
    answer = getattr(process, "was_set_up", None)
    return True if answer is None else bool(answer())
