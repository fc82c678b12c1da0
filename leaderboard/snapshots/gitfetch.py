"""Fetches one commit of a git repository, with git's doors shut.

Only below addresses that the operator allows, and only by a whole commit id. Files are
written from git's objects by this module: no checkout, hence no hooks, filters,
attributes or submodules.
"""

from __future__ import annotations

import os
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlsplit

from django.conf import settings

from leaderboard.trees import EXECUTABLE, REGULAR, set_mode

_FETCH_SECONDS = 600
_READ_SECONDS = 120
_GIT = [
    "git",
    *("-c", "core.hooksPath=/dev/null"),
    *("-c", "core.fsmonitor=false"),
    *("-c", "protocol.allow=never"),
    *("-c", "protocol.https.allow=always"),
    *("-c", "protocol.file.allow=always"),
    *("-c", "http.followRedirects=false"),
    *("-c", "credential.helper="),
    *("-c", "gc.auto=0"),
    *("-c", "transfer.fsckObjects=true"),
]


class FetchError(Exception):
    """A commit cannot be had; the message says why and is for people."""


class _Entry(NamedTuple):
    mode: str
    blob: str
    size_bytes: int
    path: str


@contextmanager
def fetch(url: str, commit: str, *, folder: str | None = None) -> Iterator[Path]:
    """The files of ``commit`` in a temporary folder; of ``folder`` in it, if given."""
    _require_allowed(url)
    with tempfile.TemporaryDirectory(prefix="ohb-git-") as top:
        repository, files = Path(top, "repository"), Path(top, "files")
        files.mkdir()
        _git(repository, "init", "--quiet", "--bare", str(repository))
        _git(
            repository,
            *("fetch", "--quiet", "--depth=1", "--no-tags"),
            *("--no-recurse-submodules", "--no-write-fetch-head", url, commit),
            seconds=_FETCH_SECONDS,
        )
        _write(repository, commit, folder or "", files)
        yield files


def _require_allowed(url: str) -> None:
    """Refuse an address that is not below one of the operator's."""
    allowed: list[str] = settings.OHB_PACKAGE_SOURCES
    parts = urlsplit(url)
    # Git decodes percent signs: a path with them may lead out of what is allowed.
    odd = parts.query or parts.fragment or "@" in parts.netloc
    odd = odd or ".." in parts.path or "%" in url
    if odd or not any(url.startswith(each.rstrip("/") + "/") for each in allowed):
        names = ", ".join(allowed) or "none"
        raise FetchError(
            "the operator does not allow this address. Allowed in "
            f"OHB_PACKAGE_SOURCES: {names}"
        )


def _write(repository: Path, commit: str, folder: str, target: Path) -> None:
    """Write the files of the commit, as git's objects hold them, below ``target``."""
    entries = _entries(repository, f"{commit}:{folder}")
    _require_small(entries)
    command = [*_GIT, "cat-file", "--batch"]
    with subprocess.Popen(
        command,
        cwd=repository,
        env=_environment(),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    ) as reader:
        if reader.stdin is None or reader.stdout is None:
            raise FetchError("git gives no files")
        for entry in entries:
            reader.stdin.write(f"{entry.blob}\n".encode())
            reader.stdin.flush()
            header = reader.stdout.readline().split()
            if len(header) != 3 or int(header[2]) != entry.size_bytes:
                raise FetchError(f"git does not give {entry.path}")
            path = target / entry.path
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(reader.stdout.read(entry.size_bytes))
            set_mode(path, entry.mode)
            reader.stdout.read(1)


def _entries(repository: Path, tree: str) -> list[_Entry]:
    listed = _git(repository, "ls-tree", "-r", "-z", "--long", tree)
    return [_entry(record) for record in listed.split(b"\0") if record]


def _entry(record: bytes) -> _Entry:
    facts, _, name = record.partition(b"\t")
    mode, kind, blob, size = facts.decode().split()
    try:
        path = name.decode("utf-8")
    except UnicodeDecodeError:
        raise FetchError(f"{name!r} is not a name in UTF-8") from None
    if kind != "blob" or mode not in {REGULAR, EXECUTABLE}:
        what = "a submodule" if kind == "commit" else "a symbolic link"
        raise FetchError(f"{path} is {what}; a package holds regular files only")
    if any(part in {"", ".", ".."} for part in path.split("/")):
        raise FetchError(f"{path!r} is not a name of a file below the top")
    return _Entry(mode, blob, int(size), path)


def _require_small(entries: list[_Entry]) -> None:
    if not entries:
        raise FetchError("there are no files at that commit and folder")
    if len(entries) > settings.PACKAGE_FILE_COUNT_LIMIT:
        raise FetchError(
            f"{len(entries)} files are more than {settings.PACKAGE_FILE_COUNT_LIMIT}"
        )
    total = sum(entry.size_bytes for entry in entries)
    if total > settings.PACKAGE_LIMIT_BYTES:
        raise FetchError(
            f"{total} bytes are more than {settings.PACKAGE_LIMIT_BYTES} "
            "(OHB_PACKAGE_LIMIT_MIB)"
        )


def _git(repository: Path, *arguments: str, seconds: int = _READ_SECONDS) -> bytes:
    """Run git; what it downloads into one file is limited as a package is."""
    limit = ["prlimit", f"--fsize={settings.PACKAGE_LIMIT_BYTES}"]
    where = [] if arguments[0] == "init" else ["--git-dir", str(repository)]
    try:
        done = subprocess.run(
            [*limit, *_GIT, *where, *arguments],
            env=_environment(),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            check=True,
            timeout=seconds,
        )
    except subprocess.TimeoutExpired:
        raise FetchError(f"git took more than {seconds} seconds") from None
    except subprocess.CalledProcessError as error:
        said = error.stderr.decode("utf-8", "replace").strip().splitlines()
        raise FetchError(said[-1][:300] if said else "git failed") from None
    except FileNotFoundError as error:
        raise FetchError(f"{error.filename} is not installed") from None
    return done.stdout


def _environment() -> dict[str, str]:
    """Nothing of this process, and no questions to a person."""
    return {
        "PATH": os.defpath,
        "HOME": "/nonexistent",
        "LC_ALL": "C.UTF-8",
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_CONFIG_GLOBAL": "/dev/null",
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_ASKPASS": "/bin/false",
        "GIT_NO_REPLACE_OBJECTS": "1",
        "GIT_LFS_SKIP_SMUDGE": "1",
    }
