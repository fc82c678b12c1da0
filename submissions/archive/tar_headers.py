"""The records of a tar: one header block, one list of pax records."""

from __future__ import annotations

import re
from dataclasses import dataclass

from submissions.findings import Code, plain, shown

BLOCK_BYTES = 512
REPACK = "Pack again: tar --format=ustar -czf bundle.tar.gz manifest.json runs"
PAX_KINDS = frozenset({b"x", b"g"})

_REGULAR = frozenset({b"0", b"\0"})
_FOLDER = b"5"
_WITHOUT_CONTENT = frozenset({b"1", b"2", b"3", b"4", b"5", b"6"})
_KINDS = {
    b"1": "a hard link",
    b"2": "a symbolic link",
    b"3": "a character device",
    b"4": "a block device",
    b"6": "a named pipe",
    b"7": "a contiguous file",
    b"S": "a sparse file",
    b"L": "an entry with a GNU long name",
    b"K": "an entry with a GNU long link name",
    b"M": "a part of a multi-volume archive",
    b"V": "a volume label",
}
_POSIX_MAGIC = b"ustar\x0000"
_GNU_MAGIC = b"ustar  \x00"
_OCTAL = re.compile(rb" *([0-7]+)[ \0]*")
_SPECIAL_BITS = 0o7000
_CHECKSUM = slice(148, 156)

# What pax records may say: nothing that changes which bytes belong to which name.
_HARMLESS_PAX = re.compile(
    r"mtime|atime|ctime|uid|gid|uname|gname|comment"
    r"|LIBARCHIVE\.(?:creationtime|xattr\..+)"
    r"|SCHILY\.(?:dev|ino|nlink|fflags|xattr\..+)"
)


class HeaderError(Exception):
    """The tar cannot be followed any further."""

    def __init__(self, code: Code, saw: str) -> None:
        self.code = code
        self.saw = saw
        super().__init__(saw)


@dataclass(frozen=True, slots=True)
class TarHeader:
    """One entry: name, kind, permissions, size in bytes."""

    name: str
    kind: bytes
    mode: int
    size: int
    has_link_name: bool

    @property
    def is_folder(self) -> bool:
        return self.kind == _FOLDER

    @property
    def hides_what_follows(self) -> bool:
        """Whether readers disagree on where the next header begins, or on its name."""
        return self.kind not in _REGULAR and (
            self.kind not in _WITHOUT_CONTENT or self.size > 0
        )

    def objection(self) -> tuple[Code, str, str] | None:
        """Code, what was seen and the fix, for an entry that is not a plain file."""
        if self.is_folder and not self.size:
            return None
        if self.kind not in _REGULAR:
            return (
                Code.MEMBER_KIND,
                _KINDS.get(self.kind, f"an entry of the kind {shown(self.kind)}"),
                f"Replace links by the files they point to. {REPACK}",
            )
        if self.has_link_name:
            return (
                Code.MEMBER_KIND,
                "a file that names a link target",
                REPACK,
            )
        if self.mode & _SPECIAL_BITS:
            return (
                Code.MEMBER_KIND,
                f"a file with the special mode {self.mode:o}",
                "Set ordinary permissions: chmod 644.",
            )
        return None


def parse_header(block: bytes) -> TarHeader:
    """Read one header block; raise ``HeaderError`` when it is not one."""
    magic = block[257:265]
    if magic not in (_POSIX_MAGIC, _GNU_MAGIC):
        raise HeaderError(Code.ARCHIVE_FORMAT, "content that is not a tar")
    blanked = bytearray(block)
    blanked[_CHECKSUM] = b" " * 8
    if _octal(block[_CHECKSUM]) != sum(blanked):
        raise HeaderError(Code.ARCHIVE_CORRUPT, "a tar header with a wrong checksum")
    prefix = b"" if magic == _GNU_MAGIC else block[345:500]
    name = _text(block[0:100])
    if any(prefix):
        name = f"{_text(prefix)}/{name}"
    return TarHeader(
        name=name,
        kind=block[156:157],
        mode=_octal(block[100:108]),
        size=_octal(block[124:136]),
        has_link_name=any(block[157:257]),
    )


def check_pax_records(data: bytes) -> None:
    """Raise ``HeaderError`` unless every record is harmless."""
    at = 0
    while at < len(data):
        match = re.compile(rb"([1-9][0-9]{0,5}) ").match(data, at)
        end = at + int(match[1]) if match else 0
        if match is None or end > len(data) or end <= match.end():
            raise HeaderError(Code.ARCHIVE_CORRUPT, "a damaged extended header")
        record = data[match.end() : end]
        key, equals, _value = record.partition(b"=")
        if not equals or not record.endswith(b"\n"):
            raise HeaderError(Code.ARCHIVE_CORRUPT, "a damaged extended header")
        word = key.decode("utf-8", "backslashreplace")
        if _HARMLESS_PAX.fullmatch(word) is None:
            raise HeaderError(
                Code.ARCHIVE_FEATURE,
                f"an extended header that sets {plain(word, limit=40)}",
            )
        at = end


def _text(field: bytes) -> str:
    """A zero-terminated name; bytes hidden behind the terminator stay visible."""
    return field.rstrip(b"\0").decode("utf-8", "backslashreplace")


def _octal(field: bytes) -> int:
    match = _OCTAL.fullmatch(field)
    if match is None:
        raise HeaderError(
            Code.ARCHIVE_CORRUPT, f"a tar header with the number {shown(field)}"
        )
    return int(match[1], 8)
