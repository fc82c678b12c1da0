"""The API's manners: one shape for every error, ETags, limits, keys against doubles."""

from __future__ import annotations

from io import BytesIO
from uuid import uuid4

import pytest
from django.core.cache import cache
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from rest_framework.throttling import (
    AnonRateThrottle,
    ScopedRateThrottle,
    UserRateThrottle,
)

from evaluator.api import StatusView
from leaderboard.config.settings import API_LIMITS
from submissions.api.uploads import SubmissionListView, ValidateView
from submissions.models import Scope, Submission
from tests.factories import TeamFactory, UserFactory
from tests.submissions.bundles import files_for, zipped
from tests.submissions.jobs import fail_all
from tests.tokens import api_client

pytestmark = pytest.mark.django_db
SUBMISSIONS = "/api/v1/submissions/"
MEMBERS = {"type", "title", "status", "detail", "errors"}


@pytest.fixture
def owner(user) -> Client:
    return api_client(user)


def upload(client: Client, data: bytes, key: str | None = None, **fields: str):
    bundle = BytesIO(data)
    bundle.name = "bundle.zip"
    headers = {} if key is None else {"Idempotency-Key": key}
    return client.post(SUBMISSIONS, {"bundle": bundle, **fields}, headers=headers)


def problem_of(answer, status: int) -> dict:
    assert answer.status_code == status, answer.content
    assert answer["Content-Type"] == "application/problem+json"
    problem = answer.json()
    assert set(problem) - {"warnings"} == MEMBERS
    assert problem["status"] == status
    for error in problem["errors"]:
        assert set(error) == {"code", "where", "saw", "fix"}
    return problem


@pytest.mark.parametrize("method", ["get", "post", "put", "patch", "delete", "options"])
@pytest.mark.parametrize(
    "path", ["/api/", "/api/v1/", "/api/v2/tasks/", "/api/nothing", "/api/v1/a%0Ab"]
)
def test_an_unknown_path_is_a_problem_for_every_method(method, path, client):
    problem_of(getattr(client, method)(path), 404)


@pytest.mark.parametrize("method", ["post", "put", "patch", "delete"])
def test_a_missing_slash_is_named_where_a_redirect_would_lose_the_body(method, owner):
    problem = problem_of(getattr(owner, method)("/api/v1/submissions"), 404)

    (error,) = problem["errors"]
    assert error["code"] == "missing_slash"
    assert error["fix"] == "Send the request to /api/v1/submissions/"


def test_a_missing_slash_is_put_right_where_nothing_is_lost(client):
    answer = client.get("/api/v1/snapshots?limit=1")

    assert answer.status_code == 301
    assert answer["Location"] == "/api/v1/snapshots/?limit=1"


def test_a_wrong_method_names_those_that_are_right(owner, submission):
    answer = owner.put(f"{SUBMISSIONS}{submission.pk}/")

    problem = problem_of(answer, 405)
    assert problem["errors"][0]["code"] == "method_not_allowed"
    assert "GET" in answer["Allow"]


def test_a_wrong_content_type_names_what_was_sent(owner):
    answer = owner.post(SUBMISSIONS, b"<x/>", content_type="application/xml")

    (error,) = problem_of(answer, 415)["errors"]
    assert error["saw"] == "application/xml"


def test_who_accepts_no_json_is_told_so_in_json(client):
    answer = client.get("/api/v1/snapshots/", headers={"Accept": "text/csv"})

    (error,) = problem_of(answer, 406)["errors"]
    assert error["saw"] == "text/csv"
    assert "application/json" in error["fix"]


def test_a_download_is_given_to_whoever_accepts_anything_else(submission, owner):
    artifact = submission.evaluation.runs.first().artifacts.first()

    answer = owner.get(
        f"/api/v1/artifacts/{artifact.pk}/file/",
        headers={"Accept": "application/octet-stream"},
    )

    assert answer.status_code == 200
    assert len(answer.getvalue()) == artifact.size_bytes


def test_a_download_that_is_gone_is_a_problem(submission, owner):
    artifact = submission.evaluation.runs.first().artifacts.first()
    artifact.sha256 = "0" * 64
    artifact.save()

    problem = problem_of(owner.get(f"/api/v1/artifacts/{artifact.pk}/file/"), 410)

    assert artifact.name in problem["detail"]


def test_nobody_is_401_and_the_wrong_one_403(client, owner, submission):
    nobody = client.get(SUBMISSIONS)
    wrong = owner.post(f"{SUBMISSIONS}{submission.pk}/publish/")

    assert problem_of(nobody, 401)["errors"][0]["where"] == "Authorization"
    assert nobody["WWW-Authenticate"] == "Token"
    assert problem_of(wrong, 403)["errors"][0]["code"] == "permission_denied"


def test_a_body_with_too_many_fields_is_their_fault(owner):
    fields = {f"field-{number}": "x" for number in range(2000)}

    problem_of(owner.post(SUBMISSIONS, fields), 400)


def test_a_body_that_is_cut_off_is_their_fault(owner):
    answer = owner.generic(
        "POST", SUBMISSIONS, b"--x\r\n", content_type="multipart/form-data; boundary=x"
    )

    problem_of(answer, 400)


@pytest.mark.parametrize("path", [SUBMISSIONS, "/api/v1/quota/", "{one}"])
def test_what_is_unchanged_is_not_sent_again(path, owner, submission):
    path = path.format(one=f"{SUBMISSIONS}{submission.pk}/")
    first = owner.get(path)

    again = owner.get(path, headers={"If-None-Match": first["ETag"]})
    fail_all(submission)
    changed = owner.get(path, headers={"If-None-Match": first["ETag"]})

    assert again.status_code == 304
    assert again.content == b""
    assert again["ETag"] == first["ETag"]
    assert changed.status_code == 200


def test_the_etag_holds_through_compression(client):
    zipped_answer = client.get("/api/schema/", headers={"Accept-Encoding": "gzip"})

    again = client.get(
        "/api/schema/",
        headers={
            "Accept-Encoding": "gzip",
            "If-None-Match": zipped_answer["ETag"],
        },
    )

    assert zipped_answer["Content-Encoding"] == "gzip"
    assert again.status_code == 304


def test_the_same_key_gets_the_same_answer_and_submits_once(owner, snapshot):
    data, key = zipped(files_for(snapshot)), str(uuid4())

    first, again = upload(owner, data, key), upload(owner, data, key)

    assert first.status_code == again.status_code == 201
    assert again.json() == first.json()
    assert again["Location"] == first["Location"]
    assert Submission.objects.count() == 1


def test_without_a_key_a_double_is_told_as_one(owner, snapshot):
    data = zipped(files_for(snapshot))

    assert upload(owner, data).status_code == 201
    assert problem_of(upload(owner, data), 400)["errors"][0]["code"] == "duplicate"


def test_a_key_is_not_for_another_upload_or_team(owner, user, snapshot):
    data, team = zipped(files_for(snapshot)), TeamFactory(owner=user)
    other = zipped({**files_for(snapshot), "runs/1/nothing": b""})
    upload(owner, data, "one")

    for answer in (
        upload(owner, other, "one"),
        upload(owner, data, "one", team=team.slug),
    ):
        assert problem_of(answer, 422)["errors"][0]["code"] == "idempotency-key-reused"
    assert Submission.objects.count() == 1


def test_a_key_means_nothing_to_another_person(owner, snapshot):
    data = zipped(files_for(snapshot))

    first = upload(owner, data, "one").json()
    second = upload(api_client(UserFactory()), data, "one").json()

    assert first["id"] != second["id"]


def test_what_was_refused_is_tried_again_under_its_key(owner, snapshot):
    assert upload(owner, b"garbage", "one").status_code == 400
    assert upload(owner, zipped(files_for(snapshot)), "one").status_code == 201


@pytest.mark.parametrize("key", ["x" * 256, "a\tb", "schlüssel"])
def test_a_key_is_short_and_printable(key, owner, snapshot):
    answer = upload(owner, zipped(files_for(snapshot)), key)

    assert problem_of(answer, 400)["errors"][0]["code"] == "idempotency-key"
    assert not Submission.objects.exists()


@pytest.fixture
def throttled(monkeypatch):
    """The limits of the settings, which are off in other tests, with lower numbers."""
    rates = {"anon": "3/min", "user": "3/min", "upload": "2/h", "validation": "1/h"}
    for throttle in (AnonRateThrottle, UserRateThrottle, ScopedRateThrottle):
        monkeypatch.setattr(throttle, "THROTTLE_RATES", rates)
    for view in (SubmissionListView, ValidateView, StatusView):
        monkeypatch.setattr(
            view,
            "throttle_classes",
            [AnonRateThrottle, UserRateThrottle, ScopedRateThrottle],
        )


@pytest.mark.usefixtures("throttled")
def test_who_asks_too_often_is_told_when_to_come_back(owner):
    answers = [owner.get(SUBMISSIONS) for _ in range(4)]

    assert [answer.status_code for answer in answers[:3]] == [200, 200, 200]
    assert problem_of(answers[3], 429)["errors"][0]["code"] == "throttled"
    assert 0 < int(answers[3]["Retry-After"]) <= 60
    assert api_client(UserFactory()).get(SUBMISSIONS).status_code == 200


@pytest.mark.usefixtures("throttled")
def test_uploads_have_a_limit_of_their_own(owner):
    assert [upload(owner, b"x").status_code for _ in range(3)] == [400, 400, 429]
    cache.clear()
    assert upload(owner, b"x").status_code == 400


@pytest.mark.usefixtures("throttled")
def test_checks_have_a_limit_of_their_own(owner, snapshot):
    def check():
        bundle = BytesIO(zipped(files_for(snapshot)))
        bundle.name = "bundle.zip"
        return owner.post(f"{SUBMISSIONS}validate/", {"bundle": bundle})

    assert check().status_code == 200
    second = check()

    assert problem_of(second, 429)["errors"][0]["code"] == "throttled"
    assert 0 < int(second["Retry-After"]) <= 3600
    assert upload(owner, zipped(files_for(snapshot))).status_code == 201


@pytest.mark.usefixtures("throttled")
@pytest.mark.parametrize(
    ("fields", "allowed"), [({"check": "1"}, 1), ({}, 2)], ids=["check", "submit"]
)
def test_the_page_shares_the_limits_of_the_api(
    fields, allowed, signed_in, owner, settings
):
    throttles = ["rest_framework.throttling.ScopedRateThrottle"]
    settings.REST_FRAMEWORK = settings.REST_FRAMEWORK | {
        "DEFAULT_THROTTLE_CLASSES": throttles
    }

    def send():
        bundle = SimpleUploadedFile("bundle.zip", b"x")
        return signed_in.post("/submit/", {"bundle": bundle, **fields})

    answers = [send() for _ in range(allowed + 1)]

    assert [each.status_code for each in answers] == [*[400] * allowed, 429]
    assert 0 < int(answers[-1]["Retry-After"]) <= 3600
    assert "Too many bundles within an hour" in answers[-1].content.decode()
    path = f"{SUBMISSIONS}validate/" if fields else SUBMISSIONS
    by_api = owner.post(path, {"bundle": SimpleUploadedFile("bundle.zip", b"x")})
    assert by_api.status_code == 429


@pytest.mark.usefixtures("throttled")
def test_who_sends_no_token_is_counted_by_address(client):
    answers = [client.get("/api/v1/status/") for _ in range(4)]

    assert [answer.status_code for answer in answers] == [200, 200, 200, 429]
    problem_of(answers[3], 429)
    assert 0 < int(answers[3]["Retry-After"]) <= 60
    other = client.get("/api/v1/status/", REMOTE_ADDR="192.0.2.7")
    assert other.status_code == 200


def test_the_page_of_the_api_tells_the_limits(client):
    described = client.get("/api/schema/?format=json").json()["info"]["description"]

    for limit in API_LIMITS.values():
        assert limit in described


def test_the_limits_are_on_unless_tests_switch_them_off():
    from leaderboard.config import settings

    throttles = settings.REST_FRAMEWORK["DEFAULT_THROTTLE_CLASSES"]
    names = {name.rpartition(".")[2] for name in throttles}
    assert names == {"AnonRateThrottle", "UserRateThrottle", "ScopedRateThrottle"}
    assert set(settings.REST_FRAMEWORK["DEFAULT_THROTTLE_RATES"]) >= {
        "anon",
        "user",
        "upload",
        "validation",
    }
    # Without a proxy of ours nobody can hide behind a header of their own making.
    assert settings.REST_FRAMEWORK["NUM_PROXIES"] == 0


def test_a_scope_is_asked_for_before_the_body_is_read(user):
    answer = upload(api_client(user, Scope.READ), b"x")

    assert problem_of(answer, 403)["errors"][0]["code"] == "token-scope"
