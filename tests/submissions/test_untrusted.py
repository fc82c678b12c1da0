"""Without a sandbox: what a person reads who may not submit here."""

from __future__ import annotations

import pytest

from submissions.models import Submission
from tests.evaluator.test_status import add_worker
from tests.submissions.bundles import files_for, zipped
from tests.submissions.test_pages import SUBMIT, text_of, upload

pytestmark = pytest.mark.django_db


def test_the_form_says_beforehand_what_is_taken(signed_in, snapshot, isolating):
    assert "No sandbox here" not in text_of(signed_in.get(SUBMIT))

    isolating(False)

    assert "No sandbox here" in text_of(signed_in.get(SUBMIT))


def test_a_maintainer_reads_no_such_thing(client, maintainer, isolating):
    isolating(False)
    client.force_login(maintainer)

    assert "No sandbox here" not in text_of(client.get(SUBMIT))


def test_the_refusal_does_not_blame_the_bundle(signed_in, snapshot, isolating):
    isolating(False)

    text = text_of(upload(signed_in, zipped(files_for(snapshot))))

    assert "Nothing is wrong with the bundle" in text
    assert "Correct all of it" not in text
    assert "The samples of this project are taken from everybody." in text
    assert not Submission.objects.exists()


def test_a_faulty_bundle_is_still_to_be_corrected(signed_in, snapshot, isolating):
    isolating(False)
    files = files_for(snapshot)
    files["notes.txt"] = b""

    text = text_of(upload(signed_in, zipped(files)))

    assert "Correct all of it" in text


def test_a_worker_with_a_sandbox_is_enough(signed_in, snapshot, isolating):
    isolating(False)
    add_worker(capabilities={"isolates": False})
    assert upload(signed_in, zipped(files_for(snapshot))).status_code == 400

    add_worker("other:1", capabilities={"isolates": True})

    assert upload(signed_in, zipped(files_for(snapshot))).status_code == 302
    assert not Submission.objects.get().trusted
