"""Filling in manifest.json on a page."""

from __future__ import annotations

import json
import re
import shutil
from html import unescape
from pathlib import Path
from uuid import uuid4

import pytest
from django.test import Client

from leaderboard.models import EvaluationSnapshot, SnapshotStatus
from leaderboard.snapshots import import_package
from submissions import services
from submissions.archive.folder import pack_folder
from submissions.manifest import parse_manifest
from submissions.manifest_form import LABELS, ManifestForm, rows_of_form
from submissions.manifest_schema import flat, nested
from tests.factories import UserFactory
from tests.submissions.bundles import make_snapshot

pytestmark = pytest.mark.django_db
FORM = "/submit/manifest/"
FIXTURES = Path(__file__).parents[2] / "fixtures"
OWN_WORDS = {
    "model.identifier": "sample-model-a",
    "model.provider": "Sample Lab",
    "execution_environment.operating_system": "Sample OS 1.0",
    "execution_environment.hardware": "8 cores",
    "execution_environment.notes": "One line.\r\nAnd another with é.",
    "contact.name": "A. Person",
    "contact.email": "person@example.org",
}


# What a snapshot may leave open.
PARAMETERS = {
    "run_parameters.temperature": "0.7",
    "run_parameters.context_window_tokens": "200000",
    "run_parameters.reasoning_budget_tokens": "65500",
}


def filled_in(client: Client, address: str) -> dict[str, str]:
    """What a browser would send of the form as it was served."""
    page = client.get(address).content.decode()
    found = {}
    for tag in re.findall(r'<input type="text"[^>]*>', page):
        name = re.search(r'name="([^"]*)"', tag)[1]
        value = re.search(r'value="([^"]*)"', tag)
        found[name] = unescape(value[1]) if value else ""
    for name, options in re.findall(
        r'<select name="([^"]*)"[^>]*>(.*?)</select>', page, re.S
    ):
        if chosen := re.search(r'value="([^"]*)" selected', options):
            found[name] = chosen[1]
    notes = re.search(r"<textarea[^>]*>\s?(.*?)</textarea>", page, re.S)
    found["execution_environment.notes"] = unescape(notes[1])
    return found


def errors_of(**changes: str) -> dict[str, list[str]]:
    examples = {
        row.name: "" if row.example is None else str(row.example)
        for row in rows_of_form()
    }
    form = ManifestForm({**examples, **changes})
    return dict(form.errors)


@pytest.fixture
def demo(db) -> EvaluationSnapshot:
    import_package(FIXTURES / "snapshots" / "demo")
    EvaluationSnapshot.objects.update(status=SnapshotStatus.OPEN)
    return EvaluationSnapshot.objects.get()


def test_the_form_of_the_demo_snapshot_gives_a_manifest_that_a_sample_is_taken_with(
    client, user, demo, tmp_path
):
    address = f"{FORM}?snapshot={demo.version}"
    answer = client.post(address, {**filled_in(client, address), **OWN_WORDS})
    folder = shutil.copytree(FIXTURES / "bundles" / "sample-a", tmp_path / "a")
    (folder / "manifest.json").write_bytes(answer.content)

    report = services.check(user, pack_folder(folder, tmp_path / "a.zip"))

    assert answer.status_code == 200
    assert report.ok, report.as_dict()
    assert {each.code.value for each in report.warnings} <= {"patch-does-not-apply"}


def test_the_answer_is_a_file_of_the_very_values(client, snapshot):
    answer = client.post(FORM, {**filled_in(client, FORM), **OWN_WORDS, **PARAMETERS})

    assert answer["Content-Type"] == "application/json"
    assert answer["Content-Disposition"] == 'attachment; filename="manifest.json"'
    assert answer["X-Content-Type-Options"] == "nosniff"
    manifest = parse_manifest(answer.content)
    assert manifest.benchmark_version == snapshot.version
    assert manifest.run_parameters.temperature == 0.7
    assert manifest.run_configuration.runs == snapshot.run_count
    assert manifest.model.family is None
    assert manifest.execution_environment.notes == "One line.\nAnd another with é."
    assert list(json.loads(answer.content))[:3] == [
        "schema_version",
        "mode",
        "benchmark",
    ]


def test_every_field_has_a_label_its_help_and_a_required_mark(client, snapshot):
    page = client.get(FORM).content.decode()

    assert [row.name for row in rows_of_form()] == list(LABELS)
    for row in rows_of_form():
        field = f"id_{row.name}"
        tag = re.search(
            rf'<(?:input|select|textarea)[^>]*name="{re.escape(row.name)}"[^>]*>', page
        )
        assert f'for="{field}"' in page
        assert f'aria-describedby="{field}_helptext"' in tag[0]
        assert f'id="{field}_helptext"' in page
        assert ("required" in tag[0]) is row.required


def test_an_empty_form_tells_every_required_field_at_once(client, snapshot):
    answer = client.post(FORM, {})

    page = answer.content.decode()
    assert answer.status_code == 400
    for row in rows_of_form():
        assert (f'id="id_{row.name}_error"' in page) is row.required
    assert page.count("Fill this in.") == sum(r.required for r in rows_of_form())


def test_what_was_typed_stays_and_is_escaped(client, snapshot):
    page = client.post(FORM, {"contact.name": '"><img src=x>'}).content.decode()

    assert "<img src=x" not in page
    assert "&lt;img src=x&gt;" in page


@pytest.mark.parametrize(
    ("name", "text", "told"),
    [
        ("run_configuration.runs", "three", "Give a whole number."),
        ("run_configuration.runs", "3.5", "Give a whole number."),
        ("run_configuration.runs", "true", "Give a whole number."),
        ("run_configuration.runs", "0", "Give 1 or more."),
        ("run_configuration.runs", "9" * 5000, "Give a whole number."),
        ("run_parameters.temperature", "NaN", "Give a number."),
        ("run_parameters.temperature", "0,7", "Give a number."),
        ("task_snapshot_date", "2026-02-30", "Give a day that exists"),
        ("task_snapshot_date", "1 Nov 2026", "Give a date written YYYY-MM-DD."),
        ("contact.email", "nobody", "Give an e-mail address."),
        ("sdk", "x" * 41, "Give at most 40 characters."),
        ("sdk", "API\u202e23", "Give one line of text without control"),
        ("sdk", "API\x0023", "Null characters are not allowed."),
        ("schema_version", "2", "Give"),
        ("mode", "agent", "Give 'workspaces' or 'configuration'."),
    ],
)
def test_a_wrong_value_is_told_at_its_field(name, text, told):
    errors = errors_of(**{name: text})

    assert list(errors) == [name]
    assert len(errors[name]) == 1
    assert errors[name][0].startswith(told)


def test_faults_of_several_objects_are_told_together():
    errors = errors_of(**{"sdk": "", "contact.email": "x", "agent.name": " "})

    assert set(errors) == {"sdk", "contact.email", "agent.name"}


def test_the_errors_are_told_in_chinese(client, snapshot):
    answer = client.post(f"/zh-hans{FORM}", {"run_configuration.runs": "x"})

    assert "请填写此项。" in answer.content.decode()
    assert "请给出整数。" in answer.content.decode()


def test_versions_stay_text_and_accents_are_composed(client, snapshot):
    words = {"agent.version": "1.10", "contact.name": "Rene\u0301"}
    answer = client.post(
        FORM, {**filled_in(client, FORM), **OWN_WORDS, **PARAMETERS, **words}
    )

    manifest = parse_manifest(answer.content)
    assert manifest.agent.version == "1.10"
    assert manifest.contact.name == "Ren\u00e9"


def test_an_own_submission_fills_in_the_form(signed_in, submission):
    given = filled_in(signed_in, f"{FORM}?from={submission.pk}")

    told = {name: str(value) for name, value in flat(submission.manifest).items()}
    assert given.items() >= {k: v for k, v in told.items() if v != "None"}.items()


def test_a_snapshot_goes_over_the_values_of_a_submission(signed_in, submission):
    newer = make_snapshot(sdk="API 99")

    given = filled_in(
        signed_in, f"{FORM}?from={submission.pk}&snapshot={newer.version}"
    )

    assert given["sdk"] == "API 99"
    assert given["model.identifier"] == submission.manifest["model"]["identifier"]


@pytest.mark.parametrize("who", ["visitor", "stranger"])
def test_a_submission_of_others_fills_in_nothing(who, client, submission):
    if who == "stranger":
        client.force_login(UserFactory())

    for method in (client.get, client.post):
        assert method(f"{FORM}?from={submission.pk}").status_code == 404
        assert method(f"{FORM}?from={uuid4()}").status_code == 404
    assert client.get(f"{FORM}?from=mine").status_code == 404


def test_a_snapshot_that_is_not_open_is_named(client, snapshot):
    page = client.get(f"{FORM}?snapshot=v9").content.decode()

    assert "v9" in page
    assert filled_in(client, f"{FORM}?snapshot=v9")["benchmark_version"] == (
        snapshot.version
    )


def test_there_is_a_form_without_any_snapshot(client, db):
    given = filled_in(client, FORM)

    assert given["schema_version"] == "1"
    assert given["run_configuration.runs"] == given["sdk"] == ""


def test_the_form_asks_for_its_token(snapshot):
    client = Client(enforce_csrf_checks=True)

    assert client.post(FORM, OWN_WORDS).status_code == 403


def test_the_page_of_uploads_leads_to_the_form(signed_in, submission):
    page = signed_in.get(f"/submit/?copy_of={submission.pk}").content.decode()

    assert f'href="{FORM}"' in page
    assert f'href="{FORM}?snapshot={submission.snapshot.version}"' in page
    assert f'href="{FORM}?from={submission.pk}"' in page


def test_paths_and_documents_are_each_others_opposite():
    document = json.loads((FIXTURES / "bundles/sample-a/manifest.json").read_text())

    assert nested(flat(document)) == document
