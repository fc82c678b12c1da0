"""`ohbench convert` and the intake make the same bundle of the same sources."""

from __future__ import annotations

import json
import tarfile
from dataclasses import replace
from io import StringIO

import pytest
from django.core.management import call_command

from submissions import services
from submissions.archive import open_bundle
from submissions.cli.facts import write_facts
from submissions.findings import Code
from submissions.models import Submission
from tests.submissions.bundles import manifest_for, write_archive
from tests.submissions.corpus.contents import FACTS, TASKS, manifest
from tests.submissions.harbor.jobs import one_job_of_two, trial, two_jobs
from tests.submissions.test_predictions import run_file
from tests.submissions.uploads import check_upload


def write(folder, files):
    for name, data in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    return folder


@pytest.fixture
def convert(ohbench, tmp_path):
    """Converts sources with the manifest of the corpus; returns how it ended."""

    def run(kind, *sources, facts=None, **changes):
        path = tmp_path / "manifest.json"
        path.write_text(json.dumps({**manifest(), **changes}))
        more = []
        if facts is not None:
            write_facts(facts, tmp_path / "facts.json")
            more = ["--facts", tmp_path / "facts.json"]
        out = tmp_path / "bundle.zip"
        return ohbench(
            "convert", kind, *sources, "--manifest", path, "--out", out, *more
        )

    return run


@pytest.fixture
def predictions(tmp_path):
    folder = tmp_path / "preds"
    return write(
        folder, {f"{name}.jsonl": run_file(n) for n, name in ((1, "b"), (2, "a"))}
    )


def contents(tmp_path):
    members = open_bundle(tmp_path / "bundle.zip", spool=tmp_path / "read")
    return {member.name: member.read() for member in members}


def test_prediction_files_become_a_bundle_in_the_given_order(
    convert, predictions, tmp_path
):
    ended = convert("predictions", predictions / "b.jsonl", predictions / "a.jsonl")

    assert ended.code == 0
    assert "4 task runs; no errors and 2 warnings" in ended.out
    files = contents(tmp_path)
    assert b"+new 1\n" in files["runs/1/alpha-task/final.patch"]
    assert b"+new 2\n" in files["runs/2/alpha-task/final.patch"]
    assert json.loads(files["manifest.json"])["origin"]["format"] == "predictions"


def test_the_bundle_is_what_the_intake_would_have_made(convert, predictions, tmp_path):
    upload = {
        "manifest.json": json.dumps(manifest()).encode(),
        "run-1.jsonl": run_file(1),
        "run-2.jsonl": run_file(2),
    }
    direct = check_upload(upload, tmp_path).bundle

    convert("predictions", predictions / "b.jsonl", predictions / "a.jsonl")

    converted = check_upload(contents(tmp_path), tmp_path).bundle
    assert converted.content_sha256 == direct.content_sha256
    assert converted.manifest == direct.manifest


@pytest.mark.parametrize("packed", [False, True])
def test_jobs_come_as_folders_or_as_an_archive(convert, tmp_path, packed):
    files = {f"jobs/{name}": data for name, data in one_job_of_two().items()}
    if packed:
        source = tmp_path / "jobs.tar.gz"
        folder = write(tmp_path / "files", files)
        with tarfile.open(source, "w:gz", format=tarfile.USTAR_FORMAT) as archive:
            archive.add(folder / "jobs", "jobs")
    else:
        source = write(tmp_path / "files", files) / "jobs"

    ended = convert("harbor", source)

    assert ended.code == 0, ended.err
    assert "[harbor-run-order]" in ended.err
    shown = f"{source}: jobs/both" if packed else str(source / "both")
    assert f"warning  {shown}" in ended.err
    stored = json.loads(contents(tmp_path)["manifest.json"])
    assert stored["origin"]["run_order"] == "assigned by start order"


def test_two_jobs_of_the_same_name_are_two_runs(convert, tmp_path):
    first, second = two_jobs()
    one = write(tmp_path / "one", first) / "run-1"
    two = write(
        tmp_path / "two", {n.replace("run-2/", "run-1/"): d for n, d in second.items()}
    )

    ended = convert("harbor", one, two / "run-1", facts=FACTS)

    assert (ended.code, ended.err) == (0, "")
    assert len(contents(tmp_path)) == 1 + 4 * 3


def test_links_among_what_is_read_are_refused_and_others_ignored(convert, tmp_path):
    first, second = two_jobs()
    folder = write(tmp_path / "files", first | second)
    (folder / "run-1/alpha-task__0000001/agent/loop").symlink_to(folder)

    assert convert("harbor", folder / "run-1", folder / "run-2").code == 0

    patch = folder / "run-1/alpha-task__0000001/artifacts/logs/artifacts/model.patch"
    patch.unlink()
    patch.symlink_to("/etc/passwd")
    (tmp_path / "bundle.zip").unlink()
    ended = convert("harbor", folder / "run-1", folder / "run-2")
    assert ended.code == 2
    assert "no regular file" in ended.err


def test_findings_name_the_files_as_the_user_knows_them(convert, predictions, tmp_path):
    source = predictions / "a.jsonl"
    source.write_bytes(run_file(2) + b"{}\n")

    ended = convert("predictions", predictions / "b.jsonl", source)

    assert ended.code == 1
    assert f"{source}:3: instance_id" in ended.err
    assert "No bundle was written. (3 errors and 2 warnings)" in ended.err
    assert not (tmp_path / "bundle.zip").exists()


def test_tasks_are_compared_with_the_snapshot_where_there_is_one(convert, predictions):
    files = (predictions / "b.jsonl", predictions / "a.jsonl")
    more = replace(FACTS, task_slugs=(*TASKS, "gamma-task"))

    assert "not compared" in convert("predictions", *files).err
    (predictions.parent / "bundle.zip").unlink()
    ended = convert("predictions", *files, facts=more)
    assert ended.code == 1
    assert "gamma-task" in ended.err


def test_without_a_snapshot_the_runs_are_compared_with_each_other(convert, tmp_path):
    first, second = two_jobs()
    for name in [each for each in second if "beta-task" in each]:
        del second[name]
    folder = write(tmp_path / "f", first | second)

    ended = convert("harbor", folder / "run-1", folder / "run-2")

    assert ended.code == 1
    assert "1 of 2 tasks" in ended.err
    assert "beta-task" in ended.err


def test_what_deviates_stays_with_the_bundle(convert, tmp_path):
    failing = {"exception_type": "ApiError"}
    jobs = two_jobs()
    jobs[0] |= {
        f"run-1/{name}": data
        for name, data in trial("alpha-task", 1, exception_info=failing).items()
    }
    folder = write(tmp_path / "f", jobs[0] | jobs[1])
    convert("harbor", folder / "run-1", folder / "run-2")

    checked = check_upload(contents(tmp_path), tmp_path)

    finding = checked.finding(Code.SNAPSHOT_DIFFERS)
    assert finding.where == "manifest.json: origin.deviations"
    assert "1 trial ended by ApiError" in finding.saw


@pytest.mark.parametrize(
    ("kind", "name", "message"),
    [
        ("predictions", "notes.md", "ends in neither .jsonl nor .json"),
        ("predictions", "folder/x.txt", "holds no run-1.jsonl"),
        ("harbor", "folder/x.txt", "no folder of a Harbor job"),
    ],
)
def test_a_source_of_another_kind_is_named(convert, tmp_path, kind, name, message):
    path = write(tmp_path / "src", {name: b""}) / name.split("/")[0]

    ended = convert(kind, path)

    assert ended.code == 2
    assert message in ended.err


def test_a_damaged_archive_is_told_with_its_findings(convert, tmp_path):
    source = tmp_path / "jobs.zip"
    source.write_bytes(b"PK\x03\x04broken")

    ended = convert("harbor", source)

    assert ended.code == 1
    assert "[archive-truncated]" in ended.err


def test_a_wrong_manifest_is_told_before_anything_is_read(convert, predictions):
    ended = convert("predictions", predictions / "a.jsonl", sdk=5)

    assert ended.code == 1
    assert "manifest.json: sdk" in ended.err


def test_nothing_is_overwritten(convert, predictions, tmp_path):
    (tmp_path / "bundle.zip").write_bytes(b"mine")

    ended = convert("predictions", predictions / "a.jsonl")

    assert ended.code == 2
    assert (tmp_path / "bundle.zip").read_bytes() == b"mine"


def as_predictions(snapshot, **changes):
    """An upload of prediction files for a snapshot of the factories."""
    files = {"manifest.json": json.dumps(manifest_for(snapshot, **changes)).encode()}
    for run in range(1, snapshot.run_count + 1):
        entries = [
            {
                "instance_id": task.slug,
                "model_name_or_path": "m",
                "model_patch": f"--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+{run}\n",
            }
            for task in snapshot.tasks.all()
        ]
        files[f"run-{run}.json"] = json.dumps(entries).encode()
    return files


def test_the_intake_takes_prediction_files(snapshot, user, tmp_path):
    archive = write_archive(tmp_path, as_predictions(snapshot))

    receipt = services.receive(user, archive, origin="api", tick=True)

    submission = receipt.submission
    assert submission is not None, receipt.report
    assert submission.evaluation.jobs.count() == 4
    assert submission.manifest["origin"]["format"] == "predictions"
    assert submission.evaluation.toolchain_facts == {
        "submitted_as": "predictions",
        "runs": "as given",
    }
    assert submission.evaluation.comparable


def test_the_intake_takes_harbor_jobs_and_labels_their_runs(snapshot, user, tmp_path):
    slugs = [task.slug for task in snapshot.tasks.all()]
    benchmark = snapshot.benchmark.slug
    files = {"manifest.json": json.dumps(manifest_for(snapshot)).encode()}
    for number in (1, 2):
        for slug in slugs:
            name = f"{benchmark}/{slug}"
            files |= {
                f"jobs/all/{path}": data
                for path, data in trial(slug, number, task_name=name).items()
            }

    archive = write_archive(tmp_path, files)
    receipt = services.receive(user, archive, origin="api", tick=True)

    submission = receipt.submission
    assert submission is not None, receipt.report
    codes = {each["code"] for each in submission.report["warnings"]}
    assert "harbor-run-order" in codes
    facts = submission.evaluation.toolchain_facts
    assert facts["runs"] == "assigned by start order"


def test_what_deviates_is_never_ranked(snapshot, user, tmp_path):
    files = as_predictions(
        snapshot,
        origin={"format": "harbor", "run_order": "as given", "deviations": ["x = 1"]},
    )
    bundle = {name: data for name, data in files.items() if not name.startswith("run-")}
    for run in (1, 2):
        for task in snapshot.tasks.all():
            bundle[f"runs/{run}/{task.slug}/final.patch"] = b""

    archive = write_archive(tmp_path, bundle)
    receipt = services.receive(user, archive, origin="api", tick=True)

    evaluation = receipt.submission.evaluation
    assert evaluation.differing_fields == ["origin.deviations"]
    assert not evaluation.comparable


def test_a_refused_upload_of_another_format_keeps_nothing(snapshot, user, tmp_path):
    files = as_predictions(snapshot)
    files["run-2.json"] = b"[{}]"

    receipt = services.receive(user, write_archive(tmp_path, files), origin="page")

    assert receipt.submission is None
    places = {each.where.split(":")[0] for each in receipt.report.errors}
    assert places == {"run-2.json"}
    assert not Submission.objects.exists()


def test_the_command_of_the_server_takes_a_folder_of_jobs(snapshot, user, tmp_path):
    folder = tmp_path / "jobs"
    for number in (1, 2):
        for task in snapshot.tasks.all():
            name = f"{snapshot.benchmark.slug}/{task.slug}"
            write(folder / f"run-{number}", trial(task.slug, number, task_name=name))
    (folder / "manifest.json").write_text(json.dumps(manifest_for(snapshot)))
    out = StringIO()

    call_command(
        "submit",
        str(folder),
        user=str(user),
        accept_warnings=True,
        stdout=out,
        stderr=StringIO(),
    )

    submission = Submission.objects.get(pk=out.getvalue().split()[-1])
    assert submission.manifest["origin"]["run_order"] == "by start of the job"
