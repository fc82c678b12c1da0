"""Reading a zip strictly: one archive, one meaning, every byte accounted for.

The directory at the end and the header before each file must say the same, and the
files must follow each other from the first byte to the directory without a gap. The
standard library checks neither on the Python versions supported here.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterator
from typing import BinaryIO

from submissions.archive.inflate import RAW, InflateError, inflate
from submissions.archive.limits import CHUNK_BYTES, MIB
from submissions.archive.names import NameBook
from submissions.archive.spool import (
    Member,
    MemberError,
    Spool,
    UnreadableError,
    too_large,
)
from submissions.archive.zip_entries import (
    DESCRIPTOR_SIGNATURE,
    LOCAL_SIZE,
    STORED,
    ZipEntry,
    parse_directory,
    parse_local,
)
from submissions.findings import Code, Findings, shown

ZIP_MAGIC = b"PK"

_END = struct.Struct("<4s4H2LH")
_END_SIGNATURE = b"PK\x05\x06"
_ZIP64_LOCATOR = b"PK\x06\x07"
_ZIP64_LOCATOR_BYTES = 20
_MAX_COMMENT_BYTES = 65_535
_MAX_DIRECTORY_BYTES = 16 * MIB
_REPACK = "Pack the files again with an ordinary zip program."


class ZipReader:
    """Reads one zip of ``size`` bytes into a spool."""

    def __init__(
        self, stream: BinaryIO, size: int, *, spool: Spool, findings: Findings
    ) -> None:
        self.stream = stream
        self.size = size
        self.spool = spool
        self.findings = findings
        self.names = NameBook(findings)

    def read(self) -> list[Member]:
        entry_count, directory_at = self.find_directory()
        entries = self.read_directory(entry_count, directory_at)
        wanted = [entry for entry in entries if self.admit(entry)]
        self.check_sizes(wanted)
        self.check_layout(entries, directory_at)
        members = []
        for entry in wanted:
            try:
                members.append(self.spool.store(entry.name, self.content(entry)))
            except MemberError as error:
                self.findings.error(
                    error.code, shown(entry.name), saw=error.saw, fix=error.fix
                )
        kept = self.names.settle()
        return [member for member in members if member.name in kept]

    def find_directory(self) -> tuple[int, int]:
        """Number of entries and offset of the directory, from the last 22 bytes."""
        tail_size = min(self.size, _END.size + _MAX_COMMENT_BYTES)
        tail = self.at(self.size - tail_size, tail_size)
        if len(tail) < _END.size or tail[-_END.size :][:4] != _END_SIGNATURE:
            if _END_SIGNATURE in tail:
                raise self.refusal(
                    Code.ARCHIVE_EXTRA_DATA,
                    saw="a comment or other bytes after the end of the zip",
                    fix="Pack the files again without an archive comment.",
                )
            raise self.refusal(
                Code.ARCHIVE_TRUNCATED,
                saw="a zip without its directory at the end",
                fix="Upload the whole file; check its size against the original.",
            )
        end = _END.unpack(tail[-_END.size :])
        _, disk, first_disk, here, count, directory_size, offset, comment = end
        locator = tail[-_END.size - _ZIP64_LOCATOR_BYTES :][:4]
        if locator == _ZIP64_LOCATOR or 0xFFFF in (here, count) or offset == 2**32 - 1:
            raise self.refusal(
                Code.ARCHIVE_FEATURE,
                saw="the zip64 extension",
                fix="Pack the files again without zip64; no bundle is that large.",
            )
        if disk or first_disk or here != count:
            raise self.refusal(
                Code.ARCHIVE_FEATURE,
                saw="a zip in several parts",
                fix="Pack the files into a single zip.",
            )
        if comment:
            raise self.refusal(
                Code.ARCHIVE_TRUNCATED,
                saw=f"an archive comment of {comment} bytes that is cut off",
                fix=_REPACK,
            )
        limit = self.spool.budget.limits.entries
        if count > limit or directory_size > _MAX_DIRECTORY_BYTES:
            raise self.refusal(
                Code.ARCHIVE_TOO_MANY_ENTRIES,
                saw=f"{count} entries in a directory of {directory_size} bytes",
                fix=f"Keep the archive within {limit} entries.",
            )
        if offset + directory_size != self.size - _END.size:
            raise self.refusal(
                Code.ARCHIVE_EXTRA_DATA,
                saw="bytes before the zip, or between its directory and its end",
                fix=_REPACK,
            )
        return count, offset

    def read_directory(self, count: int, offset: int) -> list[ZipEntry]:
        data = self.at(offset, self.size - _END.size - offset)
        entries = parse_directory(data, count)
        if entries is None:
            raise self.refusal(
                Code.ARCHIVE_CORRUPT,
                saw=f"a zip directory that does not hold exactly {count} entries",
                fix=_REPACK,
            )
        return entries

    def admit(self, entry: ZipEntry) -> bool:
        """Whether the entry is a file to read; notes everything that speaks against."""
        named = self.names.admit(entry.name, folder=entry.is_folder)
        objections = entry.objections()
        for objection in objections:
            self.findings.error(
                objection.code,
                shown(entry.name),
                saw=objection.saw,
                fix=objection.fix,
            )
        limit = self.spool.budget.limits.member_bytes
        if entry.size > limit:
            error = too_large(f"{entry.size} bytes declared", limit)
            self.findings.error(
                error.code, shown(entry.name), saw=error.saw, fix=error.fix
            )
            return False
        return named and not objections and not entry.is_folder

    def check_sizes(self, entries: list[ZipEntry]) -> None:
        finding = self.spool.budget.verdict(sum(entry.size for entry in entries))
        if finding is not None:
            self.findings.add(finding)
            raise UnreadableError

    def check_layout(self, entries: list[ZipEntry], directory_at: int) -> None:
        """Local headers agree with the directory; the files lie side by side."""
        expected = 0
        for entry in sorted(entries, key=lambda entry: entry.offset):
            where = shown(entry.name)
            if entry.offset < expected:
                raise self.refusal(
                    Code.ARCHIVE_OVERLAP,
                    where,
                    saw="a file whose bytes belong to another one as well",
                    fix=_REPACK,
                )
            if entry.offset > expected:
                raise self.gap_before(where)
            expected = self.check_local(entry, directory_at)
        if expected > directory_at:
            raise self.refusal(
                Code.ARCHIVE_OVERLAP,
                saw="a file that runs into the directory of the zip",
                fix=_REPACK,
            )
        if expected < directory_at:
            raise self.gap_before("the directory of the zip")

    def gap_before(self, where: str) -> UnreadableError:
        return self.refusal(
            Code.ARCHIVE_EXTRA_DATA,
            where,
            saw="bytes before it that belong to no file",
            fix=_REPACK,
        )

    def check_local(self, entry: ZipEntry, directory_at: int) -> int:
        """Compare the entry's local header; return where the entry ends."""
        self.stream.seek(entry.offset)
        local = parse_local(self.stream.read)
        if local is None or not local.agrees_with(entry):
            raise self.refusal(
                Code.ARCHIVE_HEADER_MISMATCH,
                shown(entry.name),
                saw="a header that says something else than the directory",
                fix=_REPACK,
            )
        entry.data_at = entry.offset + LOCAL_SIZE + local.variable_bytes
        end = entry.data_at + entry.packed_size
        if end > directory_at or not entry.has_descriptor:
            return end
        found = self.at(end, 16)
        for descriptor in (DESCRIPTOR_SIGNATURE + entry.descriptor, entry.descriptor):
            if found.startswith(descriptor):
                return end + len(descriptor)
        raise self.refusal(
            Code.ARCHIVE_HEADER_MISMATCH,
            shown(entry.name),
            saw="sizes after the file that differ from the directory",
            fix=_REPACK,
        )

    def content(self, entry: ZipEntry) -> Iterator[bytes]:
        """The unpacked bytes, checked against declared size and CRC at the end."""
        size = 0
        checksum = 0
        chunks = self.packed(entry)
        if entry.method != STORED:
            chunks = inflate(chunks, window=RAW)
        try:
            for chunk in chunks:
                size += len(chunk)
                if size > entry.size:
                    break
                checksum = zlib.crc32(chunk, checksum)
                yield chunk
        except InflateError as error:
            raise MemberError(error.code, saw=error.saw, fix=_REPACK) from None
        if size != entry.size:
            more = "more than " if size > entry.size else f"{size} instead of "
            raise MemberError(
                Code.MEMBER_SIZE,
                saw=f"{more}the declared {entry.size} bytes",
                fix=_REPACK,
            )
        if checksum != entry.crc:
            raise MemberError(
                Code.ARCHIVE_CORRUPT,
                saw="content that does not match its checksum",
                fix="Pack and upload again; the file was damaged on its way.",
            )

    def packed(self, entry: ZipEntry) -> Iterator[bytes]:
        self.stream.seek(entry.data_at)
        left = entry.packed_size
        while left:
            chunk = self.stream.read(min(left, CHUNK_BYTES))
            if not chunk:
                return
            left -= len(chunk)
            yield chunk

    def at(self, offset: int, count: int) -> bytes:
        self.stream.seek(offset)
        return self.stream.read(count)

    def refusal(
        self, code: Code, where: str = "the archive", *, saw: str, fix: str
    ) -> UnreadableError:
        self.findings.error(code, where, saw=saw, fix=fix)
        return UnreadableError()
