"""Digests that others compute too: git's of a base project, Harbor's of a task."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatch
from pathlib import Path

from leaderboard.trees import project_files

# The base commit is the same wherever it is made: nothing of it depends on a machine.
COMMITTER = "OpenHarmony Bench <bench@example.invalid>"
COMMIT_SECONDS = 0
COMMIT_MESSAGE = "base"

# What Harbor leaves out of a task that has no .gitignore of its own.
_LEFT_OUT = ("*.pyc", ".DS_Store", "*.swp", "*.swo", "*~")
_LEFT_OUT_FOLDER = "__pycache__"
_FOLDERS = ("environment", "tests", "solution", "steps")
_FILES = ("task.toml", "instruction.md", "README.md")


@dataclass(slots=True)
class _Tree:
    """A folder as git stores it: names with mode and object id, or a tree below."""

    entries: dict[bytes, tuple[bytes, bytes]] = field(default_factory=dict)
    below: dict[bytes, _Tree] = field(default_factory=dict)

    def digest(self) -> bytes:
        found: Mapping[bytes, tuple[bytes, bytes]] = self.entries | {
            name: (b"40000", tree.digest()) for name, tree in self.below.items()
        }
        # git sorts a folder as if its name ended with a slash.
        names = sorted(found, key=lambda name: name + b"/" * (name in self.below))
        return _object(
            b"tree",
            b"".join(b"%b %b\0%b" % (found[n][0], n, found[n][1]) for n in names),
        )


def base_commit(folder: Path) -> str:
    """The id (40 hex digits) of the one commit that holds the project in ``folder``."""
    root = _Tree()
    for file in project_files(folder):
        *folders, name = file.path.split(b"/")
        tree = root
        for each in folders:
            tree = tree.below.setdefault(each, _Tree())
        content = file.below(folder).read_bytes()
        tree.entries[name] = (file.mode.encode(), _object(b"blob", content))
    who = f"{COMMITTER} {COMMIT_SECONDS} +0000"
    commit = (
        f"tree {root.digest().hex()}\nauthor {who}\ncommitter {who}\n\n"
        f"{COMMIT_MESSAGE}\n"
    )
    return _object(b"commit", commit.encode()).hex()


def task_digest(folder: Path) -> str:
    """``sha256:`` and 64 hex digits, as Harbor writes them into ``lock.json``."""
    whole = hashlib.sha256()
    for name in sorted(_published(folder)):
        content = hashlib.sha256((folder / name).read_bytes()).hexdigest()
        whole.update(f"{name}\0{content}\n".encode())
    return f"sha256:{whole.hexdigest()}"


def _published(folder: Path) -> list[str]:
    names = [file.path.decode() for file in project_files(folder)]
    return [
        name
        for name in names
        if (name in _FILES or name.partition("/")[0] in _FOLDERS)
        and _LEFT_OUT_FOLDER not in name.split("/")
        and not any(fnmatch(name.rpartition("/")[2], each) for each in _LEFT_OUT)
    ]


def _object(kind: bytes, content: bytes) -> bytes:
    header = b"%b %d\0" % (kind, len(content))
    return hashlib.sha1(header + content, usedforsecurity=False).digest()
