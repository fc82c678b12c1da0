"""From members to task runs: files, usage numbers, patch sizes."""

from __future__ import annotations

import pytest

from submissions.archive import open_bundle
from submissions.findings import Code, Findings
from submissions.formats.bundle import MAX_PATCH_BYTES, group_by_unit, read_units
from submissions.formats.usage import Usage, UsageError, parse_usage
from tests.submissions.corpus.contents import files
from tests.submissions.corpus.zips import Entry, write_zip


@pytest.fixture
def units_of(tmp_path):
    """Reads the honest bundle with some files changed; None removes one."""

    def read(changes):
        contents = {**files(), **changes}
        entries = [
            Entry(name, data) for name, data in contents.items() if data is not None
        ]
        archive = tmp_path / "bundle.zip"
        archive.write_bytes(write_zip(entries))
        members = open_bundle(archive, spool=tmp_path / "spool")
        findings = Findings()
        units = read_units(group_by_unit(members), repair_limit=5, findings=findings)
        return units, findings.all()

    return read


def usage(text: str, repair_limit: int | None = 5) -> Usage:
    return parse_usage(text.encode(), where="usage.json", repair_limit=repair_limit)


def test_units_come_by_run_and_task_with_all_their_files(units_of):
    units, findings = units_of({})

    assert findings == ()
    assert [(unit.run, unit.task) for unit in units] == [
        (1, "alpha-task"),
        (1, "beta-task"),
        (2, "alpha-task"),
        (2, "beta-task"),
    ]
    unit = units[0]
    assert unit.final_patch.read() == files()["runs/1/alpha-task/final.patch"]
    assert unit.first_patch is not None
    assert unit.build_log is not None
    assert unit.trajectory is not None
    assert unit.usage == Usage(total_tokens=10, agent_ms=1500, repair_rounds=0)


def test_what_is_not_there_is_not_reported(units_of):
    names = ["first.patch", "build.log", "trajectory.jsonl", "usage.json"]
    units, findings = units_of({f"runs/1/alpha-task/{name}": None for name in names})

    assert findings == ()
    unit = units[0]
    assert unit.first_patch is None
    assert unit.build_log is None
    assert unit.trajectory is None
    assert unit.usage == Usage(None, None, None)


def test_a_usage_number_that_is_none_hides_no_other_fault():
    with pytest.raises(UsageError) as caught:
        usage('{"agent_seconds": 1e999, "total_tokens": -4, "repair_rounds": 1}')

    assert [(each.code, each.where) for each in caught.value.findings] == [
        (Code.JSON_NUMBER, "usage.json:1:19: agent_seconds"),
        (Code.USAGE_INVALID, "usage.json: total_tokens"),
    ]


def test_an_empty_final_patch_is_a_unit_like_any_other(units_of):
    folder = "runs/1/alpha-task"
    units, findings = units_of(
        {f"{folder}/final.patch": b"", f"{folder}/first.patch": b""}
    )

    assert findings == ()
    assert units[0].final_patch.size_bytes == 0


def test_an_empty_trajectory_counts_as_none(units_of):
    units, _ = units_of({"runs/1/alpha-task/trajectory.jsonl": b""})

    assert units[0].trajectory is None


def test_a_trajectory_may_be_one_json_document(units_of):
    folder = "runs/1/alpha-task"
    units, findings = units_of(
        {f"{folder}/trajectory.jsonl": None, f"{folder}/trajectory.json": b"[]"}
    )

    assert findings == ()
    assert units[0].trajectory.name == f"{folder}/trajectory.json"


@pytest.mark.parametrize("name", ["first.patch", "final.patch"])
def test_a_patch_may_have_eight_mebibytes_and_not_a_byte_more(units_of, name):
    path = f"runs/2/beta-task/{name}"

    alone = {"runs/2/beta-task/usage.json": None}

    assert units_of({**alone, path: b"x" * MAX_PATCH_BYTES})[1] == ()

    _, (finding,) = units_of({**alone, path: b"x" * (MAX_PATCH_BYTES + 1)})
    assert (finding.code, finding.where) == (Code.PATCH_TOO_LARGE, path)


@pytest.mark.parametrize(
    ("text", "milliseconds"),
    [
        ("0", 0),
        ("12", 12_000),
        ("12.3", 12_300),
        ("12.345", 12_345),
        ("0.001", 1),
        ("9007199.255", 9_007_199_255),
        ("1.5e2", 150_000),
        ("10000000", 10**10),
    ],
)
def test_seconds_become_exact_milliseconds(text, milliseconds):
    assert usage(f'{{"agent_seconds": {text}}}').agent_ms == milliseconds


@pytest.mark.parametrize(
    "text",
    ["-1", "-0.001", "0.0001", "1.0005", "1e-4", "10000000.001", "true", '"1"', "[]"],
)
def test_seconds_outside_the_rule_are_refused(text):
    with pytest.raises(UsageError, match="at most three decimals") as caught:
        usage(f'{{"agent_seconds": {text}}}')

    (finding,) = caught.value.findings
    assert finding.where == "usage.json: agent_seconds"


@pytest.mark.parametrize("text", ["-1", "1.0", "1000000000001", "true", '"5"', "{}"])
def test_tokens_outside_the_rule_are_refused(text):
    with pytest.raises(UsageError, match="whole number from 0 to 1000000000000"):
        usage(f'{{"total_tokens": {text}}}')


def test_the_most_tokens_are_read():
    assert usage('{"total_tokens": 1000000000000}').total_tokens == 10**12


def test_repair_rounds_stay_within_the_limit_of_the_snapshot():
    assert usage('{"repair_rounds": 5}').repair_rounds == 5
    with pytest.raises(UsageError, match="from 0 to 5"):
        usage('{"repair_rounds": 6}')
    assert usage('{"repair_rounds": 6}', repair_limit=None).repair_rounds == 6


def test_null_and_missing_are_not_reported_and_never_zero():
    assert usage("{}") == usage('{"total_tokens": null}') == Usage(None, None, None)


def test_all_faults_of_a_usage_file_come_together():
    with pytest.raises(UsageError) as caught:
        usage('{"total_tokens": -1, "agent_seconds": "x", "score": 1}')

    assert [each.where for each in caught.value.findings] == [
        "usage.json: total_tokens",
        "usage.json: agent_seconds",
        "usage.json: score",
    ]
