"""A submission is looked through in the background, as often as need be."""

from __future__ import annotations

import json
from datetime import timedelta

import pytest
from django.conf import settings
from django.core.management import CommandError, call_command
from django.utils import timezone

from evaluator.models import Job
from leaderboard.models import TaskResult
from leaderboard.snapshots import import_package
from submissions import services, tasks
from submissions.integrity import scan
from submissions.integrity.briefs import brief_of
from submissions.integrity.catalogue import RULES
from submissions.integrity.verdicts import judge
from submissions.models import (
    IntegrityScan,
    IntegritySignal,
    Submission,
    SubmissionState,
)
from tests.factories import UserFactory
from tests.leaderboard.packages import write_package
from tests.submissions.bundles import files_for, make_snapshot, write_archive
from tests.submissions.integrity.cases import CASES, read_case, trajectory_bytes
from tests.submissions.jobs import fail_all

pytestmark = pytest.mark.django_db


def received(tmp_path, files, user=None) -> Submission:
    archive = write_archive(tmp_path, files)
    receipt = services.receive(user or UserFactory(), archive, origin="page", tick=True)
    assert receipt.submission is not None, receipt.report
    return receipt.submission


@pytest.fixture
def files(snapshot) -> dict[str, bytes]:
    """A bundle whose trajectories differ all."""
    found = files_for(snapshot)
    for name in list(found):
        if name.endswith("trajectory.jsonl"):
            found[name] = f'{{"here": "{name}"}}\n'.encode()
    return found


@pytest.fixture
def suspect(tmp_path, snapshot, files) -> Submission:
    """The second task of run 2 looked at the history of git."""
    case = read_case(next(path for path in CASES if path.stem == "git_history-1"))
    task = snapshot.tasks.last()
    files[f"runs/2/{task.slug}/trajectory.jsonl"] = trajectory_bytes(case)
    return received(tmp_path, files)


def codes(submission: Submission) -> list[str]:
    return sorted(submission.integrity_signals.values_list("code", flat=True))


def test_a_signal_names_run_task_file_and_line(suspect):
    done = scan.look_at(suspect)

    assert done.finished_at is not None
    signal = suspect.integrity_signals.get(code="git_history")
    assert (signal.run_number, signal.task) == (2, suspect.snapshot.tasks.last())
    assert (signal.file, signal.position) == ("trajectory.jsonl", 3)
    assert signal.seen == "git log --all --oneline --graph"


def test_looking_twice_gives_the_same_rows(suspect):
    scan.look_at(suspect)
    before = list(suspect.integrity_signals.order_by("pk").values())
    scan.look_at(suspect)

    assert list(suspect.integrity_signals.order_by("pk").values()) == before


def test_no_score_and_no_state_changes(suspect):
    fail_all(suspect)
    evaluation = suspect.evaluation
    before = list(evaluation.totals.values()), suspect.shown_state

    scan.look_at(suspect)

    assert (list(evaluation.totals.values()), suspect.shown_state) == before


def test_what_is_not_found_again_goes_unless_somebody_judged_it(suspect, maintainer):
    scan.look_at(suspect)
    kept = suspect.integrity_signals.get(code="git_history")
    judge(kept, by=maintainer, decision="confirmed", reason="x")
    IntegritySignal.objects.exclude(pk=kept.pk).delete()
    IntegritySignal.objects.update(fingerprint="0" * 64)
    gone = IntegritySignal.objects.create(
        submission=suspect,
        code="device_use",
        severity="flag",
        score=0.5,
        seen="hdc list",
        fingerprint="1" * 64,
    )

    scan.look_at(suspect)

    kept.refresh_from_db()
    assert not kept.current
    assert not IntegritySignal.objects.filter(pk=gone.pk).exists()
    assert codes(suspect).count("git_history") == 2


def test_a_trajectory_in_two_places_is_told_at_the_second(tmp_path, snapshot, files):
    slug = snapshot.tasks.first().slug
    files[f"runs/2/{slug}/trajectory.jsonl"] = files[f"runs/1/{slug}/trajectory.jsonl"]
    submission = received(tmp_path, files)

    scan.look_at(submission)

    signal = submission.integrity_signals.get(code="trajectory_repeated")
    assert (signal.run_number, signal.score) == (2, 1.0)
    assert signal.seen == f"the very trajectory of run 1, {slug}"


def of_another_model(files: dict[str, bytes]) -> dict[str, bytes]:
    manifest = json.loads(files["manifest.json"])
    manifest["model"]["identifier"] = "another-model"
    return {**files, "manifest.json": json.dumps(manifest).encode()}


def test_the_same_patch_of_an_unrelated_configuration_is_told(
    tmp_path, snapshot, files
):
    first = received(tmp_path, files)
    second = received(tmp_path, of_another_model(files))

    scan.look_at(second)

    found = second.integrity_signals.filter(code="patch_repeated")
    assert found.count() == 4
    assert found[0].score == 0.3
    assert f"evaluation {first.evaluation.pk}" in found[0].seen


def test_the_same_patch_of_the_same_people_or_the_same_model_is_no_signal(
    tmp_path, snapshot, files
):
    first = received(tmp_path, files)
    same_model = received(tmp_path, files)
    Job.objects.all().delete()
    same_people = received(tmp_path, of_another_model(files), user=same_model.user)
    first.evaluation.configuration = same_people.evaluation.configuration
    first.evaluation.save()

    scan.look_at(same_people)

    assert not same_people.integrity_signals.filter(code="patch_repeated").exists()


def test_results_are_looked_at_once_they_are_there(suspect):
    scan.look_at(suspect)
    assert not scan.due().exists()
    fail_all(suspect)
    assert list(scan.due()) == [suspect]
    TaskResult.objects.filter(run__number=1).update(
        reason="patch_rejected",
        detail="link entry/x: is a symbolic link",
        flags=[
            "restored hvigorfile.ts",
            "permission_added entry/src/main/module.json5",
        ],
    )

    scan.look_at(suspect)

    severities = dict(
        suspect.integrity_signals.filter(run_number=1).values_list("code", "severity")
    )
    assert severities["patch_refused"] == "refuse"
    assert severities["patch_restored"] == "restore"
    assert severities["patch_note"] == "flag"
    assert not scan.due().exists()


def test_success_without_any_change_is_told(suspect):
    fail_all(suspect)
    TaskResult.objects.filter(run__number=2).update(
        completed=True, reason="", final_build_ok=True, f_points_passed=1
    )
    Job.objects.filter(run__number=2).update(facts={"empty": True})
    Job.objects.filter(run__number=1).update(facts={"empty": False})

    scan.look_at(suspect)

    found = suspect.integrity_signals.filter(code="empty_completed")
    assert {signal.run_number for signal in found} == {2}


def test_new_rules_make_everything_due_again(suspect):
    scan.look_at(suspect)
    IntegrityScan.objects.update(rules=RULES - 1)

    assert list(scan.due()) == [suspect]


def test_trouble_of_ours_is_kept_and_the_evaluation_goes_on(suspect, monkeypatch):
    def fail(*args, **kwargs):
        raise OSError("the storage is away")

    monkeypatch.setattr("submissions.integrity.looking.open_blob", fail)

    done = scan.look_at(suspect)
    fail_all(suspect)

    assert done.trouble == "OSError: the storage is away"
    assert suspect.shown_state == SubmissionState.EVALUATED
    with pytest.raises(CommandError, match="the storage is away"):
        call_command("audit_integrity", str(suspect.pk))


def test_a_scan_whose_process_died_is_begun_again_three_times_at_most(suspect):
    for tries in (1, 2, 3):
        assert scan._begin(suspect).tries == tries
        assert scan.look_at(suspect) is None
        assert not scan.due().exists()
        dead = timezone.now() - scan.GIVEN_UP_AFTER - timedelta(seconds=1)
        IntegrityScan.objects.update(started_at=dead)
        assert scan.due().exists() == (tries < 3)

    assert scan.look_at(suspect).finished_at is not None


def test_a_slow_scan_does_not_overwrite_a_later_one(suspect):
    slow = scan._begin(suspect)
    dead = timezone.now() - scan.GIVEN_UP_AFTER - timedelta(seconds=1)
    IntegrityScan.objects.update(started_at=dead)
    scan.look_at(suspect)
    before = codes(suspect)

    scan._keep(slow, [], {})

    assert codes(suspect) == before


def test_the_task_looks_at_everything_that_is_due_and_survives_one_that_fails(
    suspect, tmp_path, files, monkeypatch
):
    other = received(tmp_path, of_another_model(files))
    look_at = scan.look_at

    def picky(submission):
        if submission == suspect:
            monkeypatch.setattr(scan, "found_in", lambda *_: 1 / 0)
        else:
            monkeypatch.undo()
        return look_at(submission)

    monkeypatch.setattr(scan, "look_at", picky)
    tasks.look_through_submissions()

    assert suspect.integrity_scan.trouble.startswith("ZeroDivisionError")
    assert IntegrityScan.objects.get(submission=other).finished_at is not None


def test_acceptance_asks_for_a_look(
    tmp_path, files, monkeypatch, django_capture_on_commit_callbacks
):
    asked = []
    monkeypatch.setattr("evaluator.hints._call", asked.append)

    with django_capture_on_commit_callbacks(execute=True):
        received(tmp_path, files)

    assert asked == [tasks.look_through_submissions.name]
    assert asked[0] in {
        entry["task"] for entry in settings.CELERY_BEAT_SCHEDULE.values()
    }


def test_the_command_prints_what_was_seen(suspect, capsys):
    call_command("audit_integrity", str(suspect.pk))

    out = capsys.readouterr().out
    assert "git_history: Search in the history of git" in out
    assert "trajectory.jsonl:3: git log --all" in out
    assert "open" in out.splitlines()[-1]


@pytest.mark.parametrize("uuid", ["7", "00000000-0000-0000-0000-000000000000"])
def test_the_command_names_a_submission_that_is_not_there(uuid):
    with pytest.raises(CommandError, match=f"No submission '{uuid}'"):
        call_command("audit_integrity", uuid)


def test_the_reference_and_the_checks_come_from_the_task_package(tmp_path, settings):
    settings.DATA_DIR = tmp_path / "data"
    snapshot = import_package(write_package(tmp_path / "package", "alpha")).snapshot
    brief = brief_of(snapshot.tasks.get())

    assert brief.base_paths and "\ndiff --git" in brief.reference
    assert brief.checks and brief.scripts and brief.methods


def test_without_a_package_the_rest_is_looked_for_all_the_same():
    task = make_snapshot().tasks.first()

    assert brief_of(task).base == {}
    assert brief_of(task).statement == task.statement
