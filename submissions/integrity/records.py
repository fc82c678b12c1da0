"""Reads the records of a trajectory one by one, however long the file is.

Written by hand because a JSON reader that streams still holds one string of any length;
here a record that is too long is skipped and counted, never held.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any, BinaryIO, NamedTuple

RECORD_BYTES = 4 * 1024 * 1024
_CHUNK_BYTES = 64 * 1024
_MARKS = re.compile(rb'["{}\[\]]')
_REST_OF_STRING = re.compile(rb'(?:[^"\\]++|\\.)*+', re.DOTALL)
# Where a record begins: in a list that is the document, or a member of it.
_RECORD_AT = (b"[", b"{[")


class Record(NamedTuple):
    """``number`` counts from 1; ``value`` is None where the record cannot be read."""

    number: int
    value: dict[str, Any] | None


def read_records(stream: BinaryIO, *, lines: bool) -> Iterator[Record]:
    """The objects of a JSON-lines file, or those in the lists of a JSON document.

    Empty lines have no record but keep their number: it is the line's.
    """
    if lines:
        yield from _from_lines(stream)
        return
    for number, text in enumerate(_objects(stream), start=1):
        yield Record(number, _parsed(text))


def _from_lines(stream: BinaryIO) -> Iterator[Record]:
    number = 0
    while line := stream.readline(RECORD_BYTES + 1):
        number += 1
        complete = len(line) <= RECORD_BYTES
        while not line.endswith(b"\n") and (rest := stream.readline(_CHUNK_BYTES)):
            line = rest
        if line.strip():
            yield Record(number, _parsed(line) if complete else None)


def _parsed(text: bytes | None) -> dict[str, Any] | None:
    try:
        value = json.loads(text) if text is not None else None
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def _objects(stream: BinaryIO) -> Iterator[bytes | None]:
    """The bytes of each record of a document; None for one that is too long."""
    splitter = _Splitter()
    while chunk := stream.read(_CHUNK_BYTES):
        yield from splitter.feed(chunk)
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
