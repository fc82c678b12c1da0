"""Packing a folder the way the reader wants it."""

from __future__ import annotations

import os
import stat
import zipfile
from collections.abc import Iterable, Iterator
from pathlib import Path

from submissions.archive.limits import CHUNK_BYTES, ArchiveLimits
from submissions.archive.names import NameBook
from submissions.archive.reader import ArchiveError
from submissions.findings import Code, Findings, shown

_EPOCH = (1980, 1, 1, 0, 0, 0)
_REGULAR_644 = (stat.S_IFREG | 0o644) << 16
_UNIX = 3


def pack_folder(
    folder: Path,
    target: Path,
    *,
    limits: ArchiveLimits | None = None,
    findings: Findings | None = None,
) -> Path:
    """Write the bundle in ``folder`` to the zip ``target`` and return ``target``.

    The same files give the same bytes: names are sorted and times are fixed. Links,
    special files and foreign names are refused all at once; what nobody would read of
    a Harbor job is left out. ``target`` must be new.

    With ``findings`` what is refused is noted there and the rest is packed, so that it
    can be checked as well.
    """
    limits = limits or ArchiveLimits()
    tolerant, findings = findings is not None, findings or Findings()
    if not folder.is_dir():
        findings.error(
            Code.ARCHIVE_FORMAT,
            str(folder),
            saw="no folder",
            fix="Give the folder that holds manifest.json.",
        )
        raise ArchiveError(findings.all())
    names = _names(folder, findings=findings, limits=limits)
    if findings.error_count and not tolerant:
        raise ArchiveError(findings.all())
    write_zip(target, ((name, folder / name) for name in sorted(names)))
    return target


def write_zip(target: Path, files: Iterable[tuple[str, Path]]) -> None:
    """Write files under their names, in the given order, to the new file ``target``."""
    with target.open("xb") as stream, zipfile.ZipFile(stream, "w") as archive:
        for name, path in files:
            _add(archive, name, path)


def _names(folder: Path, *, findings: Findings, limits: ArchiveLimits) -> list[str]:
    names: list[str] = []
    book = NameBook(findings)
    for entry, name in _walk(folder, ""):
        if len(names) >= limits.entries:
            findings.error(
                Code.ARCHIVE_TOO_MANY_ENTRIES,
                str(folder),
                saw=f"more than {limits.entries} files",
                fix=f"Keep the bundle within {limits.entries} files.",
            )
            break
        if not book.admit(name, folder=False):
            continue
        status = entry.stat(follow_symlinks=False)
        if not stat.S_ISREG(status.st_mode):
            findings.error(
                Code.MEMBER_KIND,
                shown(name),
                saw="a link, device or pipe",
                fix="Put the file itself in its place.",
            )
        elif status.st_size > limits.member_bytes:
            findings.error(
                Code.MEMBER_TOO_LARGE,
                shown(name),
                saw=f"{status.st_size} bytes",
                fix=f"Keep each file within {limits.member_bytes} bytes.",
            )
        else:
            names.append(name)
    kept = book.settle()
    return [name for name in names if name in kept]


def _walk(folder: Path, prefix: str) -> Iterator[tuple[os.DirEntry[str], str]]:
    """Every file below ``folder`` with its slash-separated name, links not followed."""
    with os.scandir(folder) as entries:
        found = sorted(entries, key=lambda entry: entry.name)
    for entry in found:
        name = prefix + entry.name
        if entry.is_dir(follow_symlinks=False):
            yield from _walk(Path(entry.path), f"{name}/")
        else:
            yield entry, name


def _add(archive: zipfile.ZipFile, name: str, path: Path) -> None:
    info = zipfile.ZipInfo(name, date_time=_EPOCH)
    info.compress_type = zipfile.ZIP_DEFLATED
    info.create_system = _UNIX
    info.external_attr = _REGULAR_644
    handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW)
    with os.fdopen(handle, "rb") as source, archive.open(info, "w") as sink:
        while chunk := source.read(CHUNK_BYTES):
            sink.write(chunk)
