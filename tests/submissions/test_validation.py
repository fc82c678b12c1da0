"""One pass over an upload finds everything that is to be said about it."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import date
from pathlib import Path

import pytest

from submissions.archive import pack_folder
from submissions.comparability import SnapshotFacts
from submissions.findings import Code
from submissions.validation import validate
from tests.submissions.corpus.contents import FACTS, files, manifest
from tests.submissions.corpus.zips import Entry, write_zip

FIXTURES = Path(__file__).parents[2] / "fixtures"


@pytest.fixture
def check(tmp_path):
    """Validates the honest bundle with some files changed; None removes one."""

    def run(changes=None, *, snapshot=FACTS):
        contents = {**files(), **(changes or {})}
        archive = tmp_path / "bundle.zip"
        archive.write_bytes(
            write_zip(
                [
                    Entry(name, data)
                    for name, data in contents.items()
                    if data is not None
                ]
            )
        )
        return validate(
            archive,
            spool=tmp_path / "spool",
            snapshot_for=lambda benchmark, version: snapshot,
            known_versions=["1.9", "1.10"],
        )

    return run


def manifest_with(**changes) -> bytes:
    return json.dumps({**manifest(), **changes}).encode()


def test_an_honest_bundle_has_nothing_to_report(check):
    bundle, report = check()

    assert report.ok
    assert report.as_dict() == {"errors": [], "warnings": []}
    assert bundle is not None
    assert bundle.manifest.benchmark_version == "1.10"
    assert len(bundle.units) == 4


def test_everything_wrong_comes_back_in_one_report(check):
    broken = manifest()
    del broken["contact"]
    bundle, report = check(
        {
            "manifest.json": json.dumps(broken).encode(),
            "notes.txt": b"foreign",
            "runs/1/alpha-task/usage.json": b'{"total_tokens": -5}',
            "runs/1/beta-task/first.patch": b"x" * (8 * 1024 * 1024 + 1),
            "runs/2/alpha-task/build.log": b"ghp_" + b"a1" * 18,
        }
    )

    assert bundle is None
    assert {each.code for each in report.errors} == {
        Code.MANIFEST_FIELD_MISSING,
        Code.MEMBER_NAME,
        Code.USAGE_INVALID,
        Code.PATCH_TOO_LARGE,
        Code.SECRET,
    }


def test_a_fault_of_every_kind_at_once_is_told_with_every_code(tmp_path):
    """Nothing that is wrong hides anything else that is wrong."""
    stated = manifest()
    del stated["contact"]["email"]
    stated["surprise"] = 1
    stated["toolchain"] = "Another Toolchain"
    stated["device_profile"] = "Another Device"
    stated["run_parameters"]["temperature"] = float("nan")
    stated["run_configuration"]["runs"] = 9
    text = json.dumps(stated).replace('"API 1"', "1.10")
    hostile = b"--- a/../../x\n+++ b/../../x\n@@ -1 +1 @@\n-a\n+b\n"
    contents = files() | {
        "manifest.json": text.encode(),
        "notes.txt": b"foreign",
        "runs/1/alpha-task/final.patch": hostile,
        "runs/1/alpha-task/usage.json": b'{"agent_seconds": 1e999, "total_tokens": -4}',
        "runs/1/alpha-task/build.log": b"ghp_" + b"a1" * 18,
        "runs/1/beta-task/first.patch": b"x" * (8 * 1024 * 1024 + 1),
        "runs/1/beta-task/trajectory.jsonl": b"{}",
        "runs/1/beta-task/trajectory.json": b"{}",
        "runs/2/alpha-task/usage.json": b'{"total_tokens": 0}',
        "runs/1/alpha-task/trajectory.jsonl": b"{}",
        "runs/2/alpha-task/trajectory.jsonl": b"{}",
        "runs/1/gamma-task/final.patch": b"",
        "runs/7/alpha-task/final.patch": b"",
    }
    del contents["runs/2/beta-task/final.patch"]
    entries = [Entry(name, data) for name, data in contents.items()]
    twice = "runs/2/alpha-task/final.patch"
    archive = tmp_path / "bundle.zip"
    archive.write_bytes(write_zip([*entries, Entry(twice, contents[twice])]))
    snapshot = replace(
        FACTS,
        refused_differences=("device_profile",),
        base_file=lambda task, path: None,
    )

    bundle, report = validate(
        archive,
        spool=tmp_path / "spool",
        snapshot_for=lambda benchmark, version: snapshot,
        known_versions=["1.10"],
    )

    assert bundle is None
    assert {each.code for each in report.errors} == {
        Code.MEMBER_NAME,
        Code.MEMBER_DUPLICATE,
        Code.JSON_NUMBER,
        Code.MANIFEST_FIELD_MISSING,
        Code.MANIFEST_FIELD_UNKNOWN,
        Code.MANIFEST_FIELD_INVALID,
        Code.SNAPSHOT_REFUSES,
        Code.RUN_COUNT,
        Code.RUN_NUMBER,
        Code.TASK_UNKNOWN,
        Code.TASK_RUN_MISSING,
        Code.PATCH_TOO_LARGE,
        Code.PATCH_HOSTILE,
        Code.USAGE_INVALID,
        Code.TRAJECTORY_TWICE,
        Code.SECRET,
    }
    assert {each.code for each in report.warnings} == {
        Code.SNAPSHOT_DIFFERS,
        Code.PATCH_DOES_NOT_APPLY,
        Code.USAGE_CONTRADICTS,
        Code.TRAJECTORY_MISSING,
        Code.TRAJECTORY_REPEATED,
    }


def test_without_a_readable_version_the_snapshot_is_not_guessed(check):
    bundle, report = check(
        {
            "manifest.json": manifest_with(benchmark_version=1.1),
            "runs/1/gamma-task/final.patch": b"",
        }
    )

    assert bundle is None
    (finding,) = report.errors
    assert finding.code == Code.MANIFEST_FIELD_INVALID
    assert finding.where == "manifest.json: benchmark_version"


def test_differing_run_parameters_are_warned_of_by_name(check):
    parameters = {**manifest()["run_parameters"], "temperature": 0.7}
    _, report = check({"manifest.json": manifest_with(run_parameters=parameters)})

    assert report.ok
    (finding,) = report.warnings
    assert finding.code == Code.SNAPSHOT_DIFFERS
    assert finding.where == "manifest.json: run_parameters.temperature"
    assert finding.saw == "0.7, and the snapshot has 0"


def test_missing_task_runs_are_grouped_by_run(check):
    _, report = check(
        {
            "runs/1/alpha-task/final.patch": None,
            "runs/2/alpha-task/final.patch": None,
            "runs/2/beta-task/final.patch": None,
        }
    )

    found = [(each.code, each.where, each.saw) for each in report.errors]
    assert found == [
        (
            Code.TASK_RUN_MISSING,
            "runs/1",
            "1 of 2 tasks without final.patch: alpha-task",
        ),
        (
            Code.TASK_RUN_MISSING,
            "runs/2",
            "2 of 2 tasks without final.patch: alpha-task, beta-task",
        ),
    ]


def test_a_misspelled_task_is_named_with_its_runs_and_the_likely_name(check):
    _, report = check(
        {"runs/1/alfa-task/final.patch": b"", "runs/2/alfa-task/final.patch": b""}
    )

    (finding,) = report.errors
    assert finding.code == Code.TASK_UNKNOWN
    assert finding.saw.endswith("in the runs 1, 2")
    assert finding.fix == "Rename it to alpha-task, or remove it."


def test_foreign_run_numbers_are_told_once_each(check):
    _, report = check(
        {"runs/7/alpha-task/final.patch": b"", "runs/7/beta-task/final.patch": b""}
    )

    (finding,) = report.errors
    assert (finding.code, finding.where) == (Code.RUN_NUMBER, "runs/7")
    assert finding.fix == "Number the runs 1 to 2."


def test_an_unknown_version_names_the_known_ones(check):
    bundle, report = check(snapshot=None)

    (finding,) = report.errors
    assert bundle is None
    assert finding.code == Code.SNAPSHOT_UNKNOWN
    assert finding.where == "manifest.json: benchmark_version"
    assert "1.9, 1.10" in finding.fix


def test_a_closed_snapshot_refuses_and_the_check_goes_on(check):
    bundle, report = check(
        {"runs/1/alpha-task/usage.json": b"[]"},
        snapshot=replace(FACTS, takes_submissions=False),
    )

    assert bundle is None
    assert {each.code for each in report.errors} == {
        Code.SNAPSHOT_CLOSED,
        Code.USAGE_INVALID,
    }


def test_another_number_of_runs_is_an_error(check):
    configuration = {"runs": 5, "repair_limit": 5}
    _, report = check({"manifest.json": manifest_with(run_configuration=configuration)})

    (finding,) = report.errors
    assert (finding.code, finding.saw) == (Code.RUN_COUNT, "5")


def test_differing_fields_are_warnings_with_both_values(check):
    bundle, report = check({"manifest.json": manifest_with(sdk="API 9")})

    (finding,) = report.warnings
    assert bundle is not None
    assert finding.code == Code.SNAPSHOT_DIFFERS
    assert finding.where == "manifest.json: sdk"
    assert finding.saw == '"API 9", and the snapshot has "API 1"'


def test_repair_rounds_are_bounded_by_the_snapshot(check):
    usage = {"runs/1/alpha-task/usage.json": b'{"repair_rounds": 4}'}

    assert check(usage)[1].ok
    _, report = check(usage, snapshot=replace(FACTS, repair_limit=3))
    assert Code.USAGE_INVALID in {each.code for each in report.errors}


def test_missing_trajectories_are_a_warning_grouped_by_run(check):
    bundle, report = check(
        {
            "runs/2/alpha-task/trajectory.jsonl": None,
            "runs/2/beta-task/trajectory.jsonl": None,
        }
    )

    (finding,) = report.warnings
    assert bundle is not None
    assert (finding.code, finding.where) == (Code.TRAJECTORY_MISSING, "runs/2")
    assert "alpha-task, beta-task" in finding.saw


def test_a_snapshot_that_asks_for_trajectories_says_what_their_lack_means(check):
    missing = {"runs/2/alpha-task/trajectory.jsonl": None}

    _, report = check(missing, snapshot=replace(FACTS, asks_for_trajectories=True))
    _, unasked = check(missing)

    assert report.ok
    assert "unverified and not ranked" in report.warnings[0].fix
    assert "unverified" not in unasked.warnings[0].fix


def test_runs_that_share_a_trajectory_are_a_warning(check):
    same = files()["runs/1/alpha-task/trajectory.jsonl"]
    bundle, report = check({"runs/2/alpha-task/trajectory.jsonl": same})

    (finding,) = report.warnings
    assert bundle is not None
    assert finding.code == Code.TRAJECTORY_REPEATED
    assert finding.where == "runs/1/alpha-task"
    assert finding.saw.endswith("in the runs 1, 2")


@pytest.mark.parametrize(
    "name",
    [
        "runs/1/alpha-task/final.patch",
        "runs/1/alpha-task/build.log",
        "runs/1/alpha-task/trajectory.jsonl",
    ],
)
def test_a_key_in_any_file_refuses_the_upload_without_repeating_it(check, name):
    key = "-----BEGIN " + "PRIVATE KEY-----"
    token = "ghp_" + "Z9" * 18
    bundle, report = check({name: f"one\n{key}\n{token}\n".encode()})

    assert bundle is None
    assert [each.where for each in report.errors] == [f"{name}:2", f"{name}:3"]
    assert token not in json.dumps(report.as_dict())


def test_a_manifest_that_cannot_be_read_does_not_hide_the_rest(check):
    _, report = check(
        {
            "manifest.json": b"{",
            "runs/1/alpha-task/usage.json": b'{"repair_rounds": -1}',
        }
    )

    assert {each.code for each in report.errors} == {
        Code.JSON_SYNTAX,
        Code.USAGE_INVALID,
    }


def test_two_thousand_foreign_tasks_are_answered_quickly_and_shortly(check):
    foreign = {f"runs/1/task-{index}/final.patch": b"" for index in range(2000)}

    _, report = check(foreign)

    assert len(report.errors) < 40


@pytest.mark.parametrize("sample", ["sample-a", "sample-b"])
def test_the_sample_bundles_of_the_repository_are_sound(sample, tmp_path):
    archive = pack_folder(FIXTURES / "bundles" / sample, tmp_path / "bundle.zip")

    bundle, report = validate(
        archive,
        spool=tmp_path / "spool",
        snapshot_for=lambda benchmark, version: demo_facts(),
        known_versions=[],
    )

    assert report.ok, report.as_dict()
    assert not [each for each in report.warnings if each.code == Code.SNAPSHOT_DIFFERS]
    assert bundle is not None
    assert len(bundle.units) == 36


def demo_facts() -> SnapshotFacts:
    folder = FIXTURES / "snapshots" / "demo"
    told = json.loads((folder / "snapshot.json").read_text())
    return SnapshotFacts(
        benchmark=told["benchmark"]["slug"],
        benchmark_version=told["version"],
        task_snapshot_date=date.fromisoformat(told["task_snapshot_date"]),
        evaluation_scripts=told["evaluation_scripts"],
        agent_name=told["agent"]["name"],
        agent_version=told["agent"]["version"],
        sdk=told["sdk"],
        toolchain=told["toolchain"],
        device_profile=told["device_profile"]["name"],
        runs=told["runs"],
        repair_limit=told["repair_limit"],
        run_parameters=told["run_parameters"],
        task_slugs=tuple(sorted(path.name for path in (folder / "tasks").iterdir())),
    )
