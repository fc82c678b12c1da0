"""Uploads in parts: tus 1.0 as the server speaks it."""

from __future__ import annotations

import hashlib

import pytest
from django.test import Client

from submissions.models import Scope, UploadSession
from submissions.resumable import files, sessions
from tests.factories import UserFactory
from tests.submissions.tus import (
    PART,
    TUS,
    UPLOADS,
    based,
    begin,
    begun,
    codes,
    offset,
    on_disk,
    row_of,
    send,
    sha256,
)
from tests.tokens import api_client

DATA = bytes(range(256)) * 40


@pytest.fixture
def api(user) -> Client:
    return api_client(user)


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
        assert other.get(UPLOADS).json()["results"] == []
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
