"""Folders of a project: their files, their copies, and their digest."""

from __future__ import annotations

import hashlib
import os
import shutil
import stat
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

REGULAR = "100644"
EXECUTABLE = "100755"
LINK = "120000"
_KINDS = {
    stat.S_IFLNK: "a symbolic link",
    stat.S_IFIFO: "a named pipe",
    stat.S_IFSOCK: "a socket",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
}


class TreeError(Exception):
    """A project folder holds what a project must not hold, or cannot be copied."""


@dataclass(frozen=True, slots=True, order=True)
class ProjectFile:
    """A file below a project folder; ``path`` is relative, with slashes, as bytes.

    ``mode`` is git's: only the owner's execute bit counts.
    """

    path: bytes
    mode: str

    def below(self, folder: Path) -> Path:
        """Where the file lies when the project lies at ``folder``."""
        return folder / os.fsdecode(self.path)


def project_files(folder: Path, *, links: bool = False) -> list[ProjectFile]:
    """Every file below ``folder``, sorted by the bytes of its path.

    Anything but regular files and folders is refused; with ``links``, symbolic links
    are listed (and never followed).
    """
    if folder.is_symlink() or not folder.is_dir():
        raise TreeError(f"{folder} is not a folder.")
    return sorted(_files(os.fsencode(folder), b"", links=links))


def _files(folder: bytes, prefix: bytes, *, links: bool) -> Iterator[ProjectFile]:
    with os.scandir(folder) as entries:
        for entry in entries:
            path = prefix + entry.name
            mode = entry.stat(follow_symlinks=False).st_mode
            if stat.S_ISDIR(mode):
                yield from _files(entry.path, path + b"/", links=links)
            elif stat.S_ISREG(mode):
                yield ProjectFile(path, EXECUTABLE if mode & stat.S_IXUSR else REGULAR)
            elif links and stat.S_ISLNK(mode):
                yield ProjectFile(path, LINK)
            else:
                kind = _KINDS.get(stat.S_IFMT(mode), "of an unknown kind")
                name = path.decode(errors="backslashreplace")
                raise TreeError(
                    f"{name} is {kind}; a project holds regular files and folders only."
                )


def copy_project(
    source: Path,
    target: Path,
    *,
    copied: Callable[[int, int], object] = lambda done, total: None,
) -> None:
    """Copy the project at ``source`` to ``target``, which must not exist yet.

    Contents and execute bits are kept; owners, times and other modes are not, and empty
    folders are left out, as git leaves them out. Nothing stays behind when it fails.
    ``copied`` is told after each file how many there are now, and of how many.
    """
    files = project_files(source)
    try:
        target.mkdir(parents=True)
    except FileExistsError:
        raise TreeError(f"{target} exists already.") from None
    try:
        for done, file in enumerate(files, start=1):
            copy = file.below(target)
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(file.below(source), copy, follow_symlinks=False)
            set_mode(copy, file.mode)
            copied(done, len(files))
    except OSError:
        shutil.rmtree(target, ignore_errors=True)
        raise


def set_mode(path: Path, mode: str) -> None:
    """Give a file the permissions that git's ``mode`` stands for, readable for all."""
    path.chmod(0o755 if mode == EXECUTABLE else 0o644)


def tree_digest(folder: Path) -> str:
    """Return the SHA-256 of a project tree in hex, the same on every machine.

    Hashed is, for each file in the order of its path's bytes, one record::

        MODE SP SHA256-OF-CONTENT SP PATH NUL

    with MODE 100644 or 100755, the digest in lower-case hex, and PATH relative to the
    folder, with slashes. Empty folders, owners and times do not count.
    """
    return files_digest(folder, project_files(folder))


def files_digest(folder: Path, files: Iterable[ProjectFile]) -> str:
    """The digest of some files below ``folder``, as :func:`tree_digest` defines it.

    ``files`` must be sorted, as :func:`project_files` returns them.
    """
    whole = hashlib.sha256()
    for file in files:
        with file.below(folder).open("rb") as stream:
            content = hashlib.file_digest(stream, "sha256").hexdigest()
        whole.update(f"{file.mode} {content} ".encode() + file.path + b"\0")
    return whole.hexdigest()
