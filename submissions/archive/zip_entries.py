"""The records of a zip: one directory entry, one local header."""

from __future__ import annotations

import stat
import struct
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

from submissions.findings import Code

LOCAL_SIGNATURE = b"PK\x03\x04"
DIRECTORY_SIGNATURE = b"PK\x01\x02"
DESCRIPTOR_SIGNATURE = b"PK\x07\x08"
STORED = 0
DEFLATED = 8

_LOCAL = struct.Struct("<4s5H3L2H")
_DIRECTORY = struct.Struct("<4s6H3L5H2L")
LOCAL_SIZE = _LOCAL.size

_FLAG_ENCRYPTED = 1 << 0 | 1 << 6 | 1 << 13
_FLAG_LEVEL = 1 << 1 | 1 << 2
_FLAG_DESCRIPTOR = 1 << 3
_FLAG_UTF8 = 1 << 11
_KNOWN_FLAGS = _FLAG_ENCRYPTED | _FLAG_LEVEL | _FLAG_DESCRIPTOR | _FLAG_UTF8
_DOS_FOLDER = 0x10
_SPECIAL_BITS = stat.S_ISUID | stat.S_ISGID | stat.S_ISVTX

# Extra fields that give a file another size, name or encryption than its header.
_OVERRIDING_EXTRAS = {
    0x0001: "zip64 sizes",
    0x0014: "certificates",
    0x0015: "a signature",
    0x0016: "a signature",
    0x0017: "encryption",
    0x7075: "a second name",
    0x9901: "encryption",
}


class Objection(NamedTuple):
    """Something that forbids one entry without making the archive unreadable."""

    code: Code
    saw: str
    fix: str


@dataclass(slots=True)
class ZipEntry:
    """One record of the directory; sizes in bytes as declared there."""

    raw_name: bytes
    flags: int
    method: int
    crc: int
    packed_size: int
    size: int
    mode: int
    dos_attributes: int
    disk: int
    offset: int
    extra: bytes
    data_at: int = 0

    @property
    def name(self) -> str:
        encoding = "utf-8" if self.flags & _FLAG_UTF8 else "cp437"
        return self.raw_name.decode(encoding, "backslashreplace")

    @property
    def is_folder(self) -> bool:
        return self.raw_name.endswith(b"/")

    @property
    def has_descriptor(self) -> bool:
        """Whether size and checksum stand after the content (streaming writers)."""
        return bool(self.flags & _FLAG_DESCRIPTOR)

    @property
    def descriptor(self) -> bytes:
        return struct.pack("<3L", self.crc, self.packed_size, self.size)

    def objections(self) -> list[Objection]:
        return [
            *self._kind_objections(),
            *self._encoding_objections(),
            *_extra_objections(self.extra),
        ]

    def _kind_objections(self) -> Iterator[Objection]:
        kind = stat.S_IFMT(self.mode)
        expected = stat.S_IFDIR if self.is_folder else stat.S_IFREG
        folder_claim = bool(self.dos_attributes & _DOS_FOLDER)
        if kind not in (0, expected) or (folder_claim and not self.is_folder):
            yield Objection(
                Code.MEMBER_KIND,
                "a link, device or folder that stands for a file",
                "Replace links by the files they point to, then pack again.",
            )
        elif self.mode & _SPECIAL_BITS and not self.is_folder:
            yield Objection(
                Code.MEMBER_KIND,
                f"a file with the special mode {self.mode & 0o7777:o}",
                "Set ordinary permissions: chmod 644.",
            )
        if self.is_folder and (
            self.size or (self.method == STORED and self.packed_size)
        ):
            yield Objection(
                Code.MEMBER_KIND, "a folder with content", "Pack the files again."
            )

    def _encoding_objections(self) -> Iterator[Objection]:
        if self.flags & _FLAG_ENCRYPTED:
            yield Objection(
                Code.MEMBER_ENCRYPTED,
                "an encrypted file",
                "Pack the files again without a password.",
            )
        elif self.flags & ~_KNOWN_FLAGS or self.disk:
            yield Objection(
                Code.ARCHIVE_FEATURE,
                f"the zip flags 0x{self.flags:04x}",
                "Pack the files again with an ordinary zip program.",
            )
        if self.method not in (STORED, DEFLATED):
            yield Objection(
                Code.MEMBER_COMPRESSION,
                f"compression method {self.method}",
                "Pack the files again with deflate, the usual method of zip.",
            )
        elif self.method == STORED and self.packed_size != self.size:
            yield Objection(
                Code.MEMBER_SIZE,
                f"{self.packed_size} bytes stored for a file of {self.size} bytes",
                "Pack the files again.",
            )


@dataclass(frozen=True, slots=True)
class LocalHeader:
    """The header in front of one file's content."""

    raw_name: bytes
    flags: int
    method: int
    crc: int
    packed_size: int
    size: int
    extra: bytes

    @property
    def variable_bytes(self) -> int:
        return len(self.raw_name) + len(self.extra)

    def agrees_with(self, entry: ZipEntry) -> bool:
        same = (
            self.raw_name == entry.raw_name
            and self.flags == entry.flags
            and self.method == entry.method
        )
        sizes = (self.crc, self.packed_size, self.size)
        declared = (entry.crc, entry.packed_size, entry.size)
        known = sizes == declared or (entry.has_descriptor and sizes == (0, 0, 0))
        return same and known and not list(_extra_objections(self.extra))


def parse_directory(data: bytes, count: int) -> list[ZipEntry] | None:
    """The entries of the directory; None unless they fill ``data`` exactly."""
    entries = []
    at = 0
    for _ in range(count):
        if len(data) - at < _DIRECTORY.size or data[at : at + 4] != DIRECTORY_SIGNATURE:
            return None
        fields = _DIRECTORY.unpack_from(data, at)
        flags, method = fields[3:5]
        crc, packed_size, size, name_size, extra_size, comment_size = fields[7:13]
        disk, _internal, attributes, offset = fields[13:]
        name_at = at + _DIRECTORY.size
        extra_at = name_at + name_size
        at = extra_at + extra_size + comment_size
        if at > len(data):
            return None
        entries.append(
            ZipEntry(
                raw_name=data[name_at:extra_at],
                flags=flags,
                method=method,
                crc=crc,
                packed_size=packed_size,
                size=size,
                mode=attributes >> 16,
                dos_attributes=attributes & 0xFF,
                disk=disk,
                offset=offset,
                extra=data[extra_at : extra_at + extra_size],
            )
        )
    return entries if at == len(data) else None


def parse_local(read: Callable[[int], bytes]) -> LocalHeader | None:
    """The local header at the reader's place; None when there is none."""
    data = read(_LOCAL.size)
    if len(data) < _LOCAL.size or data[:4] != LOCAL_SIGNATURE:
        return None
    fields = _LOCAL.unpack(data)
    flags, method = fields[2:4]
    crc, packed_size, size, name_size, extra_size = fields[6:]
    raw_name = read(name_size)
    extra = read(extra_size)
    if len(raw_name) != name_size or len(extra) != extra_size:
        return None
    return LocalHeader(raw_name, flags, method, crc, packed_size, size, extra)


def _extra_objections(extra: bytes) -> Iterator[Objection]:
    at = 0
    while at < len(extra):
        if len(extra) - at < 4:
            break
        kind, size = struct.unpack_from("<2H", extra, at)
        at += 4 + size
        if kind in _OVERRIDING_EXTRAS:
            yield Objection(
                Code.ARCHIVE_FEATURE,
                f"an extra field with {_OVERRIDING_EXTRAS[kind]}",
                "Pack the files again with an ordinary zip program.",
            )
    if at != len(extra):
        yield Objection(
            Code.ARCHIVE_CORRUPT,
            "extra fields that do not end where they say",
            "Pack the files again with an ordinary zip program.",
        )
