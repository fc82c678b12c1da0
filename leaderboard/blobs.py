"""Stored bytes by their sha256: one copy, whatever the number of names."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import BinaryIO, NamedTuple, cast

from django.core.files.base import ContentFile, File
from django.core.files.storage import storages

from leaderboard.storage import WholeFileSystemStorage

CHUNK_BYTES = 64 * 1024
# Where bytes wait that nobody seems to need; whoever asks for them gets them back.
ASIDE = "aside"


class Blob(NamedTuple):
    sha256: str
    size_bytes: int


class BlobMissingError(LookupError):
    """The bytes of a digest are not in the artifact storage."""

    def __init__(self, sha256: str) -> None:
        self.sha256 = sha256
        super().__init__(
            f"The file with digest {sha256} is not in the artifact storage. "
            "Check OHB_STORAGE_URL, or restore the file from a backup."
        )


def _storage() -> WholeFileSystemStorage:
    return cast(WholeFileSystemStorage, storages["artifacts"])


def storage_folder() -> Path:
    """Where the blobs lie on this machine."""
    return Path(_storage().location)


def _name(sha256: str) -> str:
    return f"{sha256[:2]}/{sha256[2:4]}/{sha256}"


def _name_aside(sha256: str) -> str:
    return f"{ASIDE}/{_name(sha256)}"


def blob_of(content: bytes) -> Blob:
    """The address that ``content`` would have; nothing is stored."""
    return Blob(hashlib.sha256(content).hexdigest(), len(content))


def store_blob(content: bytes) -> Blob:
    """Store ``content`` once and return its address. Safe to repeat."""
    blob = blob_of(content)
    _store(ContentFile(content), blob)
    return blob


def store_file(handle: BinaryIO) -> Blob:
    """Store an open, seekable file once and return its address."""
    handle.seek(0)
    digest, size = hashlib.sha256(), 0
    while chunk := handle.read(CHUNK_BYTES):
        digest.update(chunk)
        size += len(chunk)
    handle.seek(0)
    blob = Blob(digest.hexdigest(), size)
    _store(File(handle), blob)
    return blob


def _store(content: File[bytes], blob: Blob) -> None:
    storage, name = _storage(), _name(blob.sha256)
    if not storage.exists(name):
        storage.save(name, content)


def open_blob(sha256: str) -> BinaryIO:
    """Open stored bytes for reading; raises :class:`BlobMissingError`."""
    try:
        return _opened(sha256)
    except FileNotFoundError:
        if bring_back(sha256):
            return _opened(sha256)
        raise BlobMissingError(sha256) from None


def _opened(sha256: str) -> BinaryIO:
    return cast(BinaryIO, _storage().open(_name(sha256), "rb"))


def read_blob(sha256: str) -> bytes:
    with open_blob(sha256) as handle:
        return handle.read()


def blob_exists(sha256: str) -> bool:
    return _storage().exists(_name(sha256)) or bring_back(sha256)


def blob_chunks(sha256: str) -> Iterator[bytes]:
    with open_blob(sha256) as handle:
        while chunk := handle.read(CHUNK_BYTES):
            yield chunk


class StoredBlob(NamedTuple):
    """A blob in the storage; ``since`` is when it was written, or set aside."""

    sha256: str
    size_bytes: int
    since: datetime


def stored_blobs(*, aside: bool = False) -> Iterator[StoredBlob]:
    """Every blob in its place, or every one that was set aside. In no order."""
    storage, top = _storage(), ASIDE if aside else ""
    for first in _folders(top):
        for second in _folders(f"{top}/{first}".lstrip("/")):
            folder = f"{top}/{first}/{second}".lstrip("/")
            for name in storage.listdir(folder)[1]:
                try:
                    place = f"{folder}/{name}"
                    since = storage.get_modified_time(place)
                    yield StoredBlob(name, storage.size(place), since)
                except FileNotFoundError:
                    continue


def _folders(folder: str) -> list[str]:
    """The folders by the first digits of digests; what else lies there is not ours."""
    try:
        names, _ = _storage().listdir(folder)
    except FileNotFoundError:
        return []
    return sorted(name for name in names if len(name) == 2)


def set_aside(sha256: str) -> bool:
    """Take a blob out of its place. It is found all the same until it is removed.

    A writer of the same bytes does not find it, and writes them anew.
    """
    storage = _storage()
    try:
        storage.touch(_name(sha256))
        storage.move(_name(sha256), _name_aside(sha256))
    except FileNotFoundError:
        return False
    return True


def bring_back(sha256: str) -> bool:
    """Put a blob back that was set aside; False if there is none."""
    try:
        _storage().move(_name_aside(sha256), _name(sha256))
    except FileNotFoundError:
        return False
    return True


def remove_aside(sha256: str) -> None:
    """Remove for good what was set aside."""
    _storage().delete(_name_aside(sha256))
