"""The bytes of uploads on disk.

The size of the file is the offset. Nobody holds a lock while waiting for bytes, which
may never come: a writer takes it for one chunk and goes on only if the file still ends
where it left off. Of two writers one finds that it does not, and stops.
"""

from __future__ import annotations

import hashlib
import os
import secrets
import shutil
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from io import FileIO
from pathlib import Path
from uuid import UUID

from django.conf import settings

# Left free for everything else that writes to the same disk.
RESERVED_BYTES = 64 * 1024 * 1024

_PART = ".part"
_WHOLE = ".bundle"
_IN_USE = ".in-use"


class GoneError(Exception):
    """The bytes were removed."""


class MovedError(Exception):
    """The file does not end where the writer would go on: ``size`` is where it does."""

    def __init__(self, size: int) -> None:
        self.size = size
        super().__init__(size)


class NoSpaceError(Exception):
    """The disk has no room for this upload."""


class UploadFile:
    """The file of one upload: first a part that grows, then the whole."""

    def __init__(self, uuid: UUID) -> None:
        self.part = folder() / f"{uuid}{_PART}"
        self.whole = folder() / f"{uuid}{_WHOLE}"

    def create(self, length: int) -> None:
        folder().mkdir(parents=True, exist_ok=True)
        if shutil.disk_usage(folder()).free < length + RESERVED_BYTES:
            raise NoSpaceError
        self.part.touch(mode=0o600, exist_ok=False)

    def size(self) -> int:
        for path in (self.part, self.whole):
            try:
                return path.stat().st_size
            except FileNotFoundError:
                continue
        raise GoneError

    def append(
        self,
        chunks: Iterable[bytes],
        *,
        at: int,
        accept: Callable[[int], bool] = lambda _end: True,
    ) -> int:
        """Write ``chunks`` from ``at`` on and return where the file ends now.

        What was written stays when reading the chunks fails. ``accept`` is told the end
        that was reached and may say no: then all of it is taken back, unless it is only
        unfinished and another writer has gone on from there.
        """
        try:
            stream = self.part.open("r+b", buffering=0)
        except FileNotFoundError:
            raise MovedError(self.size()) from None
        with stream:
            end, finished = at, False
            try:
                for chunk in chunks:
                    end += self._write(stream, chunk, at=end)
                finished = True
            finally:
                if end > at and not accept(end):
                    self._take_back(
                        stream, to=at, unless_beyond=None if finished else end
                    )
                    end = at
        return end

    def close(self) -> None:
        """Make the part the whole; from here on nothing changes it."""
        try:
            with self.part.open("r+b", buffering=0) as stream, _locked(stream):
                self.part.rename(self.whole)
        except FileNotFoundError:
            if not self.whole.exists():
                raise GoneError from None

    def digest(self) -> str:
        try:
            with self.whole.open("rb", buffering=0) as stream:
                return hashlib.file_digest(stream, "sha256").hexdigest()
        except FileNotFoundError:
            raise GoneError from None

    @contextmanager
    def in_use(self) -> Iterator[Path]:
        """The whole under a name of its own, which no removal elsewhere takes away."""
        name = f"{self.whole.name}-{secrets.token_hex(4)}{_IN_USE}"
        link = self.whole.with_name(name)
        try:
            link.hardlink_to(self.whole)
        except FileNotFoundError:
            raise GoneError from None
        try:
            yield link
        finally:
            link.unlink(missing_ok=True)

    def remove(self) -> None:
        self.part.unlink(missing_ok=True)
        self.whole.unlink(missing_ok=True)

    def _write(self, stream: FileIO, chunk: bytes, *, at: int) -> int:
        with _locked(stream):
            self._check(stream)
            size = os.fstat(stream.fileno()).st_size
            if size != at:
                raise MovedError(size)
            try:
                stream.seek(at)
                rest = memoryview(chunk)
                while rest:
                    rest = rest[stream.write(rest) :]
            except OSError as error:
                raise NoSpaceError from error
        return len(chunk)

    def _take_back(self, stream: FileIO, *, to: int, unless_beyond: int | None) -> None:
        with _locked(stream):
            try:
                self._check(stream)
            except (GoneError, MovedError):
                return
            if unless_beyond is None or self.size() <= unless_beyond:
                stream.truncate(to)

    def _check(self, stream: FileIO) -> None:
        """Make sure that the open file still grows under this name."""
        try:
            same = os.path.samestat(os.fstat(stream.fileno()), self.part.stat())
        except FileNotFoundError:
            raise MovedError(self.size()) from None
        if not same:
            raise GoneError


def folder() -> Path:
    found: Path = settings.DATA_DIR / "uploads"
    return found


def stray_files(*, before: float) -> Iterator[tuple[Path, UUID]]:
    """Files untouched since ``before`` (Unix time), and whose they are."""
    for path in folder().glob("*"):
        try:
            uuid = UUID(path.name.partition(".")[0])
            if path.stat().st_mtime < before:
                yield path, uuid
        except (ValueError, FileNotFoundError):
            continue


@contextmanager
def _locked(stream: FileIO) -> Iterator[None]:
    # Windows has no such module: a device worker there loads this file, for nothing.
    import fcntl

    fcntl.flock(stream.fileno(), fcntl.LOCK_EX)
    try:
        yield
    finally:
        fcntl.flock(stream.fileno(), fcntl.LOCK_UN)
