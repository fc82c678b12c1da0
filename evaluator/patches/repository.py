"""A private git repository in a folder of its own, and git with its doors shut.

Base files and results go in and out as loose objects that this module writes and reads
itself: no attributes, filters or ignore rules of a project ever come into play.
"""

from __future__ import annotations

import hashlib
import os
import subprocess
import time
import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from evaluator import processes
from evaluator.patches.results import GateError, PatchLimits
from evaluator.sandbox import Limits, Sandbox, was_set_up
from evaluator.workspaces import ProjectFile

_HARDENED = [
    "git",
    *("-c", "core.hooksPath=/dev/null"),
    *("-c", "core.fsmonitor=false"),
    *("-c", "core.attributesFile=/dev/null"),
    *("-c", "core.compression=1"),
    *("-c", "core.ignoreCase=false"),
    *("-c", "core.quotePath=true"),
    *("-c", "protocol.allow=never"),
    *("-c", "gc.auto=0"),
]
_STRICT_NAMES = ["-c", "core.protectHFS=true", "-c", "core.protectNTFS=true"]
_LAX_NAMES = ["-c", "core.protectHFS=false", "-c", "core.protectNTFS=false"]
_MESSAGE_BYTES = 64 * 1024
_HOST_SECONDS = 120
_WRITES_BYTES = 64 * 1024 * 1024


class Entry(NamedTuple):
    """One file of a tree: git's mode and the name of its blob."""

    mode: str
    blob: str


Tree = Mapping[bytes, Entry]


class Applied(NamedTuple):
    """How ``git apply`` ended: ``died`` when a limit ended it."""

    ok: bool
    died: bool
    message: str


class PrivateRepository:
    """Lives in ``folder``, which is empty at first; nobody else knows it."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._git = folder / "git"
        self._nowhere = folder / "nowhere"
        self._nowhere.mkdir()
        for name in ("objects", "refs"):
            (self._git / name).mkdir(parents=True)
        (self._git / "HEAD").write_text("ref: refs/heads/none\n")
        (self._git / "config").write_text(
            "[core]\n\trepositoryformatversion = 0\n\tbare = true\n"
        )

    def store_project(
        self, folder: Path, files: list[ProjectFile], *, contents: bool = True
    ) -> dict[bytes, Entry]:
        """Store ``files`` of the project at ``folder``; links are stored as links.

        Without ``contents`` the blobs are only named, for :meth:`store_file` to store.
        """
        keep = self.store if contents else _blob_name
        return {
            file.path: Entry(file.mode, keep(_content(file.below(folder))))
            for file in files
        }

    def store_file(self, path: Path) -> None:
        self.store(_content(path))

    def store(self, content: bytes) -> str:
        """Store a blob and return its name."""
        name = _blob_name(content)
        target = self._object(name)
        if not target.exists():
            target.parent.mkdir(exist_ok=True)
            # Packing would cost more than the disk it saves for a minute.
            target.write_bytes(zlib.compress(_blob(content), 0))
        return name

    def read(self, name: str, *, most: int) -> bytes | None:
        """The content of a blob, or None where it has more than ``most`` bytes."""
        # Enough room for the header; a bomb is never unpacked beyond that.
        unpacked = zlib.decompressobj().decompress(
            self._object(name).read_bytes(), most + 64
        )
        header, _, content = unpacked.partition(b"\0")
        kind, _, size_text = header.partition(b" ")
        if kind != b"blob":
            raise GateError(f"The private repository has {name} as {kind!r}.")
        size = int(size_text)
        if size > most:
            return None
        if len(content) != size or _blob_name(content) != name:
            raise GateError(f"The private repository holds a broken object {name}.")
        return content

    def _object(self, name: str) -> Path:
        return self._git / "objects" / name[:2] / name[2:]

    def load_index(self, tree: Tree) -> None:
        """Make the index hold ``tree`` and nothing else."""
        (self._git / "index").unlink(missing_ok=True)
        lines = b"".join(
            f"{entry.mode} {entry.blob} 0\t".encode() + path + b"\0"
            for path, entry in tree.items()
        )
        self.run(["update-index", "-z", "--index-info"], given=lines)

    def index(self) -> dict[bytes, Entry]:
        """The tree that the index holds."""
        tree = {}
        for line in self.run(["ls-files", "--stage", "-z"]).split(b"\0"):
            facts, _, path = line.partition(b"\t")
            if path:
                mode, blob, stage = facts.decode().split(" ")
                if stage != "0":
                    raise GateError(
                        f"The private index has an unmerged path: {path!r}."
                    )
                tree[path] = Entry(mode, blob)
        return tree

    def apply(self, patch: bytes, *, sandbox: Sandbox, limits: PatchLimits) -> Applied:
        """Apply ``patch`` to the index, exactly: no fuzz, no merge, no white space."""
        (self._folder / "patch").write_bytes(patch)
        with (self._folder / "patch").open("rb") as stream:
            process = sandbox.popen(
                [
                    *_HARDENED,
                    *_STRICT_NAMES,
                    "apply",
                    "--cached",
                    "--whitespace=nowarn",
                ],
                cwd=self._nowhere,
                env=self._environment(),
                writable=[self._folder],
                limits=Limits(
                    cpu_seconds=limits.cpu_seconds,
                    memory_bytes=limits.memory_bytes,
                    processes=16,
                    file_bytes=_WRITES_BYTES,
                ),
                stdin=stream,
            )
            ended = processes.finish(
                process,
                deadline=time.monotonic() + limits.seconds,
                output_limit=_MESSAGE_BYTES,
            )
        message = ended.output.decode(errors="replace").replace(f"{self._folder}/", "")
        if ended.exit_code is None:
            raise GateError(f"git did not end within {limits.seconds} seconds.")
        if not was_set_up(process):
            raise GateError(f"The sandbox did not start git: {message.strip()[:500]}")
        if ended.exit_code == 127:
            raise GateError(f"git could not be started: {message.strip()[:500]}")
        # A process that a signal ended: negative here, above 128 through bubblewrap.
        died = not 0 <= ended.exit_code <= 128 or "out of memory" in message.lower()
        return Applied(ok=ended.exit_code == 0, died=died, message=message)

    def write_tree(self, tree: Tree) -> str:
        """Store ``tree`` as a git tree and return its name; any file name will do.

        Blobs that only have a name so far may stay away.
        """
        self.load_index(tree)
        return self.run(["write-tree", "--missing-ok"]).decode().strip()

    def run(self, words: list[str], *, given: bytes = b"") -> bytes:
        """Run a git command that reads nothing a patch controls the form of."""
        try:
            done = subprocess.run(
                [*_HARDENED, *_LAX_NAMES, *words],
                cwd=self._nowhere,
                env={"PATH": os.defpath, **self._environment()},
                input=given,
                capture_output=True,
                check=False,
                timeout=_HOST_SECONDS,
            )
        except FileNotFoundError:
            raise GateError(
                "git is not installed. Debian and Ubuntu: apt-get install git."
            ) from None
        except subprocess.TimeoutExpired:
            raise GateError(
                f"git {words[0]} did not end within {_HOST_SECONDS} seconds."
            ) from None
        if done.returncode != 0:
            said = done.stderr.decode(errors="replace").strip()[:500]
            raise GateError(f"git {words[0]} failed with {done.returncode}: {said}")
        return done.stdout

    def _environment(self) -> dict[str, str]:
        return {
            "LC_ALL": "C",
            "HOME": "/nonexistent",
            "GIT_DIR": str(self._git),
            "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_CONFIG_GLOBAL": "/dev/null",
            "GIT_ATTR_NOSYSTEM": "1",
            "GIT_NO_REPLACE_OBJECTS": "1",
            "GIT_TERMINAL_PROMPT": "0",
        }


def _content(path: Path) -> bytes:
    return os.fsencode(path.readlink()) if path.is_symlink() else path.read_bytes()


def _blob(content: bytes) -> bytes:
    return b"blob %d\0" % len(content) + content


def _blob_name(content: bytes) -> str:
    return hashlib.sha1(_blob(content), usedforsecurity=False).hexdigest()
