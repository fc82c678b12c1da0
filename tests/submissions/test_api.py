"""The API of submissions: one shape of errors, tokens only, own things only."""

from __future__ import annotations

from io import BytesIO

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from submissions import uploads
from submissions.models import Submission
from tests.factories import UserFactory
from tests.submissions.bundles import files_for, manifest_for, zipped
from tests.submissions.jobs import fail_all
from tests.tokens import api_client

pytestmark = pytest.mark.django_db
SUBMISSIONS = "/api/v1/submissions/"
VALIDATE = "/api/v1/submissions/validate/"
# Fixed, so that every process of the suite collects the same tests.
NOBODYS = "00000000-0000-4000-8000-000000000000"


@pytest.fixture
def owner(user) -> Client:
    return api_client(user)


@pytest.fixture
def staff(maintainer) -> Client:
    return api_client(maintainer)


def upload(client: Client, data: bytes, path: str = SUBMISSIONS):
    bundle = BytesIO(data)
    bundle.name = "bundle.zip"
    return client.post(path, {"bundle": bundle})


def test_an_upload_is_created_and_can_be_followed(owner, snapshot):
    response = upload(owner, zipped(files_for(snapshot)))

    assert response.status_code == 201
    created = response.json()
    assert created["state"] == "evaluating"
    assert created["warnings"] == []
    assert created["task_runs"] == {
        "total": 4,
        "scored": 0,
        "queued": 4,
        "running": 0,
        "waiting_for_a_maintainer": 0,
        "cancelled": 0,
    }
    assert created["url"].endswith(f"/submissions/{created['id']}/")
    assert response["Location"] == created["url"]
    followed = owner.get(f"{SUBMISSIONS}{created['id']}/").json()
    assert followed.pop("progress")["queue"]["jobs_ahead"] == 0
    assert followed == created
    listed = owner.get(SUBMISSIONS).json()
    assert listed["count"] == 1
    assert listed["results"] == [created]


def test_every_fault_is_in_one_answer_of_problem_details(owner, snapshot):
    manifest = manifest_for(snapshot, toolchain=None, score=100)
    del manifest["model"]["provider"]
    files = files_for(snapshot, manifest=manifest)
    slug = snapshot.tasks.first().slug
    files[f"runs/1/{slug}/usage.json"] = b'{"total_tokens": NaN}'
    files["../evil"] = b""

    response = upload(owner, zipped(files))

    assert response.status_code == 400
    assert response["Content-Type"] == "application/problem+json"
    problem = response.json()
    assert problem["status"] == 400
    assert "5 errors" in problem["detail"]
    assert {each["code"] for each in problem["errors"]} == {
        "manifest-field-missing",
        "manifest-field-unknown",
        "manifest-field-invalid",
        "json-number",
        "member-name",
    }
    assert all(
        set(each) == {"code", "where", "saw", "fix"} and all(each.values())
        for each in problem["errors"]
    )
    assert not Submission.objects.exists()


@pytest.mark.parametrize("path", [SUBMISSIONS, VALIDATE])
@pytest.mark.parametrize("data", [b"", b"garbage", b"PK\x03\x04" + b"\xff" * 500])
def test_garbage_is_a_problem_and_never_a_fault_of_ours(path, data, owner, snapshot):
    response = upload(owner, data, path)

    assert response.status_code == 400
    assert response.json()["errors"]


def test_a_request_without_a_file_says_which_field_is_missing(owner):
    response = owner.post(SUBMISSIONS, {})

    assert response.status_code == 400
    assert "bundle" in response.json()["errors"][0]["where"]


def test_another_content_type_is_refused(owner):
    response = owner.post(SUBMISSIONS, b"{}", content_type="text/plain")

    assert response.status_code == 415


def test_a_request_over_the_limit_is_refused_before_reading(
    owner, settings, monkeypatch
):
    settings.UPLOAD_LIMIT_BYTES = 1000
    monkeypatch.setattr(uploads, "FORM_BYTES", 0)

    response = upload(owner, b"x" * 2000)

    assert response.status_code == 413
    assert response["Content-Type"] == "application/problem+json"


def test_a_check_stores_nothing_and_lists_warnings(owner, snapshot):
    files = files_for(snapshot)
    slug = snapshot.tasks.first().slug
    del files[f"runs/1/{slug}/trajectory.jsonl"]

    response = upload(owner, zipped(files), VALIDATE)

    assert response.status_code == 200
    answer = response.json()
    assert answer["ok"] is True
    assert [each["code"] for each in answer["warnings"]] == ["trajectory-missing"]
    assert not Submission.objects.exists()


@pytest.mark.parametrize("path", [VALIDATE, SUBMISSIONS])
def test_errors_of_a_bundle_come_with_its_warnings(owner, snapshot, path):
    files = files_for(snapshot)
    slug = snapshot.tasks.first().slug
    del files[f"runs/1/{slug}/trajectory.jsonl"]
    files["notes.txt"] = b"foreign"

    problem = upload(owner, zipped(files), path).json()

    assert [each["code"] for each in problem["errors"]] == ["member-name"]
    assert [each["code"] for each in problem["warnings"]] == ["trajectory-missing"]
    assert set(problem["warnings"][0]) == {"code", "where", "saw", "fix"}


def test_a_second_upload_of_the_same_file_names_the_first(owner, snapshot):
    first = upload(owner, zipped(files_for(snapshot))).json()

    (error,) = upload(owner, zipped(files_for(snapshot))).json()["errors"]

    assert error["code"] == "duplicate"
    assert first["url"] in error["fix"]
    assert "Re-run" in error["fix"]


@pytest.mark.parametrize("method", ["get", "post"])
@pytest.mark.parametrize(
    "path",
    [
        SUBMISSIONS,
        VALIDATE,
        f"{SUBMISSIONS}{NOBODYS}/",
        f"{SUBMISSIONS}{NOBODYS}/cancel/",
        f"{SUBMISSIONS}{NOBODYS}/publish/",
    ],
)
def test_everything_needs_a_token(method, path, client):
    response = getattr(client, method)(path)

    assert response.status_code == 401
    assert response["WWW-Authenticate"] == "Token"
    assert response["Content-Type"] == "application/problem+json"


def test_a_session_of_the_site_is_no_token(signed_in, snapshot):
    assert upload(signed_in, zipped(files_for(snapshot))).status_code == 401


def test_a_submission_of_others_is_not_there(submission):
    stranger = api_client(UserFactory())
    address = f"{SUBMISSIONS}{submission.pk}/"

    assert stranger.get(address).status_code == 404
    assert stranger.post(f"{address}cancel/").status_code == 404
    assert stranger.get(SUBMISSIONS).json()["results"] == []


def test_maintainers_see_all(staff, submission):
    (found,) = staff.get(SUBMISSIONS).json()["results"]

    assert found["id"] == str(submission.pk)


def test_the_owner_cancels_once(owner, submission):
    address = f"{SUBMISSIONS}{submission.pk}/cancel/"

    response = owner.post(address, {"reason": "a mistake"})
    assert response.status_code == 200
    assert response.json()["state"] == "cancelled"
    assert response.json()["task_runs"]["cancelled"] == 4

    again = owner.post(address, {"reason": "a mistake"})
    assert again.status_code == 409
    assert "this one is cancelled" in again.json()["detail"]


def test_only_a_maintainer_publishes(owner, staff, submission):
    address = f"{SUBMISSIONS}{submission.pk}/publish/"

    assert owner.post(address).status_code == 403
    early = staff.post(address)
    assert early.status_code == 409
    assert "not scored yet" in early.json()["detail"]
    fail_all(submission)
    assert staff.post(address, {"reason": "reviewed"}).json()["state"] == "published"


def test_a_list_asks_as_often_for_many_as_for_one(
    owner, snapshot, django_assert_num_queries
):
    upload(owner, zipped(files_for(snapshot)))
    with CaptureQueriesContext(connection) as one:
        owner.get(SUBMISSIONS)
    count = len(one)
    files = files_for(snapshot)
    files[f"runs/1/{snapshot.tasks.first().slug}/final.patch"] = b""
    upload(owner, zipped(files))

    with django_assert_num_queries(count):
        assert len(owner.get(SUBMISSIONS).json()["results"]) == 2


def test_the_schema_documents_every_endpoint(client):
    text = client.get("/api/schema/").content.decode()

    for name in ("create", "list", "retrieve", "validate", "cancel", "publish"):
        assert f"submissions_{name}" in text
    assert "multipart/form-data" in text
