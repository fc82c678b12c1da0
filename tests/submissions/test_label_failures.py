"""Failed task runs of a closed run get their labels from what is stored of them."""

from __future__ import annotations

import json
from io import BytesIO, StringIO

import pytest
from django.core.management import CommandError, call_command

from leaderboard.models import FailureLabel, LabelPass, ScopeTotals, ShownReason
from submissions import services, tasks
from submissions.failures import labelling
from submissions.failures.trajectory import trajectory_facts
from tests.leaderboard.evaluations import stored
from tests.submissions.bundles import files_for, write_archive
from tests.submissions.jobs import fail_all


def line(tool: str, command: str) -> dict[str, object]:
    return {
        "role": "assistant",
        "content": [{"type": "tool_use", "name": tool, "input": {"command": command}}],
    }


def said(text: str) -> dict[str, object]:
    return {"role": "assistant", "content": text}


def as_lines(records: list[dict[str, object]]) -> bytes:
    return b"".join(json.dumps(each).encode() + b"\n" for each in records)


def read(records: list[dict[str, object]]):
    return trajectory_facts(BytesIO(as_lines(records)), artifact="t.jsonl")


def test_a_loop_is_the_same_circle_of_calls_over_and_over():
    circle = [line("bash", "hvigorw build"), line("read", "a.ets")]

    facts = read([line("bash", "ls"), *circle * 12, line("bash", "pwd")])

    assert (facts.calls, facts.repeat.times, facts.repeat.line) == (26, 12, 25)
    assert facts.repeat.quote == "read a.ets"


def test_different_calls_are_no_loop():
    facts = read([line("bash", f"cat {n}.ets") for n in range(40)])

    assert facts.repeat.times == 1


@pytest.mark.parametrize(
    ("last", "gave_up"),
    [
        ("This task is too complex to finish here.", True),
        ("I was unable to complete the task.", True),
        ("很抱歉,我无法完成这个功能。", True),
        ("The task is done; nothing else is needed.", False),
    ],
)
def test_only_the_last_words_say_that_the_agent_gave_up(last, gave_up):
    facts = read([said("I give up? No."), line("bash", "ls"), said(last)])

    assert (facts.gave_up is not None) == gave_up
    assert facts.gave_up is None or facts.gave_up.line == 3


@pytest.fixture
def looping(snapshot, user, tmp_path):
    """The first task of run 1 did the same thing over and over."""
    files = files_for(snapshot)
    slug = snapshot.tasks.first().slug
    files[f"runs/1/{slug}/trajectory.jsonl"] = as_lines([line("bash", "ls")] * 15)
    archive = write_archive(tmp_path, files)
    found = services.receive(user, archive, origin="page", tick=True).submission
    assert found is not None
    return found


@pytest.mark.django_db
def test_closed_runs_are_labelled_once_and_no_figure_moves(looping):
    assert not labelling.due().exists()
    fail_all(looping)
    before = list(ScopeTotals.objects.values())

    tasks.label_failures()

    shown = ShownReason.objects.get()
    assert (shown.reason, shown.result.run.number) == ("model_looping", 1)
    label = FailureLabel.objects.get()
    assert (label.evidence["artifact"], label.evidence["line"]) == (
        "submitted/trajectory.jsonl",
        15,
    )
    assert LabelPass.objects.count() == 2
    assert not labelling.due().exists()
    assert list(ScopeTotals.objects.values()) == before


@pytest.mark.django_db
def test_a_build_error_names_the_line_of_its_log(submission):
    fail_all(submission)
    result = submission.evaluation.runs.first().results.first()
    type(result).objects.filter(pk=result.pk).update(reason="build_failed")
    message = {
        "severity": "error",
        "message": "Cannot find name 'Sheet'.",
        "file": "entry/src/main/ets/A.ets",
        "line": 3,
        "log_line": 40,
    }
    diagnostics = json.dumps([message]).encode()
    stored(result.run, result.task, "build_final.diagnostics.json", diagnostics)
    stored(result.run, result.task, "build_final.log", b"text")

    call_command("label_failures", stdout=StringIO())

    labels = {each.rule: each for each in FailureLabel.objects.filter(result=result)}
    assert labels["build_failed"].origin == "automatic"
    assert labels["unknown_name"].origin == "suggested"
    assert labels["unknown_name"].evidence["line"] == 40
    assert result.shown_reason.reason == "build_error"


@pytest.mark.django_db
def test_the_command_looks_again_and_tells_what_changed(looping):
    fail_all(looping)
    out = StringIO()
    call_command("label_failures", "--evaluation", looping.evaluation_id, stdout=out)
    call_command("label_failures", stdout=out)
    call_command("label_failures", "--due", stdout=out)

    assert out.getvalue().splitlines() == [
        "Looked at 2 runs; 1 labels changed.",
        "Looked at 2 runs; 0 labels changed.",
        "Looked at 0 runs; 0 labels changed.",
    ]
    with pytest.raises(CommandError, match="no evaluation 999999"):
        call_command("label_failures", "--evaluation", "999999")


@pytest.mark.django_db
def test_a_run_that_cannot_be_read_is_left_to_the_next_time(looping, monkeypatch):
    fail_all(looping)
    monkeypatch.setattr(
        "submissions.failures.evidence.trajectory_facts",
        lambda *_, **__: (_ for _ in ()).throw(OSError("the storage is away")),
    )

    tasks.label_failures()

    assert labelling.due().count() == 2
