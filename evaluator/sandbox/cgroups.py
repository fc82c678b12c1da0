"""Control groups: limits for a command and all it starts, taken together.

The limits of ``prlimit`` hold for each process, so a tree of them may use many times as
much. A control group counts them all. Which of memory, processes and processor time it
can count depends on the machine: with version 2 of the kernel's interface all three,
where the worker's own group was delegated to it; with version 1 processes and processor
time, for root. Where there is nothing the sandbox works without, and says so.
"""

from __future__ import annotations

import itertools
import os
import signal
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from evaluator.sandbox.base import MIB, Limits

MEMORY, PROCESSES, CPU = "memory", "pids", "cpu"
KINDS = {
    MEMORY: "memory is limited together",
    PROCESSES: "processes are limited together",
    CPU: "processor time is limited together",
}
# In version 2 a group has either processes or groups below it: the worker moves here.
WORKER_GROUP = "ohb-worker"
BOX_PREFIX = "ohb-box-"

_ROOT = Path("/sys/fs/cgroup")
_PROC = Path("/proc")
# The shell, setpriv and bubblewrap itself, which are in the group too.
_WRAPPERS = 8
_PERIOD_MICROSECONDS = 100_000
_JOIN = (
    'set -e; while [ "$1" != -- ]; do echo 0 > "$1/cgroup.procs"; shift; done; '
    'shift; exec "$@"'
)
_numbers = itertools.count(1)
# Groups whose last processes are ended but not gone yet.
_dying: list[Path] = []


@dataclass(slots=True)
class Group:
    """The control group of one command, one folder a hierarchy."""

    folders: tuple[Path, ...]
    memory_bytes: int
    kinds: frozenset[str]

    def words(self) -> list[str]:
        """The command prefix that puts what follows it into the group."""
        if not self.folders:
            return []
        return ["sh", "-c", _JOIN, "join", *map(str, self.folders), "--"]

    @property
    def excess(self) -> str:
        """Whether the kernel had to end something for want of memory; in words."""
        for folder in self.folders:
            for line in _read(folder / "memory.events").splitlines():
                name, _, count = line.partition(" ")
                if name == "oom_kill" and int(count):
                    return f"used more than {self.memory_bytes // MIB} MiB of memory"
        return ""

    def has(self, pid: int) -> bool:
        """Whether there is a group at all, with the process ``pid`` in it."""
        inside = [pid in _processes_in(folder) for folder in self.folders]
        return bool(inside) and all(inside)

    def close(self) -> None:
        """End what is left in the group, and the group."""
        for folder in self.folders:
            for pid in _processes_in(folder):
                with suppress(OSError):
                    os.kill(pid, signal.SIGKILL)
            if not _removed(folder):
                _dying.append(folder)


NO_GROUP = Group((), 0, frozenset())


@dataclass(frozen=True, slots=True)
class Groups:
    """Where groups for commands are made: a parent folder for each kind of limit.

    ``reason`` says why kinds are missing.
    """

    parents: Mapping[str, Path] = field(default_factory=dict)
    reason: str = ""

    @property
    def missing(self) -> tuple[str, ...]:
        """The probes that cannot hold here."""
        return tuple(name for kind, name in KINDS.items() if kind not in self.parents)

    def describe(self) -> str:
        """What holds for all processes of a command together, for a person."""
        names = {MEMORY: "memory", PROCESSES: "processes", CPU: "processor time"}
        held = [word for kind, word in names.items() if kind in self.parents]
        single = [word for kind, word in names.items() if kind not in self.parents]
        if not single:
            return f"{_listed(held)} limited in total"
        total = f"{_listed(held)} limited in total, " if held else ""
        return f"{total}{_listed(single)} only per process ({self.reason})"

    def make(self, limits: Limits) -> Group:
        """A new empty group with ``limits``. Raises OSError."""
        _remove_left_over(set(self.parents.values()))
        name = f"{BOX_PREFIX}{os.getpid()}-{next(_numbers)}"
        folders = dict.fromkeys(parent / name for parent in self.parents.values())
        group = Group(
            tuple(folders), limits.total_memory_bytes, frozenset(self.parents)
        )
        try:
            for folder in folders:
                folder.mkdir()
            for kind, parent in self.parents.items():
                _limit(parent / name, kind, limits)
        except OSError:
            group.close()
            raise
        return group


def find_groups(root: Path = _ROOT, proc: Path = _PROC) -> Groups:
    """Where this process may make groups; it moves into one of its own if it has to.

    Tried, not believed: a folder that looks right may be read-only all the same.
    """
    parents: dict[str, Path] = {}
    reasons: list[str] = []
    memberships = [
        line.split(":", 2) for line in _read(proc / "self" / "cgroup").splitlines()
    ]
    for number, names, path in memberships:
        try:
            if number == "0" and (root / "cgroup.controllers").exists():
                parents |= _unified(root / path.lstrip("/"), proc)
            for kind in {PROCESSES, CPU} & set(names.split(",")):
                parents[kind] = _tried(root / kind / path.lstrip("/"), kind)
        except OSError as error:
            where = error.filename or root
            reasons.append(f"{where}: {error.strerror or error}")
    if len(parents) < len(KINDS) and not reasons:
        reasons = ["control groups of version 2 are not set up here"]
    return Groups(parents, "; ".join(reasons))


def _unified(own: Path, proc: Path) -> dict[str, Path]:
    """Version 2: the kinds that the group ``own`` can limit in groups below it."""
    parent = own.parent if own.name == WORKER_GROUP else own
    offered = set(_read(parent / "cgroup.controllers").split()) & set(KINDS)
    enabled = set(_read(parent / "cgroup.subtree_control").split())
    if offered - enabled:
        _make_room(parent, proc)
        words = " ".join(f"+{kind}" for kind in sorted(offered))
        (parent / "cgroup.subtree_control").write_text(words)
    return {kind: _tried(parent, kind) for kind in sorted(offered)}


def _make_room(parent: Path, proc: Path) -> None:
    """Move this process and its children below ``parent``, if nobody else is there."""
    if not (parent / "cgroup.type").exists():
        return  # the root of all groups may have processes
    here = _processes_in(parent)
    strangers = [pid for pid in here if os.getpid() not in _line_of(pid, proc)]
    if strangers:
        raise OSError(
            0, f"is shared with process {strangers[0]}, not delegated", str(parent)
        )
    leaf = parent / WORKER_GROUP
    leaf.mkdir(exist_ok=True)
    for pid in here:
        (leaf / "cgroup.procs").write_text(str(pid))


def _line_of(pid: int, proc: Path) -> Iterator[int]:
    """``pid`` and its ancestors."""
    while pid:
        yield pid
        # The name in parentheses may hold anything, also a parenthesis.
        _, _, rest = _read(proc / str(pid) / "stat").rpartition(")")
        pid = int(rest.split()[1]) if rest else 0


def _tried(parent: Path, kind: str) -> Path:
    """``parent``, in which a group with a limit of ``kind`` could be made just now."""
    folder = parent / f"{BOX_PREFIX}{os.getpid()}-{next(_numbers)}"
    folder.mkdir()
    try:
        _limit(folder, kind, Limits())
    finally:
        with suppress(OSError):
            folder.rmdir()
    return parent


def _limit(folder: Path, kind: str, limits: Limits) -> None:
    quota = round(limits.processors * _PERIOD_MICROSECONDS)
    if kind == PROCESSES:
        (folder / "pids.max").write_text(str(limits.processes + _WRAPPERS))
    elif kind == CPU and (folder / "cpu.cfs_quota_us").exists():
        (folder / "cpu.cfs_period_us").write_text(str(_PERIOD_MICROSECONDS))
        (folder / "cpu.cfs_quota_us").write_text(str(quota))
    elif kind == CPU:
        (folder / "cpu.max").write_text(f"{quota} {_PERIOD_MICROSECONDS}")
    else:
        (folder / "memory.max").write_text(str(limits.total_memory_bytes))
        # One process less leaves a build in a state that nobody knows.
        (folder / "memory.oom.group").write_text("1")
        if (folder / "memory.swap.max").exists():  # some kernels do not count swap
            (folder / "memory.swap.max").write_text("0")


def _remove_left_over(parents: set[Path]) -> None:
    """Remove groups that could not go with their command, or whose worker is gone.

    The kernel keeps a group that has a process in it, whatever we try.
    """
    _dying[:] = [folder for folder in _dying if not _removed(folder)]
    for parent in parents:
        for folder in parent.glob(f"{BOX_PREFIX}*"):
            owner = Path("/proc", folder.name.split("-")[2])
            if not owner.exists():
                _removed(folder)


def _removed(folder: Path) -> bool:
    try:
        folder.rmdir()
    except FileNotFoundError:
        return True
    except OSError:
        return False
    return True


def _listed(words: list[str]) -> str:
    *most, last = words
    return f"{', '.join(most)} and {last}" if most else last


def _processes_in(folder: Path) -> list[int]:
    """The processes in a group; one of another PID namespace is listed as 0."""
    numbers = map(int, _read(folder / "cgroup.procs").split())
    return [number for number in numbers if number > 0]


def _read(path: Path) -> str:
    try:
        return path.read_text()
    except OSError:
        return ""
