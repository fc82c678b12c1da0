"""One door for every kind of uploaded archive."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from submissions.archive.limits import ArchiveLimits
from submissions.archive.spool import Budget, Member, Spool, UnreadableError
from submissions.archive.targz import GZIP_MAGIC, TarGzReader
from submissions.archive.zip import ZIP_MAGIC, ZipReader
from submissions.findings import Code, Finding, Findings, FindingsError, shown


class ArchiveError(FindingsError):
    """The archive is refused.

    ``members`` holds what could be read all the same, so that one report can speak
    of the contents too; it is empty when the structure itself cannot be trusted.
    """

    def __init__(
        self, findings: Iterable[Finding], members: Iterable[Member] = ()
    ) -> None:
        super().__init__(findings)
        self.members = list(members)


def open_bundle(
    path: Path, *, spool: Path, limits: ArchiveLimits | None = None
) -> list[Member]:
    """Read a zip or tar.gz and put its files into ``spool`` by their SHA-256.

    Members come in the order of the archive. On ``ArchiveError`` without members
    nothing new is left in the spool.
    """
    limits = limits or ArchiveLimits()
    findings = Findings()
    try:
        members = _read(path, spool=spool, limits=limits, findings=findings)
    except UnreadableError:
        raise ArchiveError(findings.all()) from None
    if findings.error_count:
        raise ArchiveError(findings.all(), members)
    return members


def _read(
    path: Path, *, spool: Path, limits: ArchiveLimits, findings: Findings
) -> list[Member]:
    if not path.is_file():
        findings.error(
            Code.ARCHIVE_FORMAT,
            "the archive",
            saw="no regular file",
            fix="Give a zip or tar.gz file; pack a folder first.",
        )
        raise UnreadableError
    size = path.stat().st_size
    if size > limits.upload_bytes:
        findings.error(
            Code.ARCHIVE_TOO_LARGE,
            "the archive",
            saw=f"{size} bytes",
            fix=f"Keep the upload within {limits.upload_bytes} bytes.",
        )
        raise UnreadableError
    budget = Budget(limits, archive_bytes=size, findings=findings)
    with path.open("rb") as stream, Spool(spool, budget=budget) as store:
        magic = stream.read(4)
        stream.seek(0)
        if magic.startswith(GZIP_MAGIC):
            return TarGzReader(stream, spool=store, findings=findings).read()
        if magic.startswith(ZIP_MAGIC):
            return ZipReader(stream, size, spool=store, findings=findings).read()
        findings.error(
            Code.ARCHIVE_FORMAT,
            "the archive",
            saw=f"a file that begins with {shown(magic)}" if magic else "no content",
            fix="Upload a .zip or a .tar.gz file.",
        )
        raise UnreadableError
