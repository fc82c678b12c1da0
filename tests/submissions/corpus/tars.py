"""Writing tars header by header, so that every field can lie."""

from __future__ import annotations

import zlib
from dataclasses import dataclass

BLOCK = 512
POSIX = b"ustar\x0000"
GNU = b"ustar  \x00"
END = bytes(2 * BLOCK)


@dataclass
class Entry:
    """One entry; sizes and checksum follow from the content unless given."""

    name: str | bytes
    data: bytes = b""
    kind: bytes = b"0"
    mode: bytes = b"0000644"
    link: bytes = b""
    magic: bytes = POSIX
    prefix: bytes = b""
    size: bytes | None = None
    checksum: bytes | None = None


def header(entry: Entry) -> bytes:
    name = entry.name.encode() if isinstance(entry.name, str) else entry.name
    block = bytearray(BLOCK)

    def put(offset: int, value: bytes) -> None:
        block[offset : offset + len(value)] = value

    put(0, name)
    put(100, entry.mode)
    put(108, b"0000000")
    put(116, b"0000000")
    put(124, entry.size or b"%011o" % len(entry.data))
    put(136, b"00000000000")
    put(148, b" " * 8)
    put(156, entry.kind)
    put(157, entry.link)
    put(257, entry.magic)
    put(345, entry.prefix)
    put(148, entry.checksum or b"%06o\0 " % sum(block))
    return bytes(block)


def write_tar(entries: list[Entry], end: bytes = END) -> bytes:
    pieces = []
    for entry in entries:
        pieces += [header(entry), entry.data, bytes(-len(entry.data) % BLOCK)]
    return b"".join([*pieces, end])


def gzipped(data: bytes) -> bytes:
    packer = zlib.compressobj(9, zlib.DEFLATED, 16 + zlib.MAX_WBITS)
    return packer.compress(data) + packer.flush()


def pax(**records: str) -> bytes:
    """The body of an extended header; "__" in a key stands for a dot."""
    body = b""
    for key, value in records.items():
        rest = f" {key.replace('__', '.')}={value}\n".encode()
        length = len(rest)
        while length != len(rest) + len(str(length)):
            length = len(rest) + len(str(length))
        body += str(length).encode() + rest
    return body
