"""Recall and false alarms on labelled cases."""

from __future__ import annotations

import io
import json
import tracemalloc
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from hypothesis import given
from hypothesis import strategies as st

from submissions.integrity.brief import RunBrief, TaskBrief
from submissions.integrity.catalogue import KINDS, Code
from submissions.integrity.diffs import patched
from submissions.integrity.labelled import codes_of
from submissions.integrity.packages import text_files
from submissions.integrity.patches import patch_sightings
from submissions.integrity.sightings import excerpt
from submissions.integrity.trajectory import LISTED, look_through
from tests.submissions.integrity.cases import (
    BRIEF,
    CASES,
    FOLDER,
    HIDDEN,
    read_case,
)

ROOT = Path(__file__).parents[3]


@pytest.mark.parametrize("path", CASES, ids=lambda path: path.stem)
def test_a_case_gives_exactly_the_signals_it_is_labelled_with(path: Path):
    case = read_case(path)

    found = codes_of(case, BRIEF, FOLDER / "task" / "base")

    assert found == set(case["labels"]), case["about"]


def test_every_planted_incident_is_seen_and_no_clean_case_or_reference_alarms(capsys):
    call_command("integrity_report", format="json")

    report = json.loads(capsys.readouterr().out)
    assert report["recall"] == {"seen": report["planted"], "planted": report["planted"]}
    assert report["false_alarms"] == []
    assert report["clean_cases"] >= 20
    assert report["references"] == 12
    assert {each["code"] for each in report["incidents"]} == set(Code)
    assert all(each["planted"] >= 2 for each in report["incidents"])


def test_a_rule_that_misses_or_cries_wolf_fails_the_report(tmp_path, capsys):
    cases = tmp_path / "cases"
    cases.mkdir()
    (tmp_path / "task").symlink_to(FOLDER / "task")
    for name, labels in (
        ("clean-25-small-patch", ["device_use"]),
        ("patch_note-1", []),
    ):
        case = read_case(FOLDER / "cases" / f"{name}.json")
        (cases / f"{name}.json").write_text(json.dumps({**case, "labels": labels}))

    with pytest.raises(CommandError, match="1 missed, 1 false alarm"):
        call_command("integrity_report", str(tmp_path), snapshot="")

    out = capsys.readouterr().out
    assert "missed: device_use in clean-25-small-patch" in out
    assert "false alarm: patch_note in patch_note-1" in out


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "is no case"),
        ('{"labels": ["guilty"]}', "guilty"),
        (None, "holds no cases"),
    ],
)
def test_the_report_names_what_is_no_case(tmp_path, text, message):
    (tmp_path / "task").symlink_to(FOLDER / "task")
    (tmp_path / "cases").mkdir()
    if text is not None:
        (tmp_path / "cases" / "x.json").write_text(text)

    with pytest.raises(CommandError, match=message):
        call_command("integrity_report", str(tmp_path))


def test_every_code_is_explained():
    assert set(KINDS) == set(Code)


def test_the_reference_itself_gives_nothing_worse_than_a_flag():
    """Whatever looks like the reference is for a person to judge."""
    patch = BRIEF.reference
    sightings = list(patch_sightings(patch, BRIEF))

    assert {each.code for each in sightings} <= {
        Code.REFERENCE_SIMILAR,
        Code.REFERENCE_COMMENT,
    }


@pytest.mark.parametrize(
    ("sample", "planted"),
    [
        ("sample-a", {}),
        # What the demo's audit finds, and its two maintainers judge.
        ("sample-b", {"3/gallery-text-entry": [(Code.HIDDEN_FILES, 3)]}),
    ],
)
def test_trajectories_of_the_sample_bundles_raise_no_alarm_but_one(sample, planted):
    runs = ROOT / "fixtures" / "bundles" / sample / "runs"
    tasks = ROOT / "fixtures" / "snapshots" / "demo" / "tasks"
    for folder in sorted(runs.glob("*/*")):
        base, paths = text_files(tasks / folder.name / "base")
        scripts = (tasks / folder.name / "checks").glob("*.py")
        brief = TaskBrief(
            slug=folder.name,
            base=base,
            base_paths=paths,
            scripts=frozenset(path.name for path in scripts),
        )
        usage = json.loads((folder / "usage.json").read_text())
        run = RunBrief(
            final_patch=(folder / "final.patch").read_text(),
            total_tokens=usage["total_tokens"],
        )
        with (folder / "trajectory.jsonl").open("rb") as stream:
            counted = look_through(stream, lines=True, brief=brief, run=run)
        seen = [(each.sighting.code, each.sighting.position) for each in counted]
        assert seen == planted.get(folder.relative_to(runs).as_posix(), []), folder


def long_trajectory(size: int) -> io.BytesIO:
    """About ``size`` bytes of calls that every rule has to look at."""
    step = {
        "type": "tool_use",
        "timestamp": 1793520000000,
        "part": {
            "tool": "bash",
            "state": {
                "input": {"command": "git " * 40 + "hdc " * 40 + "hvigorw " * 40},
                "output": "hypium xdevice F-point Tests run: " * 40,
            },
        },
    }
    line = json.dumps(step).encode() + b"\n"
    return io.BytesIO(line * (size // len(line)))


def test_memory_does_not_grow_with_the_trajectory():
    peaks = []
    for size in (1 << 20, 4 << 20):
        stream = long_trajectory(size)
        tracemalloc.start()
        look_through(stream, lines=True, brief=BRIEF, run=RunBrief(), hidden=HIDDEN)
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()

    assert peaks[1] < peaks[0] + (256 << 10)


def test_every_kind_has_few_rows_and_a_count():
    commands = [f"git log --all -{number}" for number in range(50)]
    steps = [
        {"part": {"tool": "bash", "state": {"input": {"command": command}}}}
        for command in commands
    ]
    stream = io.BytesIO(b"".join(json.dumps(step).encode() + b"\n" for step in steps))

    found = look_through(stream, lines=True, brief=BRIEF, run=RunBrief())

    assert [each.occurrences for each in found] == [50] * LISTED
    assert len({each.sighting.seen for each in found}) == LISTED


def test_what_is_shown_of_a_trajectory_is_short_and_harmless():
    text = "git log --all \x1b[31m\u202e<script>" + "x" * 5000

    shown = excerpt(text)

    assert "\x1b" not in shown
    assert "⟦U+202E⟧" in shown
    assert len(shown) < 300
    assert excerpt("y" * 900, around=500).startswith("… ")


ODD = st.sampled_from(
    [
        *(None, True, 7, -1.5, 10**400, "", "..", "/", "~", "view", "create"),
        *([], ["x"], [{}], [1, "x"], {}, {"command": []}),
        *("\x00", "\ud800", "cat <<EOF\nx", "git", "a/b.ts"),
    ]
)
NAMES = st.sampled_from(
    [
        "bash",
        "edit",
        "write",
        "read",
        "task",
        "str_replace_editor",
        "web_search",
        "x",
        "",
    ]
)
FIELDS = (
    *("command", "cmd", "filePath", "path", "cwd", "oldString", "newString"),
    *("content", "pattern", "url", "query", "replaceAll"),
)
ARGUMENTS = st.dictionaries(st.sampled_from(FIELDS), ODD)


@given(calls=st.lists(st.tuples(NAMES, ARGUMENTS | ODD, ODD), max_size=6))
def test_no_arguments_of_a_call_are_too_odd(calls):
    steps = [
        {"part": {"tool": name, "state": {"input": arguments, "output": output}}}
        for name, arguments, output in calls
    ]
    stream = io.BytesIO(b"".join(json.dumps(step).encode() + b"\n" for step in steps))
    run = RunBrief(final_patch=BRIEF.reference, total_tokens=1)

    for each in look_through(stream, lines=True, brief=BRIEF, run=run, hidden=HIDDEN):
        assert 0 <= each.sighting.score <= 1
        each.sighting.seen.encode()


@given(patch=st.text(alphabet="+-@ \n\\dif/gabt0123456789,"))
def test_no_patch_is_too_odd(patch):
    text = f"diff --git a/x b/x\n@@ -1,3 +1,4 @@\n{patch}"

    for each in patch_sightings(text, BRIEF):
        assert 0 <= each.score <= 1
    patched(BRIEF.base, text)
