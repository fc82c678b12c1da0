"""Reading a patch as text: which files it changes, and the lines it expects to find.

As tolerant as git where git is, and of no consequence: what a patch really does is
decided by git behind the gate. This tells a submitter beforehand.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

LINK_MODES = {b"120000", b"160000"}
NOTHING = b"/dev/null"

_HUNK = re.compile(rb"@@ -(\d{1,9})(?:,(\d{1,9}))? \+\d{1,9}(?:,(\d{1,9}))? @@")
_SAME_NAMES = re.compile(rb"diff --git a/(?P<name>.+) b/(?P=name)")
_MODE = re.compile(rb"(?:new file mode|new mode) (\d{6})")
_OCTAL = re.compile(rb"\\([0-7]{3})")
_ESCAPES = {b'\\"': b'"', b"\\\\": b"\\", b"\\t": b"\t", b"\\n": b"\n"}


class PatchTextError(ValueError):
    """This is no patch that git could read; the text says where and why."""


@dataclass(frozen=True, slots=True)
class Hunk:
    """Lines that must be there, in one piece; ``line`` is where they are expected."""

    line: int
    old: bytes


@dataclass(slots=True)
class FilePatch:
    """What a patch does to one file; a path is None where there is no such side."""

    old: bytes | None = None
    new: bytes | None = None
    mode: bytes = b""
    is_binary: bool = False
    hunks: list[Hunk] = field(default_factory=list)

    @property
    def paths(self) -> list[bytes]:
        return [path for path in (self.old, self.new) if path is not None]


def read_patch(data: bytes) -> list[FilePatch]:
    """The files of a patch in their order; ``PatchTextError`` if it is none."""
    reader = _Reader(data.split(b"\n"))
    reader.run()
    if not reader.files and data.strip():
        raise PatchTextError("holds no change of a file as git diff prints it")
    return reader.files


def unsafe_path(path: bytes) -> bool:
    """Whether a path leads out of the project or into git's own folder."""
    names = path.split(b"/")
    return b"\0" in path or any(
        name in {b"", b".", b".."} or name.lower() == b".git" for name in names
    )


def missing_hunk(patch: FilePatch, base: bytes) -> Hunk | None:
    """The first hunk whose lines stand nowhere in ``base``; None if all do."""
    return next((each for each in patch.hunks if not _stands_in(each.old, base)), None)


def _stands_in(old: bytes, base: bytes) -> bool:
    place = base.find(old)
    while place >= 0:
        begins = place == 0 or base[place - 1 : place] == b"\n"
        end = place + len(old)
        if begins and (old.endswith(b"\n") or end == len(base)):
            return True
        place = base.find(old, place + 1)
    return not old


class _Reader:
    """Goes through the lines once."""

    def __init__(self, lines: list[bytes]) -> None:
        self.lines = lines
        self.place = 0
        self.files: list[FilePatch] = []
        # Whether a "diff --git" line waits for the names that follow it.
        self.is_open = False

    def run(self) -> None:
        while self.place < len(self.lines):
            line = self.lines[self.place]
            if line.startswith(b"diff --git "):
                self._begin(line)
            elif line.startswith(b"--- ") and self._next().startswith(b"+++ "):
                self._names(line, self._next())
            elif line.startswith(b"@@ -"):
                self._hunk(line)
                continue
            elif self.is_open:
                self._header(line)
            self.place += 1

    def _next(self) -> bytes:
        after = self.place + 1
        return self.lines[after] if after < len(self.lines) else b""

    def _begin(self, line: bytes) -> None:
        found = _SAME_NAMES.fullmatch(line.rstrip(b"\r"))
        name = found["name"] if found else None
        self.files.append(FilePatch(name, name))
        self.is_open = True

    def _names(self, old: bytes, new: bytes) -> None:
        if not self.is_open:
            self.files.append(FilePatch())
        current = self.files[-1]
        current.old, current.new = _side(old), _side(new)
        self.is_open = False
        self.place += 1

    def _header(self, line: bytes) -> None:
        current = self.files[-1]
        if found := _MODE.match(line):
            current.mode = found[1]
            if line.startswith(b"new file"):
                current.old = None
        elif line.startswith(b"deleted file"):
            current.new = None
        elif line.startswith((b"rename from ", b"copy from ")):
            current.old = _unquoted(line.split(b" ", 2)[2])
        elif line.startswith((b"rename to ", b"copy to ")):
            current.new = _unquoted(line.split(b" ", 2)[2])
        elif line.startswith((b"GIT binary patch", b"Binary files ")):
            current.is_binary = True

    def _hunk(self, line: bytes) -> None:
        found = _HUNK.match(line)
        if found is None:
            raise PatchTextError(f"line {self.place + 1} begins no hunk that git reads")
        if not self.files:
            raise PatchTextError(f"line {self.place + 1} is a hunk without a file")
        begin = self.place + 1
        left = [int(count) if count is not None else 1 for count in found.groups()[1:]]
        old: list[bytes] = []
        self.place += 1
        for sign, rest in self._body(left, begin):
            if sign == b"\\":
                old[-1:] = [each.removesuffix(b"\n") for each in old[-1:]]
            elif sign != b"+":
                old.append(rest + b"\n")
        self.files[-1].hunks.append(Hunk(int(found[1]), b"".join(old)))

    def _body(self, left: list[int], begin: int) -> Iterator[tuple[bytes, bytes]]:
        """Sign and text of the lines of a hunk; ``left`` are its old and new ones."""
        last = b""
        while any(left):
            line = self.lines[self.place] if self.place < len(self.lines) else b"?"
            sign = line[:1] or b" "
            self.place += 1
            if sign not in {b" ", b"-", b"+", b"\\"} or min(left) < 0:
                raise PatchTextError(
                    f"the hunk of line {begin} ends before all of its lines"
                )
            left[0] -= sign in {b" ", b"-"}
            left[1] -= sign in {b" ", b"+"}
            if sign != b"\\" or last != b"+":
                yield sign, line[1:]
            last = sign
        if self.place < len(self.lines) and self.lines[self.place][:1] == b"\\":
            self.place += 1
            if last != b"+":
                yield b"\\", b""


def _side(line: bytes) -> bytes | None:
    """The path in a ``---`` or ``+++`` line without its first folder."""
    text = _unquoted(line[4:].partition(b"\t")[0].rstrip(b"\r"))
    if text == NOTHING:
        return None
    return text.partition(b"/")[2]


def _unquoted(text: bytes) -> bytes:
    """A path as git quotes it, byte for byte."""
    text = text.rstrip(b"\r")
    if not (text.startswith(b'"') and text.endswith(b'"') and len(text) > 1):
        return text
    inner = _OCTAL.sub(lambda found: bytes([int(found[1], 8) & 0xFF]), text[1:-1])
    for escaped, plain in _ESCAPES.items():
        inner = inner.replace(escaped, plain)
    return inner
