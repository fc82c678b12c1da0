"""Uploads in parts on disk: who writes, how they end, when they go."""

from __future__ import annotations

import os
import threading
from datetime import timedelta
from uuid import uuid4

import pytest
from django.db import connection
from django.test import Client
from django.utils import timezone

from submissions.models import UploadSession
from submissions.resumable import files, sessions
from submissions.resumable.files import UploadFile
from submissions.tasks import remove_expired_uploads
from tests.submissions.tus import (
    TUS,
    UPLOADS,
    begun,
    offset,
    on_disk,
    row_of,
    send,
    sha256,
    uploaded,
)
from tests.tokens import api_client

DATA = bytes(range(256)) * 40


@pytest.fixture
def api(user) -> Client:
    return api_client(user)


def test_an_abandoned_upload_expires(api, data_dir):
    address = begun(api, 10)
    old = timezone.now() - timedelta(hours=25)
    UploadSession.objects.update(touched_at=old)

    assert sessions.remove_expired() == 1

    assert api.head(address, headers=TUS).status_code == 404
    assert on_disk(data_dir) == []


def test_beat_removes_what_expired(api, settings):
    begun(api, 10)
    UploadSession.objects.update(touched_at=timezone.now() - timedelta(hours=25))
    names = {each["task"] for each in settings.CELERY_BEAT_SCHEDULE.values()}

    assert remove_expired_uploads.name in names
    remove_expired_uploads()

    assert UploadSession.objects.count() == 0


def test_files_that_no_upload_knows_are_swept_up(data_dir, user):
    known = sessions.begin(user, length=10)
    stray = files.folder() / f"{uuid4()}.bundle-12ab.in-use"
    stray.touch()
    old = (timezone.now() - timedelta(hours=49)).timestamp()
    for path in (stray, UploadFile(known.pk).part):
        os.utime(path, (old, old))

    sessions.remove_expired()

    assert on_disk(data_dir) == [".part"]


def test_parts_put_the_end_off(api):
    address = begun(api, 10)
    UploadSession.objects.update(touched_at=timezone.now() - timedelta(hours=23))

    send(api, address, bytes(5))

    assert row_of(address).expires_at > timezone.now() + timedelta(hours=23)
    assert sessions.remove_expired() == 0


def test_a_fifth_upload_makes_the_oldest_go(api, data_dir):
    addresses = [begun(api, 10) for _ in range(5)]

    assert api.head(addresses[0], headers=TUS).status_code == 404
    assert [offset(api, each) for each in addresses[1:]] == [0, 0, 0, 0]
    assert on_disk(data_dir) == [".part"] * 4


def test_of_parallel_parts_at_one_offset_only_one_wins(committed_db, user, settings):
    session = sessions.begin(user, length=4 * 1024 * 1024)
    ready = threading.Barrier(4)
    outcomes: list[str] = []

    def chunks(letter: bytes):
        for _ in range(64):
            yield letter * (64 * 1024)

    def write(letter: bytes) -> None:
        try:
            ready.wait()
            sessions.append(session, chunks(letter), at=0)
        except files.MovedError:
            outcomes.append("moved")
        else:
            outcomes.append(letter.decode())
        finally:
            connection.close()

    writers = [
        threading.Thread(target=write, args=(letter,))
        for letter in (b"a", b"b", b"c", b"d")
    ]
    for each in writers:
        each.start()
    for each in writers:
        each.join()

    assert outcomes.count("moved") == 3
    winner = next(each for each in outcomes if each != "moved")
    with sessions.as_path(UploadSession.objects.get()) as path:
        assert set(path.read_bytes()) == set(winner.encode())


def test_a_writer_that_comes_back_late_changes_nothing(user, data_dir):
    """Its connection stalled; meanwhile another one went on from where it was."""
    session = sessions.begin(user, length=300)

    def stalled():
        yield b"a" * 100
        sessions.append(session, [b"b" * 100], at=100)
        yield b"c" * 100

    with pytest.raises(files.MovedError):
        sessions.append(session, stalled(), at=0, accept=lambda _end: False)

    file = UploadFile(session.uuid)
    assert file.part.read_bytes() == b"a" * 100 + b"b" * 100


def test_a_writer_of_a_removed_upload_stops(user, data_dir):
    session = sessions.begin(user, length=300)

    def chunks():
        yield b"a" * 100
        sessions.forget(session)
        yield b"b" * 100

    with pytest.raises(files.GoneError):
        sessions.append(session, chunks(), at=0)
    assert on_disk(data_dir) == []


def test_an_upload_whose_last_process_died_is_ended_when_it_is_used(api):
    address = begun(api, 10)
    row = row_of(address)
    UploadFile(row.uuid).append([b"x" * 10], at=0)

    with sessions.as_path(row) as path:
        assert path.read_bytes() == b"x" * 10

    assert row_of(address).sha256 == sha256(b"x" * 10)


def test_a_file_in_use_outlives_its_removal(user, api):
    identifier = uploaded(api, DATA)
    session = UploadSession.objects.get(pk=identifier)

    with sessions.as_path(session) as path:
        sessions.discard(session)
        assert path.read_bytes() == DATA
    assert not path.exists()
    assert api.get(f"{UPLOADS}{identifier}/").json()["offset"] is None
