"""Prediction files become runs; what they do not carry is not reported."""

from __future__ import annotations

import json

import pytest

from submissions.findings import Code
from submissions.formats.prediction_files import MAX_ENTRIES
from submissions.formats.usage import NOT_REPORTED
from tests.submissions.corpus.contents import TASKS, files, manifest
from tests.submissions.uploads import check_upload


def entry(task, run=1, **changes):
    patch = f"--- a/{task}\n+++ b/{task}\n@@ -1 +1 @@\n-old\n+new {run}\n"
    return {
        "instance_id": task,
        "model_name_or_path": "agent with model",
        "model_patch": patch,
        **changes,
    }


def lines(*entries):
    return "".join(json.dumps(each) + "\n" for each in entries).encode()


def run_file(run, **changes):
    return lines(*(entry(task, run, **changes) for task in TASKS))


@pytest.fixture
def check(tmp_path):
    """Checks two sound files with some changed; None removes one."""

    def run(changes=None):
        found = {
            "manifest.json": json.dumps(manifest()).encode(),
            "predictions/run-1.jsonl": run_file(1),
            "predictions/run-2.jsonl": run_file(2),
            **(changes or {}),
        }
        kept = {name: data for name, data in found.items() if data is not None}
        return check_upload(kept, tmp_path)

    return run


def first_run(data):
    return {"predictions/run-1.jsonl": data}


def as_json(value):
    return {
        "predictions/run-1.jsonl": None,
        "predictions/run-1.json": json.dumps(value).encode(),
    }


def test_two_files_are_two_runs(check):
    checked = check()

    assert checked.report.ok
    assert [(each.run, each.task) for each in checked.bundle.units] == [
        (run, task) for run in (1, 2) for task in TASKS
    ]
    patch = checked.unit(2, "beta-task").final_patch.read().decode()
    assert patch == entry("beta-task", 2)["model_patch"]


def test_what_the_format_does_not_carry_is_not_reported(check):
    checked = check()

    for unit in checked.bundle.units:
        assert unit.first_patch is unit.trajectory is unit.build_log is None
        assert unit.usage == NOT_REPORTED
    assert checked.warnings == {Code.TRAJECTORY_MISSING}
    missing = checked.report.warnings[0]
    assert missing.where == "predictions/run-1.jsonl"
    assert "cannot carry" in missing.fix
    origin = checked.bundle.manifest.origin
    assert (origin.format, origin.run_order) == ("predictions", "as given")


@pytest.mark.parametrize(
    "value",
    [
        [entry(task) for task in TASKS],
        {task: entry(task) for task in TASKS},
        {
            task: {
                name: value
                for name, value in entry(task).items()
                if name != "instance_id"
            }
            for task in TASKS
        },
    ],
)
def test_lists_and_objects_by_task_are_read_like_lines(check, value):
    as_lines = check().bundle.content_sha256

    assert check(as_json(value)).bundle.content_sha256 == as_lines


@pytest.mark.parametrize(
    "name",
    ["run-1.jsonl", "preds_1.jsonl", "predictions-1.jsonl", "predictions/run1.jsonl"],
)
def test_files_may_be_called_in_several_ways(check, name):
    assert check({"predictions/run-1.jsonl": None, name: run_file(1)}).report.ok


def test_names_with_the_benchmark_in_front_are_understood(check):
    named = lines(*(entry(t, instance_id=f"corpus-bench/{t}") for t in TASKS))

    assert check(first_run(named)).report.ok


def test_foreign_fields_and_blank_lines_are_passed_over(check):
    data = b"\n" + run_file(1, cost=0.25, notes={"a": [1]}) + b"\n\n"

    assert check(first_run(data)).report.ok


@pytest.mark.parametrize("patch", ["", "\n", "  \n"])
def test_an_empty_patch_says_that_nothing_was_changed(check, patch):
    checked = check(first_run(run_file(1, model_patch=patch)))

    assert checked.unit(1, "alpha-task").final_patch.size_bytes == 0
    assert checked.warnings == {Code.TRAJECTORY_MISSING}


def test_null_counts_as_no_change_and_is_told(check):
    checked = check(first_run(run_file(1, model_patch=None)))

    assert checked.unit(1, "alpha-task").final_patch.size_bytes == 0
    finding = checked.finding(Code.PREDICTION_NULL)
    assert finding.where == "predictions/run-1.jsonl"
    assert "2 tasks: alpha-task, beta-task" in finding.saw
    assert checked.bundle.manifest.origin.remarks == ["null for a patch: 2"]


def test_a_last_newline_that_a_tool_stripped_is_put_back(check):
    stripped = entry("alpha-task")["model_patch"].rstrip("\n")
    data = lines(entry("alpha-task", model_patch=stripped), entry("beta-task"))

    patch = check(first_run(data)).unit(1, "alpha-task").final_patch.read()

    assert patch.decode() == stripped + "\n"


def test_a_second_entry_for_a_task_is_refused_with_both_places(check):
    finding = check(first_run(run_file(1) + run_file(1))).report.errors[0]

    assert finding.code == Code.PREDICTION_DUPLICATE
    assert finding.where == "predictions/run-1.jsonl:3"
    assert "predictions/run-1.jsonl:1" in finding.saw


def test_a_second_file_for_a_run_is_refused(check):
    finding = check({"run-1.json": b"[]"}).finding(Code.PREDICTION_DUPLICATE)

    assert "run 1" in finding.saw


def test_a_missing_task_is_told_with_its_file(check):
    finding = check(first_run(lines(entry("beta-task")))).finding(Code.TASK_RUN_MISSING)

    assert finding.where == "predictions/run-1.jsonl"
    assert "without an entry: alpha-task" in finding.saw
    assert "model_patch" in finding.fix


def test_a_missing_file_is_told(check):
    finding = check({"predictions/run-2.jsonl": None}).finding(Code.TASK_RUN_MISSING)

    assert finding.where == "no file for run 2"


def test_a_file_for_a_run_too_many_is_told(check):
    finding = check({"run-3.jsonl": run_file(3)}).finding(Code.RUN_NUMBER)

    assert finding.where == "run-3.jsonl"


def test_an_unknown_task_is_told_with_its_line_and_a_similar_name(check):
    data = lines(*(entry(task) for task in (*TASKS, "beta-tusk")))

    finding = check(first_run(data)).finding(Code.TASK_UNKNOWN)

    assert finding.where == "predictions/run-1.jsonl:3"
    assert "beta-task" in finding.fix


@pytest.mark.parametrize("name", ["../../etc/passwd", "A B", "x" * 200, "other/alpha"])
def test_a_task_that_no_bundle_could_name_is_refused(check, name, tmp_path):
    checked = check(first_run(run_file(1) + lines(entry(name))))

    assert checked.errors == {Code.TASK_UNKNOWN}
    assert not list(tmp_path.rglob("passwd"))


def test_several_models_are_refused_once(check):
    other = [entry(task, 2, model_name_or_path="another") for task in TASKS]
    finding = check({"predictions/run-2.jsonl": lines(*other)}).finding(
        Code.PREDICTION_MODEL
    )

    assert finding.where == "predictions/run-2.jsonl:1"
    assert '"another"' in finding.saw


@pytest.mark.parametrize(
    ("value", "where", "saw"),
    [
        (1, "", "1"),
        ([], "", "a list with 0 items"),
        (entry("a", instance_id=5), ": instance_id", "5"),
        (entry("a", instance_id=" "), ": instance_id", '" "'),
        (entry("a", model_name_or_path=None), ": model_name_or_path", "null"),
        (entry("a", model_patch=["x"]), ": model_patch", "a list with 1 items"),
        (
            {"instance_id": "a", "model_name_or_path": "m"},
            ": model_patch",
            "no such field",
        ),
    ],
)
def test_a_wrong_entry_is_told_with_its_line_and_field(check, value, where, saw):
    finding = check(first_run(run_file(1) + lines(value))).report.errors[0]

    assert finding.code == Code.PREDICTION_INVALID
    assert finding.where == f"predictions/run-1.jsonl:3{where}"
    assert finding.saw == saw


def test_a_key_and_its_entry_must_agree(check):
    value = {"alpha-task": entry("beta-task"), "beta-task": entry("beta-task")}

    finding = check(as_json(value)).report.errors[0]

    assert finding.where == "predictions/run-1.json: alpha-task: instance_id"


@pytest.mark.parametrize(
    ("value", "where"),
    [
        (3, "predictions/run-1.json"),
        ([1], "predictions/run-1.json: [0]"),
        ({"alpha-task": "patch"}, "predictions/run-1.json: alpha-task"),
    ],
)
def test_a_document_of_another_kind_is_refused(check, value, where):
    finding = check(as_json(value)).report.errors[0]

    assert (finding.code, finding.where) == (Code.PREDICTION_INVALID, where)


@pytest.mark.parametrize(
    ("line", "code"),
    [
        (b'{"instance_id": NaN}', Code.JSON_NUMBER),
        (b'{"a": 1, "a": 2}', Code.JSON_DUPLICATE_KEY),
        (b'{"instance_id": "\\u0000"}', Code.JSON_STRING),
        (b"{", Code.JSON_SYNTAX),
        (b'"\xff"', Code.JSON_ENCODING),
    ],
)
def test_lines_are_strict_json_and_faults_name_the_line(check, line, code):
    finding = check(first_run(run_file(1) + line + b"\n")).report.errors[0]

    assert finding.code == code
    assert finding.where.startswith("predictions/run-1.jsonl:3:")


def test_a_number_that_is_none_hides_nothing_of_its_entry(check):
    score = '"score": NaN, "instance_id"'
    first = json.dumps(entry("alpha-task")).replace('"instance_id"', score)
    second = json.dumps(entry("beta-task", model_patch=5)).replace(
        '"instance_id"', score
    )
    for form in (f"{first}\n{second}\n", f"[{first}, {second}]"):
        name = f"predictions/run-1.json{'' if form[0] == '[' else 'l'}"
        changes = {**first_run(None), name: form.encode()}
        codes = [each.code for each in check(changes).report.errors]

        assert codes.count(Code.JSON_NUMBER) == 2
        assert codes.count(Code.PREDICTION_INVALID) == 1


def test_prediction_files_are_read_beside_a_faulty_manifest(check):
    stated = {**manifest(), "contact": {}}
    checked = check(
        {
            **first_run(lines(entry("alpha-task"), entry("gamma-task"))),
            "manifest.json": json.dumps(stated).encode(),
        }
    )

    assert checked.errors == {
        Code.MANIFEST_FIELD_MISSING,
        Code.TASK_UNKNOWN,
        Code.TASK_RUN_MISSING,
    }


def test_every_bad_line_is_told_at_once(check):
    checked = check(first_run(b"{\n[\n" + run_file(1) + b"nope\n"))

    places = {each.where.split(":")[1] for each in checked.report.errors}
    assert places == {"1", "2", "5"}


def test_a_patch_that_is_too_large_is_told_with_its_line(check):
    large = "x" * (8 * 1024 * 1024 + 1)
    data = lines(entry("alpha-task"), entry("beta-task", model_patch=large))

    finding = check(first_run(data)).finding(Code.PATCH_TOO_LARGE)
    assert finding.where == "predictions/run-1.jsonl:2: model_patch"


def test_a_key_in_a_patch_is_told_with_its_line(check):
    key = "sk-" + "a1b2c3d4" * 5
    data = lines(entry("alpha-task", model_patch=f"one\n{key}\n"), entry("beta-task"))

    assert check(first_run(data)).finding(Code.SECRET).where == (
        "predictions/run-1.jsonl:1: model_patch, line 2"
    )


@pytest.mark.parametrize(
    "name",
    [
        "predictions/../run-1.jsonl",
        "predictions/run-0.jsonl",
        "predictions/run-100.jsonl",
        "predictions/run-1.jsonl.exe",
        "/run-1.jsonl",
        "predictions\\run-1.jsonl",
        "predictions/notes.md",
        "job/trial__0000001/result.json",
    ],
)
def test_a_foreign_name_beside_prediction_files_is_refused(check, name):
    assert check({name: b"{}"}).errors == {Code.MEMBER_NAME}


def test_a_bundle_with_a_prediction_file_beside_it_stays_a_bundle(tmp_path):
    checked = check_upload({**files(), "run-1.jsonl": run_file(1)}, tmp_path)

    assert checked.errors == {Code.MEMBER_NAME}


@pytest.mark.parametrize(
    "data",
    [b"[" + b"{}," * 300_000 + b"{}]", b"[" + b"{}," * 6_000 + b"{}]"],
)
def test_a_list_of_countless_entries_is_refused_at_once(check, data):
    checked = check({"predictions/run-1.jsonl": None, "predictions/run-1.json": data})

    finding = checked.report.errors[0]
    assert finding.code in {Code.JSON_TOO_LARGE, Code.PREDICTION_INVALID}
    assert "more than" in finding.saw


def test_a_file_of_countless_lines_is_refused_at_its_limit(check, tmp_path):
    checked = check(first_run(b"\n" * 1_000_000))

    finding = checked.report.errors[0]
    assert finding.where == f"predictions/run-1.jsonl:{MAX_ENTRIES + 1}"
