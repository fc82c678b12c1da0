"""Reading a tar.gz as a stream: regular files under plain names, nothing else.

The tar header alone decides. Extensions that would give a member another name or
size are refused; those that carry times and owners are read and passed over.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import BinaryIO

from submissions.archive.inflate import GZIP, InflateError, inflate
from submissions.archive.limits import CHUNK_BYTES
from submissions.archive.names import NameBook
from submissions.archive.spool import (
    Budget,
    Member,
    MemberError,
    Spool,
    UnreadableError,
    too_large,
)
from submissions.archive.tar_headers import (
    BLOCK_BYTES,
    PAX_KINDS,
    REPACK,
    HeaderError,
    TarHeader,
    check_pax_records,
    parse_header,
)
from submissions.findings import Code, Findings, shown

GZIP_MAGIC = b"\x1f\x8b"

_ZERO_BLOCK = bytes(BLOCK_BYTES)
_MAX_PAX_BYTES = CHUNK_BYTES


class TarGzReader:
    """Reads one tar.gz into a spool, front to back and once."""

    def __init__(self, stream: BinaryIO, *, spool: Spool, findings: Findings) -> None:
        self.spool = spool
        self.findings = findings
        self.names = NameBook(findings)
        self.source = _Source(stream, budget=_tape_budget(spool.budget))
        self.entry_count = 0

    def read(self) -> list[Member]:
        members: list[Member] = []
        try:
            while (header := self.next_header()) is not None:
                member = self.take(header)
                if member is not None:
                    members.append(member)
            self.check_end()
        except InflateError as error:
            raise self.refusal(
                error.code,
                saw=error.saw,
                fix="Upload the whole file, made by tar in one go.",
            ) from None
        kept = self.names.settle()
        return [member for member in members if member.name in kept]

    def next_header(self) -> TarHeader | None:
        block = self.block()
        if block == _ZERO_BLOCK:
            return None
        self.entry_count += 1
        limit = self.spool.budget.limits.entries
        if self.entry_count > limit:
            raise self.refusal(
                Code.ARCHIVE_TOO_MANY_ENTRIES,
                saw=f"more than {limit} entries",
                fix=f"Keep the archive within {limit} entries.",
            )
        try:
            return parse_header(block)
        except HeaderError as error:
            raise self.refusal(error.code, saw=error.saw, fix=REPACK) from None

    def take(self, header: TarHeader) -> Member | None:
        """Store one entry's content, or pass over it and note why."""
        if header.kind in PAX_KINDS:
            self.pass_pax(header)
            return None
        admitted = self.names.admit(header.name, folder=header.is_folder)
        objection = header.objection()
        if objection is not None:
            code, saw, fix = objection
            self.findings.error(code, shown(header.name), saw=saw, fix=fix)
            if header.hides_what_follows:
                raise UnreadableError
        content = self.content(header.size)
        if not admitted or objection is not None or header.is_folder:
            for _ in content:
                pass
            return None
        try:
            limit = self.spool.budget.limits.member_bytes
            if header.size > limit:
                raise too_large(f"{header.size} bytes declared", limit)
            return self.spool.store(header.name, content)
        except MemberError as error:
            self.findings.error(
                error.code, shown(header.name), saw=error.saw, fix=error.fix
            )
            for _ in content:
                pass
            return None

    def content(self, size: int) -> Iterator[bytes]:
        left = size
        while left:
            chunk = self.source.read(min(left, CHUNK_BYTES))
            if not chunk:
                raise self.cut_short()
            left -= len(chunk)
            yield chunk
        if size % BLOCK_BYTES:
            self.exactly(BLOCK_BYTES - size % BLOCK_BYTES)

    def pass_pax(self, header: TarHeader) -> None:
        """Times and owners may be there; names, sizes and links may not."""
        if header.size > _MAX_PAX_BYTES:
            raise self.refusal(
                Code.ARCHIVE_FEATURE,
                saw=f"an extended header of {header.size} bytes",
                fix=REPACK,
            )
        data = b"".join(self.content(header.size))
        try:
            check_pax_records(data)
        except HeaderError as error:
            # Whom the record belongs to is open now: nothing after it can be trusted.
            raise self.refusal(
                error.code, shown(header.name), saw=error.saw, fix=REPACK
            ) from None

    def check_end(self) -> None:
        """A second block of zeros, zeros up to the end, and the end of the gzip."""
        if self.block() != _ZERO_BLOCK:
            raise self.refusal(
                Code.ARCHIVE_CORRUPT, saw="one end mark instead of two", fix=REPACK
            )
        while chunk := self.source.read(CHUNK_BYTES):
            if chunk.count(0) != len(chunk):
                raise self.refusal(
                    Code.ARCHIVE_EXTRA_DATA,
                    saw="data after the end of the tar",
                    fix=REPACK,
                )

    def block(self) -> bytes:
        return self.exactly(BLOCK_BYTES)

    def exactly(self, count: int) -> bytes:
        data = self.source.read(count)
        while len(data) < count:
            more = self.source.read(count - len(data))
            if not more:
                raise self.cut_short()
            data += more
        return data

    def cut_short(self) -> UnreadableError:
        return self.refusal(
            Code.ARCHIVE_TRUNCATED,
            saw="a tar that ends in the middle",
            fix="Upload the whole file; check its size against the original.",
        )

    def refusal(
        self, code: Code, where: str = "the archive", *, saw: str, fix: str
    ) -> UnreadableError:
        self.findings.error(code, where, saw=saw, fix=fix)
        return UnreadableError()


class _Source:
    """The unpacked tar as a stream; counts every byte before it is looked at."""

    def __init__(self, stream: BinaryIO, *, budget: Budget) -> None:
        packed = iter(lambda: stream.read(CHUNK_BYTES), b"")
        self.chunks = inflate(packed, window=GZIP)
        self.budget = budget
        self.rest = memoryview(b"")

    def read(self, count: int) -> bytes:
        """Between 1 and ``count`` bytes; none at the end."""
        if not self.rest:
            chunk = next(self.chunks, b"")
            self.budget.spend(len(chunk))
            self.rest = memoryview(chunk)
        data, self.rest = self.rest[:count], self.rest[count:]
        return bytes(data)


def _tape_budget(budget: Budget) -> Budget:
    """The whole tape has a budget too: skipped members and padding cost as well."""
    return Budget(
        budget.limits,
        archive_bytes=budget.archive_bytes,
        findings=budget.findings,
        allowance=budget.limits.entries * 2 * BLOCK_BYTES,
    )
