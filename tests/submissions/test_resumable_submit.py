"""Submitting what was uploaded in parts, through the API and the page."""

from __future__ import annotations

import json
import re
from io import BytesIO
from uuid import uuid4

import pytest
from django.test import Client

from submissions.models import Submission
from tests.submissions.bundles import files_for, zipped
from tests.submissions.tus import UPLOADS, begun, codes, on_disk, send, sha256, uploaded
from tests.tokens import api_client


@pytest.fixture
def api(user) -> Client:
    return api_client(user)


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
    refused = submit(api, upload)
    assert refused.status_code == 429
    assert "an upload in parts waits until it expires" in refused.json()["detail"]
    assert on_disk(data_dir) == [".bundle"]

    settings.OHB_QUOTA_PER_MONTH = 1
    assert submit(api, upload).status_code == 201


def test_the_page_says_that_a_limit_is_no_fault_of_the_bundle(
    signed_in, api, bundle, settings
):
    settings.OHB_QUOTA_PER_MONTH = 0
    answer = signed_in.post(
        "/submit/", {"upload": uploaded(api, bundle), "submit": "1"}
    )

    assert answer.status_code == 429
    assert "waits until it expires" in answer.content.decode()
    assert "Correct all of it" not in answer.content.decode()


def test_a_large_body_of_json_is_not_read(api):
    answer = api.post(
        "/api/v1/submissions/", b" " * 2_000_000, content_type="application/json"
    )

    assert answer.status_code == 413


def test_the_page_takes_the_id_of_an_upload(signed_in, api, bundle):
    upload = uploaded(api, bundle)

    checked = signed_in.post("/submit/", {"upload": upload, "check": "1"})
    assert checked.status_code == 200
    assert "bundle.zip is already here" in checked.content.decode()
    assert sha256(bundle) in checked.content.decode()

    answer = signed_in.post("/submit/", {"upload": upload, "submit": "1"})
    assert answer.status_code == 302
    assert Submission.objects.get().archive_sha256 == sha256(bundle)


def test_the_page_asks_for_a_file_when_the_upload_is_not_there(
    signed_in, bundle, maintainer
):
    foreign = uploaded(api_client(maintainer), bundle)

    for upload in (foreign, str(uuid4()), "no-uuid", ""):
        answer = signed_in.post("/submit/", {"upload": upload, "submit": "1"})
        assert answer.status_code == 400
        assert "Choose a file first." in answer.content.decode()
    assert Submission.objects.count() == 0


def test_a_file_goes_before_an_upload_on_the_page(signed_in, api, bundle):
    upload = uploaded(api, b"not an archive")
    fields = {"upload": upload, "bundle": BytesIO(bundle), "submit": "1"}

    assert signed_in.post("/submit/", fields).status_code == 302


def test_the_page_carries_what_the_browser_checks_with(signed_in, snapshot):
    page = signed_in.get("/submit/").content.decode()
    found = re.search(r'<script id="bundle-facts"[^>]*>(.*?)</script>', page)
    assert found is not None
    facts = json.loads(found[1])

    slugs = [task.slug for task in snapshot.tasks.order_by("slug")]
    assert facts["snapshots"][0]["version"] == snapshot.version
    assert sorted(facts["snapshots"][0]["tasks"]) == slugs
    assert facts["limits"]["upload_bytes"] == 512 * 1024 * 1024
    assert "(?P<" not in found[1]
