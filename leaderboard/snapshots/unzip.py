"""Unpacks a zipped task package, into files and folders below one folder only."""

from __future__ import annotations

import stat
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from django.conf import settings

from leaderboard.snapshots.faults import Faults, PackageError, shown
from leaderboard.trees import EXECUTABLE, REGULAR, set_mode

_CHUNK_BYTES = 64 * 1024
_METHODS = {zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED}


@contextmanager
def unzipped(archive: Path) -> Iterator[Path]:
    """The package in ``archive``, unpacked to a temporary folder.

    Raises PackageError with every member that a package cannot have.
    """
    with TemporaryDirectory(prefix="ohb-package-") as top:
        target = Path(top, "package")
        target.mkdir()
        try:
            with zipfile.ZipFile(archive) as members:
                _require_sound(archive.name, members.infolist())
                _write(archive.name, members, target)
        except (zipfile.BadZipFile, NotImplementedError, EOFError, RuntimeError) as bad:
            faults = Faults()
            faults.add(
                archive.name,
                "",
                saw=f"a file that cannot be unpacked ({bad})",
                fix="Pack it anew.",
            )
            raise PackageError(faults.found) from None
        yield _top_of(target)


def _top_of(folder: Path) -> Path:
    """The folder with snapshot.json: the top, or the one folder that is there."""
    inside = list(folder.iterdir())
    if not (folder / "snapshot.json").exists() and len(inside) == 1:
        return inside[0] if inside[0].is_dir() else folder
    return folder


def _require_sound(name: str, members: list[zipfile.ZipInfo]) -> None:
    faults = Faults()
    seen: set[str] = set()
    for member in members:
        if problem := _problem(member, seen):
            faults.add(
                name, shown(member.filename), saw=problem, fix="Pack it without that."
            )
        seen.add(member.filename.casefold())
    total = sum(member.file_size for member in members)
    if len(members) > settings.PACKAGE_FILE_COUNT_LIMIT:
        faults.add(
            name,
            "",
            saw=f"{len(members)} files",
            fix=f"Pack {settings.PACKAGE_FILE_COUNT_LIMIT} at most.",
        )
    if total > settings.PACKAGE_LIMIT_BYTES:
        faults.add(
            name,
            "",
            saw=f"{total} bytes unpacked",
            fix=f"{settings.PACKAGE_LIMIT_BYTES} are allowed (OHB_PACKAGE_LIMIT_MIB).",
        )
    if faults.found:
        raise PackageError(faults.found)


def _problem(member: zipfile.ZipInfo, seen: set[str]) -> str:
    """What is wrong with a member; empty if nothing is."""
    parts = member.filename.removesuffix("/").split("/")
    kind = stat.S_IFMT(member.external_attr >> 16)
    if {"", ".", ".."} & set(parts) or "\\" in member.filename or "\0" in str(parts):
        return "a name that leads out of the package"
    if member.filename.casefold() in seen:
        return "the same name twice"
    if kind not in {0, stat.S_IFREG, stat.S_IFDIR}:
        return "a link or a special file"
    if member.flag_bits & 1:
        return "an encrypted file"
    if member.compress_type not in _METHODS:
        return "another compression than deflate"
    return ""


def _write(name: str, members: zipfile.ZipFile, target: Path) -> None:
    """Write the files; a member that is larger than it says ends in BadZipFile."""
    left = settings.PACKAGE_LIMIT_BYTES
    for member in members.infolist():
        path = target / member.filename
        if member.is_dir():
            path.mkdir(parents=True, exist_ok=True)
            continue
        path.parent.mkdir(parents=True, exist_ok=True)
        with members.open(member) as source, path.open("xb") as copy:
            while chunk := source.read(_CHUNK_BYTES):
                left -= len(chunk)
                if left < 0:
                    raise zipfile.BadZipFile(f"{name} is larger than it says")
                copy.write(chunk)
        executable = member.external_attr >> 16 & stat.S_IXUSR
        set_mode(path, EXECUTABLE if executable else REGULAR)
