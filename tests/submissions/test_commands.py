"""The commands ``submit`` and ``evaluate``."""

from __future__ import annotations

from io import StringIO
from uuid import UUID, uuid4

import pytest
from django.core.management import CommandError, call_command

from evaluator import foreground
from submissions.models import Submission
from tests.factories import TeamFactory
from tests.submissions.bundles import files_for, write_archive
from tests.submissions.jobs import fail_all

pytestmark = pytest.mark.django_db


def submit(bundle, user) -> tuple[str, str]:
    out, err = StringIO(), StringIO()
    try:
        call_command("submit", str(bundle), user=str(user), stdout=out, stderr=err)
    except CommandError as error:
        return str(error), err.getvalue()
    return out.getvalue(), err.getvalue()


def write_folder(root, files):
    for name, data in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    return root


def test_an_archive_is_submitted_and_its_uuid_is_the_last_word(
    snapshot, user, tmp_path
):
    said, complained = submit(write_archive(tmp_path, files_for(snapshot)), user)

    submission = Submission.objects.get()
    assert UUID(said.split()[-1]) == submission.uuid
    assert complained == ""
    assert submission.user == user


def test_a_folder_is_submitted_like_an_archive(snapshot, user, tmp_path):
    folder = write_folder(tmp_path / "bundle", files_for(snapshot))

    said, _ = submit(folder, user)

    assert UUID(said.split()[-1]) == Submission.objects.get().uuid
    again, complained = submit(folder, user)
    assert "Not submitted: 1 error." in again
    assert "[duplicate]" in complained


def test_every_fault_has_its_line(snapshot, user, tmp_path):
    files = files_for(snapshot)
    files["notes.txt"] = b""
    files["manifest.json"] = b"{}"
    folder = write_folder(tmp_path / "bundle", {**files})
    (folder / "notes.txt").unlink()

    said, complained = submit(folder, user)

    lines = complained.splitlines()
    assert f"Not submitted: {len(lines)} errors." in said
    assert len(lines) > 10
    assert all(line.startswith("error: manifest.json: ") for line in lines)
    assert not Submission.objects.exists()


def test_a_link_in_a_folder_is_refused(snapshot, user, tmp_path):
    folder = write_folder(tmp_path / "bundle", files_for(snapshot))
    (folder / "manifest.json").unlink()
    (folder / "manifest.json").symlink_to("/etc/passwd")

    _, complained = submit(folder, user)

    assert "[member-kind]" in complained
    assert not Submission.objects.exists()


def test_a_team_of_the_user_may_own_it(snapshot, user, tmp_path):
    team = TeamFactory(owner=user)
    archive = write_archive(tmp_path, files_for(snapshot))

    call_command(
        "submit", str(archive), user=str(user), team=team.slug, stdout=StringIO()
    )

    assert Submission.objects.get().team == team


def test_a_team_of_others_is_refused_with_the_own_ones(snapshot, user, tmp_path):
    own, foreign = TeamFactory(owner=user), TeamFactory()
    archive = write_archive(tmp_path, files_for(snapshot))

    with pytest.raises(CommandError, match=f"Their teams: {own.slug}"):
        call_command("submit", str(archive), user=str(user), team=foreign.slug)
    assert not Submission.objects.exists()


def test_an_unknown_user_or_file_is_named_with_what_there_is(snapshot, user, tmp_path):
    archive = write_archive(tmp_path, files_for(snapshot))

    assert f"Known: {user}" in submit(archive, "nobody")[0]
    assert "does not exist" in submit(tmp_path / "none.zip", user)[0]


def test_evaluate_ends_well_only_when_every_job_is_scored(submission, monkeypatch):
    def work(evaluation, *, slots, on_progress):
        fail_all(submission)
        on_progress(submission.job_counts)
        return True

    monkeypatch.setattr(foreground, "evaluate", work)
    out = StringIO()

    call_command("evaluate", str(submission.pk), stdout=out)

    assert "4 of 4 scored" in out.getvalue()
    assert "All 4 task runs are scored." in out.getvalue()


def test_evaluate_tells_what_is_left_over(submission, monkeypatch):
    monkeypatch.setattr(
        foreground, "evaluate", lambda evaluation, *, slots, on_progress: False
    )

    with pytest.raises(CommandError, match="0 of 4 task runs are scored; 4 queued"):
        call_command("evaluate", str(submission.pk), stdout=StringIO())


def test_evaluate_can_be_stopped(submission, monkeypatch):
    def interrupted(evaluation, *, slots, on_progress):
        raise KeyboardInterrupt

    monkeypatch.setattr(foreground, "evaluate", interrupted)

    with pytest.raises(CommandError, match="given back") as caught:
        call_command("evaluate", str(submission.pk), stdout=StringIO())
    assert caught.value.returncode == 130


def test_evaluate_names_what_it_needs(db):
    with pytest.raises(CommandError, match="No submission"):
        call_command("evaluate", str(uuid4()))


def test_evaluate_needs_a_slot(submission):
    with pytest.raises(CommandError, match="1 or more"):
        call_command("evaluate", str(submission.pk), slots=0)
