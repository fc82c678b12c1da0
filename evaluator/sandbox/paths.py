"""Which parts of the host a sandboxed command sees, and as whose."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator, Sequence
from pathlib import Path

from evaluator.sandbox.base import SandboxError


def prepared_binds(
    readable: Sequence[Path], writable: Sequence[Path], *, uid: int | None
) -> list[tuple[Path, bool]]:
    """Every path with whether it may be written to, outer paths first.

    With a ``uid`` of its own for the sandbox, what lies below ``writable`` is handed
    over to that user here.
    """
    wanted = dict.fromkeys(map(Path, readable), False)
    wanted.update(dict.fromkeys(map(Path, writable), True))
    for path, may_write in wanted.items():
        if not path.is_absolute():
            raise SandboxError(f"Sandboxed paths are absolute; {path} is not.")
        try:
            found = path.stat()
        except OSError as error:
            raise SandboxError(f"Cannot bind {path}: {error.strerror}.") from error
        if uid is not None and may_write:
            _hand_over(path, uid)
        elif uid is not None and not _open_to_all(found):
            raise SandboxError(
                f"{path} is private to its owner, and the sandbox runs as another "
                "user. Make it readable for all (chmod o+rX), or pass it writable."
            )
    return sorted(wanted.items(), key=lambda item: len(item[0].parts))


_SYSTEM_NAMES = ("bin", "sbin", "lib", "lib32", "lib64", "libx32")


def system_paths() -> Iterator[Path]:
    """The folders of the system that every command sees."""
    yield Path("/usr")
    yield from (path for name in _SYSTEM_NAMES if (path := Path("/", name)).is_dir())


def system_folders() -> Iterator[str]:
    """The system as options of bubblewrap."""
    for path, target in system_entries():
        if target is None:
            yield from ("--ro-bind", str(path), str(path))
        else:
            yield from ("--symlink", str(target), str(path))


def system_entries() -> Iterator[tuple[Path, Path | None]]:
    """/usr and what lies beside it: folders and files, or links with their target."""
    yield Path("/usr"), None
    for name in _SYSTEM_NAMES:
        path = Path("/", name)
        if path.is_symlink():
            yield path, path.readlink()
        elif path.is_dir():
            yield path, None
    for name in ("alternatives", "ld.so.cache"):
        if (path := Path("/etc", name)).exists():
            yield path, None


def _open_to_all(found: os.stat_result) -> bool:
    needed = 0o005 if stat.S_ISDIR(found.st_mode) else 0o004
    return found.st_mode & needed == needed


def _hand_over(top: Path, uid: int) -> None:
    """Make ``uid`` the owner of ``top`` and everything below; links stay untouched.

    By file descriptors all the way: a command that still runs in there must not be able
    to slip a link to somewhere else under root's hands.
    """
    if not top.is_dir():
        os.chown(top, uid, uid, follow_symlinks=False)
        return
    for _, folders, files, descriptor in os.fwalk(top):
        os.fchown(descriptor, uid, uid)
        for name in (*folders, *files):
            found = os.stat(name, dir_fd=descriptor, follow_symlinks=False)
            if found.st_uid != uid:
                os.chown(name, uid, uid, dir_fd=descriptor, follow_symlinks=False)
