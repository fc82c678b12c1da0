from __future__ import annotations

import hashlib
import threading

import pytest
from django.core.exceptions import ImproperlyConfigured
from django.core.files.base import ContentFile
from django.core.files.storage import storages

from leaderboard.blobs import (
    BlobMissingError,
    blob_exists,
    open_blob,
    read_blob,
    store_blob,
)
from leaderboard.config.env import storage_folder
from leaderboard.storage import WholeFileSystemStorage

CONTENT = b"the same bytes " * 100_000


@pytest.fixture
def storage(tmp_path, monkeypatch) -> WholeFileSystemStorage:
    found = WholeFileSystemStorage(location=tmp_path / "artifacts")
    monkeypatch.setitem(storages._storages, "artifacts", found)
    return found


def files(storage: WholeFileSystemStorage) -> list[str]:
    folder = storage.base_location
    return [path.name for path in folder.rglob("*") if path.is_file()]


def test_bytes_come_back_by_their_digest(storage):
    blob = store_blob(CONTENT)

    assert blob.sha256 == hashlib.sha256(CONTENT).hexdigest()
    assert blob.size_bytes == len(CONTENT)
    assert read_blob(blob.sha256) == CONTENT
    assert store_blob(CONTENT) == blob
    assert files(storage) == [blob.sha256]


def test_many_writers_of_the_same_bytes_leave_one_whole_file(storage):
    failures: list[Exception] = []

    def write() -> None:
        try:
            for _ in range(20):
                assert read_blob(store_blob(CONTENT).sha256) == CONTENT
        except (AssertionError, OSError, BlobMissingError) as error:
            failures.append(error)

    threads = [threading.Thread(target=write) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert failures == []
    assert len(files(storage)) == 1


def test_a_writer_that_dies_in_the_middle_leaves_nothing_under_the_name(storage):
    class Torn(ContentFile):
        def chunks(self, chunk_size=None):
            yield b"half"
            raise OSError("no space left on device")

    with pytest.raises(OSError, match="no space"):
        storage.save("ab/cd/abcd", Torn(b"half and half"))

    assert not storage.exists("ab/cd/abcd")
    assert files(storage) == []


def test_missing_bytes_are_named(storage):
    digest = "0" * 64

    assert not blob_exists(digest)
    with pytest.raises(BlobMissingError, match=digest):
        open_blob(digest)


@pytest.mark.parametrize("url", ["s3://bucket/prefix", "file://relative", "/folder"])
def test_a_storage_that_is_not_supported_is_refused_at_the_start(url):
    with pytest.raises(ImproperlyConfigured, match="OHB_STORAGE_URL"):
        storage_folder(url)
