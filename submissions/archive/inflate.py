"""Unpacking deflate data in steps of bounded size."""

from __future__ import annotations

import zlib
from collections.abc import Iterator

from submissions.archive.limits import CHUNK_BYTES
from submissions.findings import Code

RAW = -zlib.MAX_WBITS
GZIP = 16 + zlib.MAX_WBITS


class InflateError(Exception):
    """The compressed data are damaged, cut, or followed by something else."""

    def __init__(self, code: Code, saw: str) -> None:
        self.code = code
        self.saw = saw
        super().__init__(saw)


def inflate(packed_chunks: Iterator[bytes], *, window: int) -> Iterator[bytes]:
    """Yield pieces of at most a chunk; a bomb costs no memory before it is counted.

    Exactly one compressed stream is read: what follows it is an error.
    """
    inflater = zlib.decompressobj(window)
    for packed in packed_chunks:
        if inflater.eof:
            raise _trailing()
        yield from _step(inflater, packed)
        if inflater.unused_data:
            raise _trailing()
    if not inflater.eof:
        raise InflateError(
            Code.ARCHIVE_TRUNCATED, "compressed data that ends too early"
        )


def _step(inflater: zlib._Decompress, packed: bytes) -> Iterator[bytes]:
    while True:
        try:
            chunk = inflater.decompress(packed, CHUNK_BYTES)
        except zlib.error:
            raise InflateError(
                Code.ARCHIVE_CORRUPT, "compressed data that cannot be unpacked"
            ) from None
        if chunk:
            yield chunk
        packed = inflater.unconsumed_tail
        # A short piece without a rest means that zlib holds nothing back.
        if inflater.eof or (not packed and len(chunk) < CHUNK_BYTES):
            return


def _trailing() -> InflateError:
    return InflateError(
        Code.ARCHIVE_EXTRA_DATA, "bytes after the end of the compressed data"
    )
