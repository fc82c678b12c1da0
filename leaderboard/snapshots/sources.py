"""Where a package may come from: a folder, a zip file, a commit of a git repository."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from leaderboard.snapshots.faults import Fault, PackageError
from leaderboard.snapshots.format import COMMIT
from leaderboard.snapshots.gitfetch import FetchError, fetch
from leaderboard.snapshots.unzip import unzipped


@contextmanager
def package_from(source: str, *, commit: str = "", folder: str = "") -> Iterator[Path]:
    """The folder of the package at ``source``, for as long as the context lasts.

    ``commit`` and ``folder`` are for the address of a repository. Raises PackageError.
    """
    if "://" in source:
        with _cloned(source, commit, folder) as found:
            yield found
        return
    path = Path(source)
    if commit or folder:
        raise _refused(
            source,
            "a path, with a commit or a folder of a repository",
            "Give these with the address of a repository only.",
        )
    if path.is_file():
        with unzipped(path) as found:
            yield found
    else:
        yield path


@contextmanager
def _cloned(url: str, commit: str, folder: str) -> Iterator[Path]:
    if not re.fullmatch(COMMIT, commit):
        raise _refused(
            url,
            f"the commit {commit!r}" if commit else "no commit",
            "Give the whole id with --commit: a branch or tag can move.",
        )
    try:
        with fetch(url, commit, folder=folder or None) as found:
            yield found
    except FetchError as error:
        raise _refused(url, f"{error}", "Correct it, or import a folder.") from None


def _refused(source: str, saw: str, fix: str) -> PackageError:
    return PackageError([Fault(source, "", saw, fix)])
