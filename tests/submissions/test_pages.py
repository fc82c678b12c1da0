"""The pages of people who submit and of maintainers: who sees and may do what."""

from __future__ import annotations

import base64
import json
import re
from datetime import timedelta
from html import unescape

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from evaluator.models import Job
from submissions import uploads
from submissions.manifest import parse_manifest
from submissions.manifest_schema import field_rows
from submissions.models import Submission, SubmissionState
from tests.factories import UserFactory
from tests.submissions.bundles import files_for, make_snapshot, manifest_for, zipped
from tests.submissions.jobs import claim_one, fail_all, pass_one_stage

pytestmark = pytest.mark.django_db
SUBMIT = "/submit/"
# Fixed, so that every process of the suite collects the same tests.
NOBODYS = "00000000-0000-4000-8000-000000000000"


def upload(client: Client, data: bytes, **fields: str):
    bundle = SimpleUploadedFile("bundle.zip", data)
    return client.post(SUBMIT, {"bundle": bundle, **fields})


def text_of(response) -> str:
    body = re.sub(
        r"<(script|style)\b.*?</\1>", "", response.content.decode(), flags=re.S
    )
    return " ".join(unescape(re.sub(r"<[^>]+>", " ", body)).split())


@pytest.fixture
def staff_client(maintainer) -> Client:
    client = Client()
    client.force_login(maintainer)
    return client


@pytest.fixture
def stranger() -> Client:
    client = Client()
    client.force_login(UserFactory())
    return client


def test_the_form_names_limits_files_and_open_snapshots(signed_in, snapshot):
    text = text_of(signed_in.get(SUBMIT))

    assert snapshot.version in text
    assert "512 MiB" in text
    for name in ("final.patch", "usage.json", "trajectory.jsonl"):
        assert name in text


def test_an_upload_leads_to_its_progress(signed_in, user, snapshot):
    response = upload(signed_in, zipped(files_for(snapshot)))

    submission = Submission.objects.get()
    assert response.status_code == 302
    assert response["Location"] == submission.get_absolute_url()
    assert submission.user == user
    assert "0 of 4 task runs scored" in text_of(signed_in.get(response["Location"]))


def test_all_errors_come_back_on_the_page_and_as_a_file(signed_in, snapshot):
    manifest = manifest_for(snapshot, sdk=23, api_key="x")
    del manifest["contact"]
    files = files_for(snapshot, manifest=manifest)
    files["notes.txt"] = b""

    response = upload(signed_in, zipped(files))

    assert response.status_code == 400
    text = text_of(response)
    assert "4 errors: not submitted" in text
    for place in ("sdk", "api_key", "contact"):
        assert f"manifest.json: {place}" in text
    link = re.search(
        r'href="data:application/json;base64,([^"]+)"', response.content.decode()
    )
    report = json.loads(base64.b64decode(link[1]))
    assert len(report["errors"]) == 4
    assert set(report["errors"][0]) == {"code", "where", "saw", "fix"}
    assert not Submission.objects.exists()


def test_what_an_upload_says_is_escaped(signed_in, snapshot):
    manifest = manifest_for(snapshot, **{"<img src=x onerror=alert(1)>": 1})

    response = upload(signed_in, zipped(files_for(snapshot, manifest=manifest)))

    assert b"<img src=x" not in response.content
    assert "<img src=x onerror=alert(1)>" in text_of(response)


def test_a_check_only_stores_nothing(signed_in, snapshot):
    response = upload(signed_in, zipped(files_for(snapshot)), check="1")

    assert response.status_code == 200
    assert "No errors" in text_of(response)
    assert not Submission.objects.exists()


@pytest.mark.parametrize(
    "data", [b"", b"garbage", b"PK\x05\x06", b"\x1f\x8b", b"PK" * 99]
)
def test_garbage_is_an_answer_of_400(data, signed_in, snapshot):
    response = upload(signed_in, data)

    assert response.status_code == 400
    assert "not submitted" in text_of(response)


def test_no_file_is_told_at_the_form(signed_in):
    response = signed_in.post(SUBMIT, {})

    assert response.status_code == 400
    assert "Choose a file first" in text_of(response)


def test_an_announced_size_over_the_limit_is_refused_before_reading(
    signed_in, settings, monkeypatch
):
    settings.UPLOAD_LIMIT_BYTES = 1000
    monkeypatch.setattr(uploads, "FORM_BYTES", 0)

    response = upload(signed_in, b"x" * 2000)

    assert response.status_code == 413
    assert "Too large" in text_of(response)


def test_uploaded_bytes_are_gone_after_the_answer(signed_in, snapshot, settings):
    upload(signed_in, zipped(files_for(snapshot)))
    upload(signed_in, b"garbage")

    assert list(settings.WORK_DIR.iterdir()) == []


def test_an_upload_needs_the_token_of_the_form(user, snapshot):
    client = Client(enforce_csrf_checks=True)
    client.force_login(user)

    response = upload(client, zipped(files_for(snapshot)))

    assert response.status_code == 403
    assert not Submission.objects.exists()


def test_the_token_of_the_form_is_accepted(user, snapshot):
    client = Client(enforce_csrf_checks=True)
    client.force_login(user)
    page = client.get(SUBMIT).content.decode()
    token = re.search(r'name="csrfmiddlewaretoken" value="([^"]+)"', page)[1]

    response = upload(client, zipped(files_for(snapshot)), csrfmiddlewaretoken=token)

    assert response.status_code == 302


def test_the_manifest_template_fits_the_snapshot_and_the_format(client, snapshot):
    make_snapshot()
    response = client.get(f"/submit/manifest.json?snapshot={snapshot.version}")

    assert "attachment" in response["Content-Disposition"]
    assert parse_manifest(response.content).benchmark_version == snapshot.version


def test_the_manifest_template_is_there_without_any_snapshot(client, db):
    assert client.get("/submit/manifest.json").json()["schema_version"] == 1


def test_the_schema_of_the_manifest_is_public(client):
    answer = client.get("/schemas/manifest-1.json")
    again = client.get(
        "/schemas/manifest-1.json", headers={"If-None-Match": answer["ETag"]}
    )

    assert answer["Content-Type"] == "application/schema+json"
    assert answer.json()["$id"] == "http://localhost:8000/schemas/manifest-1.json"
    assert "max-age=3600" in answer["Cache-Control"]
    assert again.status_code == 304


def test_the_schema_is_found_under_its_earlier_name(client):
    answer = client.get("/submit/manifest.schema.json")

    assert answer.status_code == 301
    assert answer["Location"] == "/schemas/manifest-1.json"


def test_every_field_of_the_manifest_is_told_on_the_page(signed_in, snapshot):
    page = signed_in.get("/submit/").content.decode()

    for row in field_rows():
        assert f">{row.name}</th>" in page
    assert "whole number from 1 to 99" in page


@pytest.mark.parametrize(
    "path",
    ["/submit/", "/submissions/", f"/submissions/{NOBODYS}/", "/account/tokens/"],
)
def test_a_visitor_is_sent_to_sign_in(path, client):
    response = client.get(path)

    assert response.status_code == 302
    assert response["Location"].startswith("/login/")


def test_a_visitor_cannot_upload(client, snapshot):
    response = upload(client, zipped(files_for(snapshot)))

    assert response["Location"].startswith("/login/")
    assert not Submission.objects.exists()


def test_a_submission_of_others_is_not_there(stranger, submission):
    address = submission.get_absolute_url()

    assert stranger.get(address).status_code == 404
    for act in ("cancel", "answer", "appeal", "withdraw"):
        assert stranger.post(f"{address}{act}/").status_code == 404
    assert "No submissions yet" in text_of(stranger.get("/submissions/"))


@pytest.mark.parametrize("act", ["publish", "reject", "disqualify", "reinstate"])
def test_only_maintainers_decide(act, signed_in, submission):
    fail_all(submission)
    words = {"act": act, "reason": "x"}

    response = signed_in.post(f"/review/{submission.pk}/decide/", words)

    assert response.status_code == 403
    submission.refresh_from_db()
    assert submission.shown_state == SubmissionState.EVALUATED


@pytest.mark.parametrize("act", ["cancel", "answer", "appeal", "withdraw"])
def test_acts_need_a_post(act, staff_client, submission):
    response = staff_client.get(f"{submission.get_absolute_url()}{act}/")

    assert response.status_code == 405


def test_the_list_shows_own_submissions_and_all_to_maintainers(
    signed_in, staff_client, submission
):
    address = submission.get_absolute_url()

    assert address in signed_in.get("/submissions/").content.decode()
    assert address in staff_client.get("/submissions/").content.decode()


def test_the_list_asks_as_often_for_many_as_for_one(
    signed_in, user, snapshot, submission, django_assert_num_queries
):
    with CaptureQueriesContext(connection) as one:
        signed_in.get("/submissions/")
    count = len(one)
    for number in range(3):
        files = files_for(snapshot)
        files[f"runs/1/{snapshot.tasks.first().slug}/build.log"] = b"%d" % number
        upload(signed_in, zipped(files))

    with django_assert_num_queries(count):
        signed_in.get("/submissions/")


def test_the_owner_cancels(signed_in, submission):
    response = signed_in.post(
        f"{submission.get_absolute_url()}cancel/", {"reason": "wrong model"}
    )

    text = text_of(signed_in.get(response["Location"]))
    assert "Cancelled" in text
    assert "wrong model" in text
    submission.refresh_from_db()
    assert submission.shown_state == SubmissionState.CANCELLED


def test_an_act_that_is_not_possible_says_why(staff_client, submission):
    address = f"/review/{submission.pk}/decide/"

    response = staff_client.post(address, {"act": "publish"}, follow=True)

    assert "4 task runs are not scored yet" in text_of(response)


def test_a_maintainer_publishes_and_disqualifies_with_a_reason(
    staff_client, submission
):
    fail_all(submission)
    address = submission.get_absolute_url()
    decide = f"/review/{submission.pk}/decide/"

    staff_client.post(decide, {"act": "publish"})
    assert "Published" in text_of(staff_client.get(address))
    staff_client.post(decide, {"act": "disqualify", "reason": "copied reference"})

    assert "copied reference" in text_of(staff_client.get(address))


def test_progress_tells_stages_counts_and_that_they_are_no_score(signed_in, submission):
    pass_one_stage(submission)
    claim_one(submission)

    response = signed_in.get(submission.get_absolute_url())

    text = text_of(response)
    assert "partial, not a score" in text
    assert "1 running" in text
    assert "3 queued" in text
    assert "last sign of life just now" in text
    assert "No sign of life" not in text
    assert b'http-equiv="refresh" content="30"' in response.content


def test_progress_has_a_square_with_words_for_every_task_run(signed_in, submission):
    page = signed_in.get(submission.get_absolute_url()).content.decode()

    for task in submission.snapshot.tasks.all():
        assert page.count(f"{task.slug}: Queued: Agent</span>") == 2


def test_two_minutes_of_silence_are_admitted(signed_in, submission):
    lease = claim_one(submission)
    long_ago = timezone.now() - timedelta(minutes=2, seconds=5)
    Job.objects.filter(pk=lease.job_id).update(updated_at=long_ago)

    assert "No sign of life" in text_of(signed_in.get(submission.get_absolute_url()))


def test_the_queue_ahead_is_counted(signed_in, submission):
    other = UserFactory()
    client = Client()
    client.force_login(other)
    files = files_for(submission.snapshot)
    upload(client, zipped(files))
    mine = Submission.objects.get(user=other)

    text = text_of(client.get(mine.get_absolute_url()))

    assert "task runs of others ahead in the pool agent 4" in text


def test_a_decided_submission_does_not_reload_and_links_its_files(
    signed_in, submission
):
    fail_all(submission)

    response = signed_in.get(submission.get_absolute_url())

    page = response.content.decode()
    assert "http-equiv" not in page
    assert "partial, not a score" not in page
    evaluation = submission.evaluation_id
    assert reverse("evaluation", args=[evaluation]) in page
    for number in (1, 2):
        assert reverse("run-archive", args=[evaluation, number]) in page
    assert "Patch does not apply" in page


def test_infrastructure_trouble_is_called_ours(signed_in, submission):
    Job.objects.filter(evaluation=submission.evaluation).update(state="infra_exhausted")

    text = text_of(signed_in.get(submission.get_absolute_url()))

    assert "4 task runs wait for a maintainer" in text
    assert "never count as failed" in text


def test_progress_costs_the_same_for_any_number_of_task_runs(
    signed_in, user, django_assert_max_num_queries
):
    snapshot = make_snapshot(task_count=12)
    upload(signed_in, zipped(files_for(snapshot)))

    with django_assert_max_num_queries(17):
        signed_in.get(Submission.objects.get().get_absolute_url())


def test_the_admin_shows_submissions_and_changes_none(staff_client, submission):
    listed = staff_client.get("/admin/submissions/submission/")
    page = f"/admin/submissions/submission/{submission.pk}/change/"

    assert str(submission.pk) in listed.content.decode()
    assert staff_client.get(page).status_code == 200
    assert staff_client.post(page, {}).status_code == 403
