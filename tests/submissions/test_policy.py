"""Maintainers decide which differences from a snapshot are refused, on every path."""

from __future__ import annotations

import json
from dataclasses import replace
from io import StringIO

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import CommandError, call_command
from django.test import Client

from leaderboard.models import AuditEvent, EvaluationSnapshot
from submissions import intake
from submissions.cli.facts import read_facts, write_facts
from submissions.comparability import DEVIATIONS, REFUSABLE, compared
from submissions.findings import Code
from submissions.manifest import parse_manifest
from submissions.models import Submission
from submissions.policy import refuse_differences
from submissions.snapshot_facts import facts_of
from tests.factories import UserFactory
from tests.submissions.bundles import files_for, manifest_for, write_archive, zipped
from tests.submissions.corpus.contents import FACTS, files, manifest
from tests.submissions.harbor.jobs import job, trial, two_jobs, upload
from tests.submissions.test_predictions import run_file
from tests.submissions.uploads import check_upload
from tests.tokens import api_client, token_for

pytestmark = pytest.mark.django_db
REFUSING = replace(FACTS, refused_differences=("sdk", DEVIATIONS))


@pytest.fixture
def strict(snapshot, maintainer) -> EvaluationSnapshot:
    """A snapshot that takes one SDK only."""
    refuse_differences(snapshot, ["sdk"], by=maintainer, reason="One SDK alone counts.")
    return snapshot


@pytest.fixture
def other_files(strict) -> dict[str, bytes]:
    """Sound but for the SDK, and another toolchain, which is merely not comparable."""
    changed = manifest_for(strict, sdk="API 99", toolchain="Another")
    return files_for(strict, manifest=changed)


def as_file(contents: dict[str, bytes]) -> SimpleUploadedFile:
    return SimpleUploadedFile("bundle.zip", zipped(contents))


@pytest.mark.parametrize("path", ["submissions/", "submissions/validate/"])
def test_the_api_refuses_it_and_names_the_field(path, other_files, user):
    answer = api_client(user).post(f"/api/v1/{path}", {"bundle": as_file(other_files)})

    assert answer.status_code == 400
    (error,) = answer.json()["errors"]
    assert error["code"] == "snapshot-refuses"
    assert error["where"] == "manifest.json: sdk"
    assert "API 99" in error["saw"]
    assert "API 23" in error["fix"]
    assert not Submission.objects.exists()


def test_the_page_refuses_it_and_names_the_field(other_files, signed_in):
    answer = signed_in.post("/submit/", {"bundle": as_file(other_files)})

    page = answer.content.decode()
    assert answer.status_code == 400
    assert "snapshot-refuses" in page
    assert "manifest.json: sdk" in page
    assert not Submission.objects.exists()


def test_the_command_of_the_server_refuses_it(other_files, user, tmp_path):
    archive = write_archive(tmp_path, other_files)

    complained = StringIO()
    with pytest.raises(CommandError, match="1 error"):
        call_command("submit", str(archive), user=user.username, stderr=complained)

    assert "manifest.json: sdk" in complained.getvalue()
    assert "[snapshot-refuses]" in complained.getvalue()


def test_ohbench_asks_the_server_what_is_refused(
    committed_db, live_server, user, maintainer, snapshot, ohbench, tmp_path
):
    refuse_differences(snapshot, ["sdk"], by=maintainer, reason="One SDK alone counts.")
    changed = manifest_for(snapshot, sdk="API 99")
    archive = write_archive(tmp_path, files_for(snapshot, manifest=changed))

    ended = ohbench(
        "validate", archive, OHB_SERVER=live_server.url, OHB_TOKEN=token_for(user)
    )

    assert ended.code == 1
    assert "snapshot-refuses" in ended.out + ended.err


def test_facts_in_a_file_keep_what_is_refused(tmp_path):
    write_facts(REFUSING, tmp_path / "facts.json")

    assert read_facts(tmp_path / "facts.json") == REFUSING


def test_predictions_are_refused_too(tmp_path):
    contents = {
        "manifest.json": json.dumps({**manifest(), "sdk": "API 99"}).encode(),
        "predictions/run-1.jsonl": run_file(1),
        "predictions/run-2.jsonl": run_file(2),
    }

    checked = check_upload(contents, tmp_path, facts=REFUSING)

    assert checked.errors == {Code.SNAPSHOT_REFUSES}


def test_harbor_jobs_are_refused_too(tmp_path):
    checked = check_upload(upload(*two_jobs(), sdk="API 99"), tmp_path, facts=REFUSING)

    assert checked.errors == {Code.SNAPSHOT_REFUSES}


def test_settings_of_harbor_that_break_comparability_can_be_refused(tmp_path):
    broken = trial("alpha-task", 1, exception_info={"exception_type": "ApiError"})
    jobs = [job("run-1", broken, trial("beta-task", 1)), two_jobs()[1]]

    for name in ("taken", "refused"):
        (tmp_path / name).mkdir()
    taken = check_upload(upload(*jobs), tmp_path / "taken")
    refused = check_upload(upload(*jobs), tmp_path / "refused", facts=REFUSING)

    assert taken.report.ok
    assert refused.errors == {Code.SNAPSHOT_REFUSES}
    finding = refused.finding(Code.SNAPSHOT_REFUSES)
    assert finding.where == "manifest.json: origin.deviations"
    assert "ApiError" in finding.saw


def test_an_equal_manifest_is_as_welcome_as_ever(strict, user, tmp_path, monkeypatch):
    monkeypatch.setattr(intake, "sandbox_isolates", lambda: True)

    answer = api_client(user).post(
        "/api/v1/submissions/", {"bundle": as_file(files_for(strict))}
    )

    assert answer.status_code == 201
    assert answer.json()["comparable"] is True


def test_what_is_not_refused_is_accepted_and_named(strict, user, monkeypatch):
    monkeypatch.setattr(intake, "sandbox_isolates", lambda: True)
    changed = files_for(strict, manifest=manifest_for(strict, toolchain="Another"))

    answer = api_client(user).post(
        "/api/v1/submissions/", {"bundle": as_file(changed), "accept_warnings": True}
    )

    assert answer.status_code == 201
    assert answer.json()["comparable"] is False
    assert answer.json()["differing_fields"] == ["toolchain"]


def test_the_refused_fields_are_public_with_the_snapshot(strict, client):
    page = client.get("/benchmark/").content.decode()
    (row,) = client.get("/api/v1/snapshots/").json()["results"]

    assert "Refused where different" in page
    assert row["refused_differences"] == ["sdk"]


def test_a_change_is_on_record_and_none_is_not(snapshot, maintainer):
    def act(fields):
        refuse_differences(snapshot, fields, by=maintainer, reason="Because.")

    act(["toolchain", "sdk"])
    act(["sdk", "toolchain"])

    (event,) = AuditEvent.objects.filter(act="refuse differences")
    assert (event.actor, event.reason) == (maintainer, "Because.")
    assert event.subject == f"snapshot {snapshot}"
    assert (event.before, event.after) == (
        {"fields": []},
        {"fields": ["sdk", "toolchain"]},
    )
    assert facts_of(snapshot).refused_differences == ("sdk", "toolchain")


def test_only_what_is_compared_can_be_refused(snapshot, maintainer):
    names = {
        each.field for each in compared(parse_manifest(files()["manifest.json"]), FACTS)
    }

    assert set(REFUSABLE) - {DEVIATIONS} < names
    with pytest.raises(ValueError, match=r"contact\.name"):
        refuse_differences(snapshot, ["contact.name"], by=maintainer, reason="x")


def test_the_admin_sets_it_with_a_reason(snapshot, maintainer):
    client = Client()
    client.force_login(maintainer)
    address = f"/admin/submissions/snapshotpolicy/{snapshot.pk}/change/"
    assert client.get("/admin/submissions/snapshotpolicy/").status_code == 200
    page = client.get(address).content.decode()
    assert 'value="device_profile"' in page
    assert 'value="run_parameters.temperature"' in page

    without = client.post(address, {"refused_differences": ["sdk"], "reason": ""})
    snapshot.refresh_from_db()
    assert without.status_code == 200
    assert snapshot.refused_differences == []

    answer = client.post(
        address, {"refused_differences": ["sdk"], "reason": "It is so."}
    )
    snapshot.refresh_from_db()
    assert answer.status_code == 302
    assert snapshot.refused_differences == ["sdk"]
    assert AuditEvent.objects.get(act="refuse differences").reason == "It is so."


def test_staff_without_rights_sets_nothing(snapshot, client):
    client.force_login(UserFactory(is_staff=True))
    address = f"/admin/submissions/snapshotpolicy/{snapshot.pk}/change/"

    assert client.post(address, {"reason": "x"}).status_code == 403
