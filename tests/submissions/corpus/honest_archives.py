"""Archives as ordinary tools write them, which must be accepted."""

from __future__ import annotations

import io
import tarfile
import zipfile
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

from submissions.archive import pack_folder
from tests.submissions.corpus.contents import files
from tests.submissions.corpus.tars import gzipped

EPOCH = (2026, 11, 1, 12, 0, 0)


class _Unseekable(io.RawIOBase):
    """A target like a pipe: the zip writer must put sizes behind each file."""

    def __init__(self) -> None:
        self.data = bytearray()

    def writable(self) -> bool:
        return True

    def write(self, data: bytes) -> int:  # type: ignore[override]  # bytes suffice
        self.data += data
        return len(data)


def honest_archives() -> Iterator[tuple[str, bytes]]:
    yield "zip-deflated.zip", _zip(zipfile.ZIP_DEFLATED)
    yield "zip-stored.zip", _zip(zipfile.ZIP_STORED)
    yield "zip-with-folders.zip", _zip(zipfile.ZIP_DEFLATED, folders=True)
    yield "zip-streamed.zip", _streamed()
    yield "zip-packed-here.zip", _packed()
    yield "tar-gnu.tar.gz", _tar(tarfile.GNU_FORMAT)
    yield "tar-pax-times.tar.gz", _tar(tarfile.PAX_FORMAT, mtime=1_790_000_000.25)
    yield "tar-ustar-folders.tar.gz", _tar(tarfile.USTAR_FORMAT, folders=True)
    yield "patches-only.zip", _zip(zipfile.ZIP_DEFLATED, only=("json", "final.patch"))


def _zip(method: int, *, folders: bool = False, only: tuple[str, ...] = ("",)) -> bytes:
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", method) as archive:
        if folders:
            for name in ("runs/", "runs/1/", "runs/1/alpha-task/"):
                info = zipfile.ZipInfo(name, EPOCH)
                info.external_attr = 0o040755 << 16 | 0x10
                archive.writestr(info, b"")
        for name, data in files().items():
            if (
                name == "manifest.json"
                or (name.endswith(only) and not name.endswith("usage.json"))
                or only == ("",)
            ):
                archive.writestr(zipfile.ZipInfo(name, EPOCH), data, method)
    return target.getvalue()


def _streamed() -> bytes:
    target = _Unseekable()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:  # type: ignore[arg-type]  # only write() is needed
        for name, data in files().items():
            info = zipfile.ZipInfo(name, EPOCH)
            archive.writestr(info, data, zipfile.ZIP_DEFLATED)
    return bytes(target.data)


def _packed() -> bytes:
    with TemporaryDirectory() as folder:
        root = Path(folder, "bundle")
        for name, data in files().items():
            path = root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
        return pack_folder(root, Path(folder, "bundle.zip")).read_bytes()


def _tar(style: int, *, mtime: float = 1_790_000_000, folders: bool = False) -> bytes:
    target = io.BytesIO()
    with tarfile.open(fileobj=target, mode="w", format=style) as archive:
        if folders:
            for name in ("runs", "runs/1", "runs/1/alpha-task"):
                info = tarfile.TarInfo(name)
                info.type = tarfile.DIRTYPE
                archive.addfile(info)
        for name, data in files().items():
            info = tarfile.TarInfo(name)
            info.size = len(data)
            info.mtime = mtime  # type: ignore[assignment]  # what a file system gives
            info.uname = "someone"
            archive.addfile(info, io.BytesIO(data))
    return gzipped(target.getvalue())
