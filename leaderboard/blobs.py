"""Stored bytes by their sha256: one copy, whatever the number of names."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from typing import BinaryIO, NamedTuple, cast

from django.core.files.base import ContentFile, File
from django.core.files.storage import Storage, storages

CHUNK_BYTES = 64 * 1024


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


def _storage() -> Storage:
    return storages["artifacts"]


def _name(sha256: str) -> str:
    return f"{sha256[:2]}/{sha256[2:4]}/{sha256}"


def store_blob(content: bytes) -> Blob:
    """Store ``content`` once and return its address. Safe to repeat."""
    blob = Blob(hashlib.sha256(content).hexdigest(), len(content))
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
        return cast(BinaryIO, _storage().open(_name(sha256), "rb"))
    except FileNotFoundError:
        raise BlobMissingError(sha256) from None


def read_blob(sha256: str) -> bytes:
    with open_blob(sha256) as handle:
        return handle.read()


def blob_exists(sha256: str) -> bool:
    return _storage().exists(_name(sha256))


def blob_chunks(sha256: str) -> Iterator[bytes]:
    with open_blob(sha256) as handle:
        while chunk := handle.read(CHUNK_BYTES):
            yield chunk
