"""Limits as words for util-linux's ``prlimit``."""

from __future__ import annotations

from evaluator.sandbox.base import Limits


def _below_ceiling(kind: int, wanted: int) -> int:
    """Nobody but root may raise a hard limit, so what the worker has is the most."""
    import resource

    _, hard = resource.getrlimit(kind)
    return wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)


def prlimit_words(limits: Limits, *, processes: bool = True) -> list[str]:
    """The command prefix that puts ``limits`` on what follows it."""
    import resource

    wanted = {
        "cpu": _below_ceiling(resource.RLIMIT_CPU, limits.cpu_seconds),
        "data": _below_ceiling(resource.RLIMIT_DATA, limits.memory_bytes),
        "fsize": _below_ceiling(resource.RLIMIT_FSIZE, limits.file_bytes),
        "nofile": _below_ceiling(resource.RLIMIT_NOFILE, limits.open_files),
        "core": 0,
    }
    if processes:
        wanted["nproc"] = _below_ceiling(resource.RLIMIT_NPROC, limits.processes)
        wanted["memlock"] = 0
    return ["prlimit", *(f"--{name}={value}" for name, value in wanted.items()), "--"]
