"""What keeps a package from giving its answers away.

Hidden files carry the benchmark's canary, so that training data can be searched for
them. A base project holds no history, and nothing of the reference's result.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from pathlib import Path

from leaderboard.snapshots.faults import Faults
from leaderboard.trees import project_files

# Beginnings of files that hold git history by themselves.
_HISTORY = (b"PACK\0\0\0\2", b"PACK\0\0\0\3", b"# v2 git bundle", b"# v3 git bundle")
_INDEX = re.compile(
    rb"(?m)^index (?P<before>[0-9a-f]{7,64})\.\.(?P<after>[0-9a-f]{7,64})"
)
_EMPTY = hashlib.sha1(b"blob 0\0", usedforsecurity=False).hexdigest()


def hidden_files(folder: Path, task: str) -> list[str]:
    """Names of the files of ``task`` that no agent may see, sorted."""
    names = [
        path.relative_to(folder).as_posix()
        for hidden in ("checks", "wrong")
        for path in sorted((folder / task / hidden).rglob("*"))
        if path.is_file()
    ]
    reference = f"{task}/reference.patch"
    return [*names, reference] if (folder / reference).is_file() else names


def check_canary(folder: Path, task: str, canary: str, *, faults: Faults) -> None:
    """Note every hidden file of ``task`` without the canary of the benchmark."""
    for name in hidden_files(folder, task):
        if canary.encode() not in (folder / name).read_bytes():
            faults.add(
                name,
                "",
                saw="no canary",
                fix=f"Add a comment with {canary}: in JSON to a text, in a patch "
                "before its first line. Training data can then be searched for it.",
            )


def check_base(base: Path, name: str, reference: Path, *, faults: Faults) -> None:
    """Note history in the base project ``name``, and contents of its future."""
    if base.is_symlink():
        return  # a fault already, and not followed
    results = _results(reference)
    for file in project_files(base, links=True):
        shown = f"{name}/{file.path.decode('utf-8', 'backslashreplace')}"
        if any(part.lower() == b".git" for part in file.path.split(b"/")):
            faults.add(
                shown,
                "",
                saw="git's own data",
                fix="Remove it: a base project has no history, let alone a later one.",
            )
            continue
        path = file.below(base)
        if path.is_symlink():
            continue
        content = path.read_bytes()
        if content.startswith(_HISTORY):
            faults.add(
                shown, "", saw="a pack of git objects", fix="Remove it: it is history."
            )
        elif results and _blob_id(content).startswith(results):
            faults.add(
                shown,
                "",
                saw="a file exactly as the reference leaves one",
                fix="Take the project from before the change.",
            )


def _results(reference: Path) -> tuple[str, ...]:
    """Ids, maybe cut, of the blobs that files have once the reference changed them."""
    return tuple(_written(reference)) if reference.is_file() else ()


def _written(reference: Path) -> Iterator[str]:
    for found in _INDEX.finditer(reference.read_bytes()):
        before, after = found["before"].decode(), found["after"].decode()
        # A file that is new may well be a copy of one that the base has.
        if before.strip("0") and after.strip("0") and not _EMPTY.startswith(after):
            yield after


def _blob_id(content: bytes) -> str:
    header = f"blob {len(content)}\0".encode()
    return hashlib.sha1(header + content, usedforsecurity=False).hexdigest()
