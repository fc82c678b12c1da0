"""Unpacking the archive of a run: every file against its checksum, none outside.

The archive comes from a server that may be anybody's, so its names and sizes are not
trusted either.
"""

from __future__ import annotations

import hashlib
import re
import zipfile
import zlib
from pathlib import Path

from submissions.cli.errors import CliError, ExitCode

CHECKSUMS = "SHA256SUMS"
CHUNK_BYTES = 1024 * 1024
_SEGMENT = r"(?!\.{1,2}(?:/|$))[A-Za-z0-9._ +@=-]{1,200}"
_NAME = re.compile(rf"{_SEGMENT}(?:/{_SEGMENT}){{0,10}}")
_LINE = re.compile(r"(?P<digest>[0-9a-f]{64})  (?P<name>.+)")
_CHECKSUMS_BYTES = 64 * 1024 * 1024


def unpack(archive: Path, target: Path) -> int:
    """Write the files of the archive below ``target``, a new folder; return how many.

    Nothing is left of it when a single file does not match.
    """
    try:
        with zipfile.ZipFile(archive) as opened:
            return _unpack(opened, target)
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError) as error:
        raise _damaged(f"it is no sound zip ({error})") from None


def _unpack(archive: zipfile.ZipFile, target: Path) -> int:
    entries = {info.filename: info for info in archive.infolist()}
    if len(entries) != len(archive.infolist()):
        raise _damaged("it holds a name twice")
    sums = entries.pop(CHECKSUMS, None)
    if sums is None or sums.file_size > _CHECKSUMS_BYTES:
        raise _damaged(f"it holds no {CHECKSUMS}")
    data = archive.read(sums)
    expected = _expected(data)
    if expected.keys() != entries.keys():
        odd = sorted(expected.keys() ^ entries.keys())[0]
        raise _damaged(f"{odd!r} is not both in it and in its {CHECKSUMS}")
    for name, digest in expected.items():
        _write(archive, entries[name], target / name, digest)
    target.mkdir(parents=True, exist_ok=True)
    (target / CHECKSUMS).write_bytes(data)
    return len(expected)


def _expected(data: bytes) -> dict[str, str]:
    found = {}
    for line in data.decode("utf-8", "replace").splitlines():
        match = _LINE.fullmatch(line)
        if match is None or _NAME.fullmatch(match["name"]) is None:
            raise _damaged(f"its {CHECKSUMS} has the line {line[:80]!r}")
        found[match["name"]] = match["digest"]
    return found


def _write(
    archive: zipfile.ZipFile, entry: zipfile.ZipInfo, path: Path, digest: str
) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    hashing = hashlib.sha256()
    with archive.open(entry) as source, path.open("xb") as sink:
        while chunk := source.read(CHUNK_BYTES):
            hashing.update(chunk)
            sink.write(chunk)
    if hashing.hexdigest() != digest:
        raise _damaged(f"{entry.filename} does not match its checksum")


def _damaged(what: str) -> CliError:
    return CliError(
        f"The download is damaged: {what}. Nothing of it was kept; try again.",
        ExitCode.DAMAGED,
    )
