"""Warnings of the check: accepted by a tick, and nothing is lost until it comes."""

from __future__ import annotations

import re
from io import BytesIO, StringIO
from pathlib import Path

import pytest
from django.apps import apps
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import CommandError, call_command
from django.test import Client

from leaderboard.models import (
    Configuration,
    Evaluation,
    EvaluationSnapshot,
    SnapshotStatus,
)
from leaderboard.snapshots import import_package
from submissions import services
from submissions.accounts import quota
from submissions.archive import pack_folder
from submissions.cli.errors import ExitCode
from submissions.findings import Code
from submissions.models import Submission, UploadSession
from tests.submissions.bundles import files_for, make_snapshot, write_archive, zipped
from tests.submissions.tus import on_disk, uploaded
from tests.tokens import api_client, token_for

pytestmark = pytest.mark.django_db
SUBMIT = "/submit/"
SUBMISSIONS = "/api/v1/submissions/"


def with_a_warning(snapshot) -> dict[str, bytes]:
    """The files of a bundle whose first task run has no trajectory."""
    files = files_for(snapshot)
    del files[f"runs/1/{snapshot.tasks.first().slug}/trajectory.jsonl"]
    return files


@pytest.fixture
def bundle(snapshot) -> bytes:
    return zipped(with_a_warning(snapshot))


@pytest.fixture
def api(user) -> Client:
    return api_client(user)


def fields_of(answer) -> dict[str, str]:
    """The fields of the form that accepts the warnings."""
    form = re.search(r'<form class="form-stack tick".*?</form>', answer.text, re.S)
    assert form is not None
    pairs = re.findall(r'name="([a-z_]+)" value="([^"]+)"', form[0])
    return {name: value for name, value in pairs if name != "csrfmiddlewaretoken"}


def post_file(client: Client, bundle: bytes, **fields: str):
    return client.post(
        SUBMIT, {"bundle": SimpleUploadedFile("bundle.zip", bundle), **fields}
    )


def send_file(api: Client, bundle: bytes, **fields: str):
    stream = BytesIO(bundle)
    stream.name = "bundle.zip"
    return api.post(SUBMISSIONS, {"bundle": stream, **fields})


# The service


def test_warnings_stop_a_submission_until_they_are_accepted(snapshot, user, tmp_path):
    archive = write_archive(tmp_path, with_a_warning(snapshot))

    waiting = services.receive(user, archive, origin="page")

    assert waiting.submission is None
    assert waiting.awaits_tick
    assert waiting.report.ok
    for table in (Submission, Evaluation, Configuration):
        assert not table.objects.exists()

    accepted = services.receive(user, archive, origin="page", tick=True)

    assert accepted.submission is not None
    assert not accepted.awaits_tick


def test_a_tick_counts_for_the_warnings_that_were_read(snapshot, user, tmp_path):
    archive = write_archive(tmp_path, with_a_warning(snapshot))
    read = services.receive(user, archive, origin="page").report.warnings_digest
    other = files_for(snapshot)
    for run in (1, 2):
        del other[f"runs/{run}/{snapshot.tasks.first().slug}/trajectory.jsonl"]
    changed = write_archive(tmp_path, other)

    assert services.receive(user, changed, origin="page", tick=read).awaits_tick
    archive = write_archive(tmp_path, with_a_warning(snapshot))
    assert services.receive(user, archive, origin="page", tick=read).submission


def test_the_tick_stays_on_record_with_its_actor(snapshot, user, tmp_path):
    archive = write_archive(tmp_path, with_a_warning(snapshot))

    submission = services.receive(user, archive, origin="api", tick=True).submission

    received, ticked = submission.events.all()
    assert received.reason == "received through the api"
    assert ticked.reason == "accepted the warnings of the check: trajectory-missing (1)"
    assert ticked.actor == user
    assert ticked.at is not None
    assert ticked.from_state == ticked.to_state == submission.state


def test_without_warnings_there_is_nothing_to_tick(snapshot, user, tmp_path):
    archive = write_archive(tmp_path, files_for(snapshot))

    submission = services.receive(user, archive, origin="api").submission

    assert submission.events.count() == 1


def test_what_waits_for_a_tick_counts_once_and_only_when_accepted(
    snapshot, user, tmp_path, settings
):
    settings.OHB_RUNNING_LIMIT = 5
    archive = write_archive(tmp_path, with_a_warning(snapshot))

    for _ in range(3):
        services.receive(user, archive, origin="page")
    before = quota.quota_of(user).used
    services.receive(user, archive, origin="page", tick=True)

    assert before == 0
    assert quota.quota_of(user).used == 1


# The page


def test_the_page_keeps_a_plain_file_until_its_warnings_are_ticked(
    signed_in, user, bundle, data_dir
):
    asked = post_file(signed_in, bundle)

    assert asked.status_code == 422
    assert "No errors, but warnings: not submitted yet" in asked.text
    assert "trajectory-missing" in asked.text
    assert not Submission.objects.exists()
    assert on_disk(data_dir) == [".bundle"]

    done = signed_in.post(SUBMIT, fields_of(asked))

    submission = Submission.objects.get()
    assert done.status_code == 302
    assert done["Location"] == submission.get_absolute_url()
    assert submission.events.last().actor == user
    assert "accepted the warnings of the check" in signed_in.get(done["Location"]).text
    assert on_disk(data_dir) == []


def test_the_page_asks_for_an_upload_in_parts_without_keeping_it_twice(
    signed_in, user, bundle
):
    upload = uploaded(api_client(user), bundle)

    asked = signed_in.post(SUBMIT, {"upload": upload})

    fields = fields_of(asked)
    assert fields["upload"] == upload
    assert UploadSession.objects.count() == 1
    assert signed_in.post(SUBMIT, fields).status_code == 302


def test_without_the_tick_the_page_asks_again(signed_in, bundle):
    fields = fields_of(post_file(signed_in, bundle))
    del fields["accept_warnings"]

    again = signed_in.post(SUBMIT, fields)

    assert again.status_code == 422
    assert fields_of(again)["upload"] == fields["upload"]


def test_a_check_on_the_page_keeps_no_file(signed_in, bundle, data_dir):
    answer = post_file(signed_in, bundle, check="1")

    assert answer.status_code == 200
    assert "form-stack tick" not in answer.text
    assert on_disk(data_dir) == []


# The API


def test_the_api_names_the_warnings_and_how_to_accept_them(api, bundle, data_dir):
    refused = send_file(api, bundle)

    problem = refused.json()
    assert refused.status_code == 422
    (error,) = problem["errors"]
    assert error["code"] == Code.WARNINGS_UNACCEPTED
    assert error["where"] == "accept_warnings"
    assert error["saw"] == "trajectory-missing"
    assert f"upload={problem['upload']} with accept_warnings=true" in error["fix"]
    (warning,) = problem["warnings"]
    assert warning["code"] == Code.TRAJECTORY_MISSING

    form = {"upload": problem["upload"], "accept_warnings": True}
    accepted = api.post(SUBMISSIONS, form, content_type="application/json")

    assert accepted.status_code == 201
    assert [each["code"] for each in accepted.json()["warnings"]] == [warning["code"]]
    assert on_disk(data_dir) == []


def test_the_api_takes_file_and_tick_together(api, bundle):
    assert send_file(api, bundle, accept_warnings="true").status_code == 201


def test_a_key_may_be_sent_again_with_the_tick(api, bundle):
    upload = uploaded(api, bundle)
    key = {"Idempotency-Key": "one"}

    codes = [
        api.post(
            SUBMISSIONS,
            {"upload": upload, "accept_warnings": tick},
            content_type="application/json",
            headers=key,
        ).status_code
        for tick in (False, True, True)
    ]

    assert codes == [422, 201, 201]
    assert Submission.objects.count() == 1


# The commands


def test_the_command_of_the_server_asks_for_its_option(snapshot, user, tmp_path):
    archive = write_archive(tmp_path, with_a_warning(snapshot))
    said, complained = StringIO(), StringIO()

    with pytest.raises(CommandError, match="--accept-warnings"):
        call_command("submit", str(archive), user=str(user), stderr=complained)
    assert complained.getvalue().startswith("warning: runs/1: ")
    assert not Submission.objects.exists()

    call_command(
        "submit",
        str(archive),
        user=str(user),
        accept_warnings=True,
        stdout=said,
        stderr=complained,
    )
    assert said.getvalue().split()[-1] == str(Submission.objects.get().pk)


@pytest.fixture
def online(committed_db, live_server, user, ohbench, settings):
    settings.PUBLIC_URL = live_server.url
    token = token_for(user)
    return lambda *words: ohbench(*words, OHB_SERVER=live_server.url, OHB_TOKEN=token)


def test_ohbench_stops_before_the_upload_and_says_how_to_go_on(online, tmp_path):
    archive = write_archive(tmp_path, with_a_warning(make_snapshot()))

    ended = online("submit", archive)

    assert ended.code == ExitCode.FINDINGS
    assert "warning  runs/1  [trajectory-missing]" in ended.err
    assert "add --accept-warnings. (no errors and 1 warning)" in ended.err
    assert not UploadSession.objects.exists()
    assert online("submit", archive, "--accept-warnings").code == ExitCode.OK


def test_ohbench_tells_the_warnings_of_the_server_and_sends_nothing_twice(
    online, tmp_path
):
    archive = write_archive(tmp_path, with_a_warning(make_snapshot()))

    refused = online("submit", archive, "--no-check")

    assert refused.code == ExitCode.FINDINGS
    assert "error  accept_warnings  [warnings-unaccepted]" in refused.err
    assert "warning  runs/1  [trajectory-missing]" in refused.err
    session = UploadSession.objects.get()

    accepted = online("submit", archive, "--no-check", "--accept-warnings")

    assert accepted.code == ExitCode.OK
    assert UploadSession.objects.get() == session
    assert Submission.objects.count() == 1


# Checks keep nothing


def everything_kept(data_dir) -> tuple[dict[str, int], list[str]]:
    """Rows of every table and every file below the data folder."""
    rows = {
        model._meta.label: model._base_manager.count()
        for model in apps.get_models()
        if model._meta.managed and not model._meta.proxy
    }
    return rows, sorted(str(path) for path in data_dir.rglob("*") if path.is_file())


@pytest.mark.parametrize("kind", ["sound", "warned", "broken"])
def test_a_check_leaves_rows_files_and_quota_as_they_were(
    kind, signed_in, user, api, snapshot, data_dir, settings
):
    files = with_a_warning(snapshot) if kind == "warned" else files_for(snapshot)
    if kind == "broken":
        files["manifest.json"] = b"{}"
    bundle = zipped(files)
    # Whatever a first request leaves behind, such as a session, is there already.
    post_file(signed_in, b"", check="1")
    before, left = everything_kept(data_dir), quota.quota_of(user).left

    page = post_file(signed_in, bundle, check="1")
    stream = BytesIO(bundle)
    stream.name = "bundle.zip"
    answer = api.post(f"{SUBMISSIONS}validate/", {"bundle": stream})

    expected = 400 if kind == "broken" else 200
    assert (page.status_code, answer.status_code) == (expected, expected)
    assert everything_kept(data_dir) == before
    assert quota.quota_of(user).left == left


def test_the_page_groups_findings_by_their_code(signed_in, snapshot):
    files = files_for(snapshot)
    for run in (1, 2):
        for task in snapshot.tasks.all():
            files[f"runs/{run}/{task.slug}/usage.json"] = b'{"total_tokens": -1}'
    del files[f"runs/1/{snapshot.tasks.first().slug}/final.patch"]

    answer = post_file(signed_in, zipped(files), check="1")

    groups = re.findall(r'<th scope="rowgroup"[^>]*>(.*?)</th>', answer.text, re.S)
    told = [" ".join(re.sub(r"<[^>]+>", " ", each).split()) for each in groups]
    assert told == ["task-run-missing 1", "usage-invalid 4"]


def test_samples_of_this_project_are_taken_with_their_warnings(user, tmp_path):
    fixtures = Path(__file__).parents[2] / "fixtures"
    import_package(fixtures / "snapshots" / "demo")
    EvaluationSnapshot.objects.update(status=SnapshotStatus.OPEN)
    archive = pack_folder(fixtures / "bundles" / "sample-a", tmp_path / "a.zip")

    submission = services.receive(user, archive, origin="api").submission

    assert submission is not None
    (warning,) = submission.report["warnings"]
    assert warning["code"] == Code.PATCH_DOES_NOT_APPLY
    assert submission.events.count() == 1
