"""Reads the records of a trajectory one by one, however long the file is.

Written by hand because a JSON reader that streams still holds one string of any length;
here a record that is too long is skipped and counted, never held.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any, BinaryIO, NamedTuple, Protocol

RECORD_BYTES = 4 * 1024 * 1024
# What one page may cost; trajectories beyond are there for download.
READ_BYTES = 16 * 1024 * 1024
READ_LINES = 50_000
READ_MARKS = 300_000
_CHUNK_BYTES = 64 * 1024
_MARKS = re.compile(rb'["{}\[\]]')
_REST_OF_STRING = re.compile(rb'(?:[^"\\]++|\\.)*+', re.DOTALL)
# Where a record begins: in a list that is the document, or a member of it.
_RECORD_AT = (b"[", b"{[")


class Record(NamedTuple):
    """``number`` counts from 1; ``value`` is None where the record cannot be read."""

    number: int
    value: dict[str, Any] | None


class Window(NamedTuple):
    """Some records of a file, and ``last``, the number of the last that was come to.

    ``cut`` where the file goes on behind what was read of it.
    """

    records: list[Record]
    last: int
    cut: bool


class Readable(Protocol):
    """As much of a binary file as is needed here."""

    def read(self, size: int, /) -> bytes: ...

    def readline(self, size: int, /) -> bytes: ...


def read_records(stream: Readable, *, lines: bool) -> Iterator[Record]:
    """The objects of a JSON-lines file, or those in the lists of a JSON document.

    Empty lines have no record but keep their number: it is the line's.
    """
    for number, text in _texts(stream, lines=lines):
        yield Record(number, _parsed(text))


def read_window(stream: BinaryIO, *, lines: bool, first: int, last: int) -> Window:
    """The records numbered ``first`` to ``last``; the others are counted, not parsed.

    For a page: read are READ_BYTES at most, and no more lines or brackets than cost a
    moment, whatever the file is made of.
    """
    records, number = [], 0
    head = _Head(stream, READ_BYTES)
    most = READ_LINES if lines else READ_MARKS
    for number, text in _texts(head, lines=lines, most=most):
        if first <= number <= last:
            records.append(Record(number, _parsed(text)))
    return Window(records, number, cut=bool(stream.read(1)))


class _Head:
    """The beginning of a file."""

    def __init__(self, stream: BinaryIO, left: int) -> None:
        self._stream = stream
        self._left = left

    def read(self, size: int, /) -> bytes:
        return self._counted(self._stream.read(min(size, self._left)))

    def readline(self, size: int, /) -> bytes:
        return self._counted(self._stream.readline(min(size, self._left)))

    def _counted(self, part: bytes) -> bytes:
        self._left -= len(part)
        return part


def _texts(
    stream: Readable, *, lines: bool, most: int | None = None
) -> Iterator[tuple[int, bytes | None]]:
    """The bytes of each record with its number; None for one that is too long.

    It ends about ``most`` lines, or brackets of a document.
    """
    if lines:
        return _from_lines(stream, most)
    return enumerate(_objects(stream, most), start=1)


def _from_lines(
    stream: Readable, most: int | None
) -> Iterator[tuple[int, bytes | None]]:
    number = 0
    while number != most and (line := stream.readline(RECORD_BYTES + 1)):
        number += 1
        text = line if len(line) <= RECORD_BYTES else None
        while not line.endswith(b"\n") and (rest := stream.readline(_CHUNK_BYTES)):
            line = rest
        if line.strip():
            yield number, text


def _parsed(text: bytes | None) -> dict[str, Any] | None:
    try:
        value = json.loads(text) if text is not None else None
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def _objects(stream: Readable, most: int | None) -> Iterator[bytes | None]:
    """The bytes of each record of a document; None for one that is too long."""
    splitter = _Splitter()
    while chunk := stream.read(_CHUNK_BYTES):
        yield from splitter.feed(chunk)
        if most is not None and splitter.opened >= most:
            return
    if splitter.inside_record:
        yield None


class _Splitter:
    """Finds where records begin and end, knowing only strings and brackets."""

    def __init__(self) -> None:
        self._open = b""
        self._depth_beyond = 0
        self._in_string = False
        self._escaped = False
        self._held = bytearray()
        self._too_long = False
        self.inside_record = False
        self.opened = 0

    def feed(self, chunk: bytes) -> Iterator[bytes | None]:
        at = kept = 0
        while True:
            at, mark = self._next_mark(chunk, at)
            if not mark:
                break
            if mark in b"{[":
                if not self.inside_record and mark == b"{" and self._open in _RECORD_AT:
                    self.inside_record, kept = True, at - 1
                self._push(mark)
            elif self._pop() and self.inside_record and self._open in _RECORD_AT:
                self._keep(chunk[kept:at])
                yield None if self._too_long else bytes(self._held)
                self._held.clear()
                self.inside_record = self._too_long = False
        if self.inside_record:
            self._keep(chunk[kept:])

    def _next_mark(self, chunk: bytes, at: int) -> tuple[int, bytes]:
        """The next bracket outside of strings, and the place behind it."""
        while at < len(chunk):
            if self._escaped:
                self._escaped = False
                at += 1
            elif self._in_string:
                at = self._end_of_string(chunk, at)
            elif found := _MARKS.search(chunk, at):
                at, mark = found.end(), found[0]
                if mark != b'"':
                    return at, mark
                self._in_string = True
            else:
                break
        return len(chunk), b""

    def _end_of_string(self, chunk: bytes, at: int) -> int:
        """The place behind the string, or the end of the chunk if it goes on."""
        rest = _REST_OF_STRING.match(chunk, at)
        end = rest.end() if rest else at
        if end == len(chunk):
            return end
        self._escaped = chunk[end : end + 1] == b"\\"
        self._in_string = self._escaped
        return end + 1

    def _push(self, mark: bytes) -> None:
        """Only the outermost brackets matter by their kind; the rest are counted."""
        self.opened += 1
        if len(self._open) < 3:
            self._open += mark
        else:
            self._depth_beyond += 1

    def _pop(self) -> bool:
        if self._depth_beyond:
            self._depth_beyond -= 1
        else:
            self._open = self._open[:-1]
        return not self._depth_beyond

    def _keep(self, part: bytes) -> None:
        if self._too_long or len(self._held) + len(part) > RECORD_BYTES:
            self._too_long = True
            self._held.clear()
        else:
            self._held += part
