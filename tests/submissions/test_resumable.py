"""Uploads in parts: tus 1.0 as the server speaks it."""

from __future__ import annotations

import hashlib
import os
import threading
from datetime import timedelta
from io import BytesIO
from pathlib import Path
from uuid import UUID, uuid4

import pytest
from django.db import connection
from django.test import Client
from django.utils import timezone

from submissions.models import Scope, UploadSession
from submissions.resumable import files, sessions
from submissions.resumable.files import UploadFile
from submissions.tasks import remove_expired_uploads
from tests.factories import UserFactory
from tests.submissions.bundles import files_for, zipped
from tests.submissions.tus import (
    PART,
    TUS,
    UPLOADS,
    based,
    begin,
    begun,
    offset,
    send,
    sha256,
    uploaded,
)
from tests.tokens import api_client

DATA = bytes(range(256)) * 40


@pytest.fixture
def api(user) -> Client:
    return api_client(user)


def row_of(address: str) -> UploadSession:
    return UploadSession.objects.get(pk=UUID(address.removeprefix(UPLOADS).strip("/")))


def on_disk(data_dir: Path) -> list[str]:
    return sorted(path.suffix for path in (data_dir / "uploads").glob("*"))


def codes(answer) -> list[str]:
    return [each["code"] for each in answer.json()["errors"]]


def test_parts_come_together_to_the_same_bytes(api):
    address = begun(api, len(DATA), filename="b.zip", sha256=sha256(DATA))

    for at in range(0, len(DATA), 3000):
        assert offset(api, address) == at
        answer = send(api, address, DATA[at : at + 3000], at=at)
        assert answer.status_code == 204
    assert int(answer["Upload-Offset"]) == len(DATA)

    found = api.get(address).json()
    assert found["complete"] is True
    assert found["sha256"] == sha256(DATA)
    assert found["file_name"] == "b.zip"
    with sessions.as_path(row_of(address)) as path:
        assert path.read_bytes() == DATA


def test_what_the_server_speaks_is_told_by_options(api, settings):
    answer = api.options(UPLOADS)

    assert answer["Tus-Version"] == "1.0.0"
    assert answer["Tus-Extension"] == "creation,termination,checksum,expiration"
    assert answer["Tus-Max-Size"] == str(settings.UPLOAD_LIMIT_BYTES)


def test_another_version_of_tus_is_refused_with_the_known_one(api):
    answer = api.post(UPLOADS, headers={"Tus-Resumable": "0.2.2", "Upload-Length": "1"})

    assert answer.status_code == 412
    assert answer["Tus-Version"] == "1.0.0"


def test_the_limit_holds_before_any_byte_is_sent(api, settings, data_dir):
    settings.UPLOAD_LIMIT_BYTES = 1000

    answer = begin(api, 1001)

    assert answer.status_code == 413
    assert codes(answer) == ["upload-too-long"]
    assert on_disk(data_dir) == []


def test_a_full_disk_is_told_before_any_byte_is_sent(api, monkeypatch):
    monkeypatch.setattr(files, "RESERVED_BYTES", 2**62)

    answer = begin(api, 1)

    assert answer.status_code == 507
    assert UploadSession.objects.count() == 0


def test_a_wrong_offset_names_the_right_one(api):
    address = begun(api, len(DATA))
    send(api, address, DATA[:100])

    for at in (0, 99, 101):
        answer = send(api, address, DATA[at : at + 100], at=at)
        assert answer.status_code == 409
        assert "offset 100" in answer.json()["detail"]
    assert offset(api, address) == 100


def test_more_than_was_announced_is_refused(api):
    address = begun(api, 100)

    answer = send(api, address, bytes(101))

    assert answer.status_code == 413
    assert offset(api, address) == 0


def test_uploads_of_others_are_not_there(api, maintainer):
    address = begun(api, 100)

    for other in (api_client(UserFactory()), api_client(maintainer)):
        assert other.head(address, headers=TUS).status_code == 404
        assert other.get(address).status_code == 404
        assert send(other, address, bytes(10)).status_code == 404
        assert other.delete(address, headers=TUS).status_code == 404
        assert other.get(UPLOADS).json() == {"results": []}
    assert Client().get(address).status_code == 401
    assert offset(api, address) == 0


def test_a_token_to_read_uploads_nothing(user):
    answer = begin(api_client(user, Scope.READ), 100)

    assert answer.status_code == 403
    assert codes(answer) == ["token-scope"]


def test_a_token_to_submit_is_enough_for_an_upload(user):
    api = api_client(user, Scope.SUBMIT)
    address = begun(api, 10)

    assert send(api, address, bytes(4)).status_code == 204
    assert offset(api, address) == 4


def test_the_page_uploads_with_its_session_and_a_csrf_token(user):
    client = Client(enforce_csrf_checks=True)
    client.force_login(user)
    assert begin(client, 10).status_code == 403

    client.get("/submit/")
    token = client.cookies["csrftoken"].value
    headers = {**TUS, "Upload-Length": "10", "X-CSRFToken": token}
    answer = client.post(UPLOADS, headers=headers)
    assert answer.status_code == 201
    sent = {"Upload-Offset": "0", **TUS}
    address = answer["Location"]
    refused = client.patch(address, bytes(10), content_type=PART, headers=sent)
    assert refused.status_code == 403
    sent["X-CSRFToken"] = token
    taken = client.patch(address, bytes(10), content_type=PART, headers=sent)
    assert taken.status_code == 204


def test_a_whole_file_with_another_digest_is_removed(api, data_dir):
    address = begun(api, len(DATA), sha256="0" * 64)

    answer = send(api, address, DATA)

    assert answer.status_code == 460
    assert answer.json()["title"] == "Checksum Mismatch"
    assert codes(answer) == ["upload-digest"]
    assert sha256(DATA) in answer.json()["errors"][0]["saw"]
    assert api.head(address, headers=TUS).status_code == 404
    assert on_disk(data_dir) == []


@pytest.mark.parametrize("algorithm", ["sha256", "sha1"])
def test_a_damaged_part_is_dropped_and_may_come_again(api, algorithm):
    address = begun(api, len(DATA))
    send(api, address, DATA[:100])
    digest = based(hashlib.new(algorithm, DATA[100:300]).digest())
    checksum = f"{algorithm} {digest}"

    answer = send(api, address, bytes(200), at=100, checksum=checksum)
    assert answer.status_code == 460
    assert codes(answer) == ["upload-checksum"]
    assert offset(api, address) == 100

    answer = send(api, address, DATA[100:300], at=100, checksum=checksum)
    assert answer.status_code == 204
    assert offset(api, address) == 300


@pytest.mark.parametrize(
    ("header", "value"),
    [
        ("Upload-Length", "-1"),
        ("Upload-Length", ""),
        ("Upload-Length", "9" * 5000),
        ("Upload-Metadata", "filename not-base64!"),
        ("Upload-Metadata", "filename /w=="),
        ("Upload-Metadata", f"sha256 {based('abc')}"),
    ],
)
def test_headers_that_make_no_sense_are_named(api, header, value):
    headers = {**TUS, "Upload-Length": "1", header: value}

    answer = api.post(UPLOADS, headers=headers)

    assert answer.status_code == 400
    assert answer.json()["errors"][0]["where"] == header


@pytest.mark.parametrize("value", ["md5 abc", "sha256", "sha256 !!", "sha1 AAAA"])
def test_a_checksum_that_makes_no_sense_is_refused(api, value):
    address = begun(api, 10)

    answer = send(api, address, bytes(10), checksum=value)

    assert answer.status_code == 400
    assert offset(api, address) == 0


def test_a_part_of_another_type_is_refused(api):
    address = begun(api, 10)

    answer = api.patch(
        address,
        bytes(10),
        content_type="application/octet-stream",
        headers={**TUS, "Upload-Offset": "0"},
    )

    assert answer.status_code == 415


def test_a_post_may_stand_for_a_patch(api):
    address = begun(api, 10)
    headers = {**TUS, "Upload-Offset": "0", "X-HTTP-Method-Override": "PATCH"}

    answer = api.post(address, bytes(10), content_type=PART, headers=headers)

    assert answer.status_code == 204


def test_odd_names_of_files_are_kept_printable(api):
    address = begun(api, 10, filename="包 \0\n\x1b[2J.zip" + "x" * 400)

    found = api.get(address).json()["file_name"]
    assert found.startswith("包 [2J.zip")
    assert len(found) == 255


def test_an_upload_can_be_given_up(api, data_dir):
    address = begun(api, 10)

    assert api.delete(address, headers=TUS).status_code == 204
    assert api.head(address, headers=TUS).status_code == 404
    assert on_disk(data_dir) == []


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


# Submitting what was uploaded


@pytest.fixture
def bundle(snapshot) -> bytes:
    return zipped(files_for(snapshot))


def submit(api: Client, upload: str, **headers: str):
    return api.post(
        "/api/v1/submissions/",
        {"upload": upload},
        content_type="application/json",
        headers=headers,
    )


def test_an_upload_is_submitted_by_its_id_and_its_bytes_go(api, bundle, data_dir):
    upload = uploaded(api, bundle)

    answer = submit(api, upload)

    assert answer.status_code == 201, answer.content
    assert answer.json()["archive_sha256"] == sha256(bundle)
    assert on_disk(data_dir) == []


def test_the_id_may_come_in_a_form_as_well(api, bundle):
    answer = api.post("/api/v1/submissions/", {"upload": uploaded(api, bundle)})

    assert answer.status_code == 201, answer.content


def test_the_same_request_gets_the_same_answer_after_the_bytes_are_gone(api, bundle):
    upload = uploaded(api, bundle)
    headers = {"Idempotency-Key": "once"}

    first, second = submit(api, upload, **headers), submit(api, upload, **headers)

    assert (first.status_code, second.status_code) == (201, 201)
    assert first.json()["id"] == second.json()["id"]


def test_an_upload_is_used_once(api, bundle):
    upload = uploaded(api, bundle)
    submit(api, upload)

    answer = submit(api, upload)

    assert answer.status_code == 404
    assert codes(answer) == ["upload-missing"]


def test_an_unfinished_upload_is_not_submitted(api, bundle):
    address = begun(api, len(bundle))
    send(api, address, bundle[:-7])
    upload = address.removeprefix(UPLOADS).strip("/")

    answer = submit(api, upload)

    assert answer.status_code == 409
    assert answer.json()["errors"][0]["saw"] == "7 bytes are missing"
    send(api, address, bundle[-7:], at=len(bundle) - 7)
    assert submit(api, upload).status_code == 201


def test_a_foreign_upload_cannot_be_submitted(api, bundle, maintainer):
    upload = uploaded(api, bundle)

    answer = submit(api_client(maintainer), upload)

    assert answer.status_code == 400
    assert codes(answer) == ["upload-missing"]


def test_a_file_and_an_upload_at_once_are_refused(api, bundle):
    fields = {"upload": uploaded(api, bundle), "bundle": BytesIO(bundle)}

    for answer in (
        api.post("/api/v1/submissions/", fields),
        api.post("/api/v1/submissions/", {}),
    ):
        assert answer.status_code == 400
        assert answer.json()["errors"][0]["where"] == "bundle"


def test_a_refused_upload_is_not_kept_but_a_checked_one_is(api, bundle, data_dir):
    check = "/api/v1/submissions/validate/"

    answer = api.post(check, {"upload": uploaded(api, b"not an archive")})
    assert codes(answer) == ["archive-format"]
    assert on_disk(data_dir) == []

    upload = uploaded(api, bundle)
    assert api.post(check, {"upload": upload}).status_code == 200
    assert submit(api, upload).status_code == 201


def test_an_upload_over_quota_is_kept_for_later(api, bundle, settings, data_dir):
    settings.OHB_QUOTA_PER_MONTH = 0
    upload = uploaded(api, bundle)
    assert submit(api, upload).status_code == 429
    assert on_disk(data_dir) == [".bundle"]

    settings.OHB_QUOTA_PER_MONTH = 1
    assert submit(api, upload).status_code == 201


def test_a_large_body_of_json_is_not_read(api):
    answer = api.post(
        "/api/v1/submissions/", b" " * 2_000_000, content_type="application/json"
    )

    assert answer.status_code == 413
