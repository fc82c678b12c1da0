"""The bytes of one part as they come in."""

from __future__ import annotations

from collections.abc import Iterator

from django.http import HttpRequest, UnreadablePostError

from submissions.resumable.protocol import Checksum

CHUNK_BYTES = 64 * 1024


class CutOffError(Exception):
    """The connection ended before the body of the request did."""


class Body:
    """The body of a request in small chunks; what was read is digested on the way."""

    def __init__(
        self, request: HttpRequest, length: int, checksum: Checksum | None
    ) -> None:
        self.request = request
        self.missing = length
        self.checksum = checksum
        self.hash = checksum.new() if checksum else None

    def __iter__(self) -> Iterator[bytes]:
        while self.missing:
            try:
                chunk = self.request.read(min(CHUNK_BYTES, self.missing))
            except UnreadablePostError:
                raise CutOffError from None
            if not chunk:
                raise CutOffError
            self.missing -= len(chunk)
            if self.hash:
                self.hash.update(chunk)
            yield chunk

    def is_sound(self, _end: int) -> bool:
        """Without a checksum what came is good, with one only the whole of it."""
        if self.checksum is None or self.hash is None:
            return True
        return not self.missing and self.hash.digest() == self.checksum.digest
