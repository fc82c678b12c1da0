"""Snapshots as tasks of Harbor; what the real Harbor says is in test_real_harbor.py."""

from __future__ import annotations

import json
import subprocess
import tomllib
from pathlib import Path

import jsonschema
import pytest
from django.core.management import CommandError, call_command

from leaderboard.harbor import default_images, export_harbor, kept_digests, task_digest
from leaderboard.harbor.digests import base_commit
from leaderboard.harbor.task_toml import collect_command
from leaderboard.snapshots import import_package
from submissions.snapshot_facts import facts_of
from tests.factories import EvaluationSnapshotFactory
from tests.leaderboard.packages import write_package
from tests.submissions.bundles import manifest_for
from tests.submissions.harbor.jobs import job, trial, trial_config
from tests.submissions.uploads import check_upload

pytestmark = pytest.mark.django_db
# As printed by `harbor task schema` of Harbor 0.26.0.
SCHEMA = json.loads(Path(__file__).with_name("task_schema.json").read_text())
SLUGS = ("alpha", "beta")


@pytest.fixture
def snapshot(tmp_path):
    return import_package(write_package(tmp_path / "package", *SLUGS)).snapshot


@pytest.fixture
def exported(snapshot, tmp_path) -> Path:
    folder = tmp_path / "harbor"
    call_command("export_harbor", snapshot.version, str(folder), "--with-hidden-checks")
    return folder


def test_every_task_fits_the_schema_of_harbor(exported):
    for slug in SLUGS:
        told = tomllib.loads((exported / slug / "task.toml").read_text())

        jsonschema.validate(told, SCHEMA)
        assert told["schema_version"] == "1.4"
        assert told["task"]["name"] == f"openharmony-bench/{slug}"
        assert told["verifier"]["environment_mode"] == "separate"
        assert told["metadata"]["f_points"] == ["FP-1"]


def test_the_agent_is_given_the_statement_and_the_base_and_nothing_else(exported):
    task = exported / "alpha"
    assert (task / "instruction.md").read_text() == "The button does nothing.\n"
    given = {
        path.relative_to(task / "environment").as_posix()
        for path in (task / "environment").rglob("*")
        if path.is_file()
    }

    assert given == {"Dockerfile", "commit_base.sh", "project/entry/a.ets"}
    told = (task / "task.toml").read_text()
    assert "it_works" not in told
    assert "test_it" not in told


def test_the_base_commit_is_what_git_makes_of_it(exported, tmp_path):
    project = tmp_path / "project"
    (project / "a-b").mkdir(parents=True)
    (project / "a").mkdir()
    (project / "a-b" / "x.sh").write_text("run\n")
    (project / "a-b" / "x.sh").chmod(0o755)
    (project / "a" / "é.ets").write_text("text\n")
    (project / "a.b").write_bytes(b"\0\1\r\n")
    (project / ".gitignore").write_text("a.b\n")
    wanted = base_commit(project)

    script = exported / "alpha" / "environment" / "commit_base.sh"
    subprocess.run(["sh", script, project, wanted], check=True)

    failed = subprocess.run(
        ["sh", script, exported / "beta" / "environment" / "project", "0" * 40],
        capture_output=True,
        check=False,
    )
    assert failed.returncode != 0
    assert b"not the one of the task" in failed.stderr


def test_what_the_agent_did_is_collected_however_it_left_it(exported, tmp_path):
    """Committed or not, and whatever its own .gitignore hides."""
    project = exported / "alpha" / "environment" / "project"
    base = base_commit(project)
    script = project.parent / "commit_base.sh"
    subprocess.run(["sh", script, project, base], check=True)
    (project / "entry" / "a.ets").write_text("two\n")
    git = ["git", "-C", str(project), "-c", "user.name=a", "-c", "user.email=a@b.c"]
    subprocess.run([*git, "commit", "-qam", "done"], check=True)
    (project / ".gitignore").write_text("*.ets\n")
    (project / "entry" / "new.ets").write_text("new\n")
    (project / "entry" / "build").mkdir()
    (project / "entry" / "build" / "out.hap").write_bytes(b"\0")

    command = collect_command(base).replace("/app", str(project))
    command = command.replace("/logs/artifacts", str(tmp_path / "collected"))
    subprocess.run(["bash", "-c", command], check=True)

    patch = (tmp_path / "collected" / "model.patch").read_text()
    changed = [line for line in patch.splitlines() if line.startswith("diff --git")]
    assert changed == [
        f"diff --git a/{name} b/{name}"
        for name in (".gitignore", "entry/a.ets", "entry/new.ets")
    ]


def test_the_manifest_pins_the_tasks_and_the_digests_are_kept(exported, snapshot):
    told = tomllib.loads((exported / "dataset.toml").read_text())
    digests = {slug: task_digest(exported / slug) for slug in SLUGS}

    assert {each["name"]: each["digest"] for each in told["tasks"]} == {
        f"openharmony-bench/{slug}": digest for slug, digest in digests.items()
    }
    assert kept_digests(snapshot) == digests


def test_two_exports_are_equal_and_a_changed_check_is_another_task(
    exported, snapshot, tmp_path
):
    again = tmp_path / "again"
    digests = export_harbor(snapshot, again, images=default_images(snapshot))

    assert digests == kept_digests(snapshot)
    check = again / "alpha" / "tests" / "task" / "checks" / "it_works.py"
    check.write_text(check.read_text() + "\n")
    assert task_digest(again / "alpha") != digests["alpha"]


def test_hidden_checks_need_a_release_or_a_word(snapshot, tmp_path):
    with pytest.raises(CommandError, match=r"not released.*--with-hidden-checks"):
        call_command("export_harbor", snapshot.version, str(tmp_path / "harbor"))

    assert not (tmp_path / "harbor").exists()


def test_a_folder_that_is_in_use_and_tasks_that_are_not_held_are_refused(
    snapshot, tmp_path
):
    flag = "--with-hidden-checks"
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "file").touch()
    with pytest.raises(CommandError, match="not empty"):
        call_command("export_harbor", snapshot.version, str(tmp_path / "full"), flag)
    bare = EvaluationSnapshotFactory(task_count=0)
    with pytest.raises(CommandError, match="not held"):
        call_command("export_harbor", bare.version, str(tmp_path / "none"), flag)
    with pytest.raises(CommandError, match="No snapshot"):
        call_command("export_harbor", "other", str(tmp_path / "none"), flag)


def job_on(snapshot, run, *, digests):
    """A finished job on the exported tasks, as Harbor leaves it."""
    trials = [
        trial(
            slug,
            run,
            task_name=f"{snapshot.benchmark.slug}/{slug}",
            config=trial_config(slug),
        )
        for slug in SLUGS
    ]
    for slug, each in zip(SLUGS, trials, strict=True):
        (lock,) = [name for name in each if name.endswith("/lock.json")]
        task = {"name": slug, "digest": digests[slug]}
        each[lock] = json.dumps({"task": task}).encode()
    return job(f"run-{run}", *trials)


@pytest.mark.parametrize("changed", [False, True])
def test_jobs_on_exported_tasks_are_read_and_bound_to_the_export(
    exported, snapshot, tmp_path, changed
):
    snapshot.status = "open"
    snapshot.save()
    digests = kept_digests(snapshot)
    if changed:
        digests["beta"] = f"sha256:{'0' * 64}"
    manifest = manifest_for(snapshot)
    manifest["agent"] = {"name": "Sample Agent", "version": "1.0"}
    files = {"manifest.json": json.dumps(manifest).encode()}
    for run in (1, 2, 3):
        files |= job_on(snapshot, run, digests=digests)

    checked = check_upload(files, tmp_path, facts=facts_of(snapshot))

    assert [(each.run, each.task) for each in checked.bundle.units] == [
        (run, slug) for run in (1, 2, 3) for slug in SLUGS
    ]
    deviations = checked.bundle.manifest.origin.deviations
    assert deviations == (["another version of the task beta"] if changed else [])
