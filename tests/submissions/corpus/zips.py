"""Writing zips field by field, so that every field can lie."""

from __future__ import annotations

import struct
import zlib
from dataclasses import dataclass, field
from typing import Any

STORED = 0
DEFLATED = 8
REGULAR = 0o100644
DESCRIPTOR_FLAG = 8
UTF8_FLAG = 0x800


@dataclass
class Entry:
    """One file; ``local`` and ``central`` overwrite the fields of one header."""

    name: str | bytes
    data: bytes = b""
    method: int = STORED
    flags: int = 0
    mode: int = REGULAR
    dos_attributes: int = 0
    extra: bytes = b""
    packed: bytes | None = None
    size: int | None = None
    gap_before: bytes = b""
    local: dict[str, Any] = field(default_factory=dict)
    central: dict[str, Any] = field(default_factory=dict)
    descriptor: bytes | None = None

    @property
    def raw_name(self) -> bytes:
        return self.name.encode() if isinstance(self.name, str) else self.name

    @property
    def content(self) -> bytes:
        if self.packed is not None:
            return self.packed
        return deflate(self.data) if self.method == DEFLATED else self.data

    def fields(self, changed: dict[str, Any]) -> dict[str, Any]:
        size = len(self.data) if self.size is None else self.size
        fields = {
            "name": self.raw_name,
            "flags": self.flags,
            "method": self.method,
            "crc": zlib.crc32(self.data),
            "packed_size": len(self.content),
            "size": size,
            "extra": self.extra,
        }
        return {**fields, **changed}


def deflate(data: bytes, level: int = 9) -> bytes:
    packer = zlib.compressobj(level, zlib.DEFLATED, -zlib.MAX_WBITS)
    return packer.compress(data) + packer.flush()


def local_header(entry: Entry) -> bytes:
    streamed = entry.flags & DESCRIPTOR_FLAG
    zeros = {"crc": 0, "packed_size": 0, "size": 0} if streamed else {}
    fields = entry.fields({**zeros, **entry.local})
    return (
        struct.pack(
            "<4s5H3L2H",
            b"PK\x03\x04",
            20,
            fields["flags"],
            fields["method"],
            0,
            0x21,
            fields["crc"],
            fields["packed_size"],
            fields["size"],
            len(fields["name"]),
            len(fields["extra"]),
        )
        + fields["name"]
        + fields["extra"]
    )


def central_header(entry: Entry, offset: int) -> bytes:
    fields = {"disk": 0, "offset": offset, **entry.fields(entry.central)}
    return (
        struct.pack(
            "<4s6H3L5H2L",
            b"PK\x01\x02",
            3 << 8 | 20,
            20,
            fields["flags"],
            fields["method"],
            0,
            0x21,
            fields["crc"],
            fields["packed_size"],
            fields["size"],
            len(fields["name"]),
            len(fields["extra"]),
            0,
            fields["disk"],
            0,
            entry.mode << 16 | entry.dos_attributes,
            fields["offset"],
        )
        + fields["name"]
        + fields["extra"]
    )


def write_zip(entries: list[Entry], **end: Any) -> bytes:
    """The whole zip; ``end`` overwrites fields of the end record.

    ``before_end`` puts bytes between directory and end record, ``comment`` is the
    archive comment.
    """
    data = bytearray()
    directory = bytearray()
    for entry in entries:
        data += entry.gap_before
        directory += central_header(entry, len(data))
        data += local_header(entry) + entry.content
        if entry.flags & DESCRIPTOR_FLAG:
            fields = entry.fields({})
            data += entry.descriptor or b"PK\x07\x08" + struct.pack(
                "<3L", fields["crc"], fields["packed_size"], fields["size"]
            )
    comment = end.get("comment", b"")
    return bytes(
        data
        + directory
        + end.get("before_end", b"")
        + struct.pack(
            "<4s4H2LH",
            b"PK\x05\x06",
            end.get("disk", 0),
            end.get("disk", 0),
            end.get("count", len(entries)),
            end.get("count", len(entries)),
            end.get("directory_size", len(directory)),
            end.get("offset", len(data)),
            len(comment),
        )
        + comment
    )
