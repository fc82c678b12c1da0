"""Every command of docs/submitting.md, typed into one shell against a real server."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from leaderboard.models import EvaluationSnapshot, SnapshotStatus
from leaderboard.snapshots import import_package
from submissions.models import Submission, UploadSession
from tests.demo import DEMO
from tests.submissions.harbor.jobs import job, trial
from tests.submissions.jobs import fail_all
from tests.tokens import token_for

ROOT = Path(__file__).parents[2]
DOCUMENT = ROOT / "docs" / "submitting.md"
BLOCK = re.compile(r"(?ms)^```(?P<language>\w*)\n(?P<text>.*?)^```$")
END = "--end-of-block--"

# What a test cannot type, by its first words, and what it does instead.
REPLACED = {
    "export OHB_SERVER=": "export OHB_SERVER=$TEST_SERVER",
    "read -rs OHB_TOKEN": "export OHB_TOKEN=$TEST_TOKEN",
    "python3 -m venv venv": "ohbench --help",
}
# The walk-through shows on purpose how these end.
FAILING = [
    "ohbench validate mine",
    "ohbench validate mine --json > report.json",
    "ohbench submit mine",
]


class Block(NamedTuple):
    """One fenced block; ``shown`` is the output that the document prints after it."""

    text: str
    shown: str


def blocks() -> list[Block]:
    found = BLOCK.findall(DOCUMENT.read_text("utf-8"))
    return [
        Block(
            text,
            following[1] if following[1].startswith("error") else "",
        )
        for (language, text), following in zip(
            found, [*found[1:], ("", "")], strict=True
        )
        if language == "sh"
    ]


class Shell:
    """A bash that stays open, as a reader's does."""

    def __init__(self, folder: Path, environment: dict[str, str]) -> None:
        self.process = subprocess.Popen(
            ["bash", "--norc"],
            cwd=folder,
            env=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        self.type("set -o pipefail; trap 'echo \"FAILED: $BASH_COMMAND\"' ERR")

    def type(self, text: str) -> str:
        """What a block prints, all of it."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(f"{text}\nprintf '\\n%s\\n' {END}\n")
        self.process.stdin.flush()
        lines = []
        for line in self.process.stdout:
            if line.strip() == END:
                return "".join(lines)
            lines.append(line)
        raise AssertionError(f"The shell ended: {''.join(lines)}")

    def close(self) -> None:
        self.process.stdin.close()  # type: ignore[union-attr]
        self.process.wait()
        self.process.stdout.close()  # type: ignore[union-attr]


def typed(block: Block) -> str:
    for begin, instead in REPLACED.items():
        if block.text.startswith(begin):
            return instead
    return block.text


@pytest.fixture
def clone(tmp_path) -> Path:
    """What the walk-through needs of a clone, and Harbor jobs of the reader's own."""
    folder = tmp_path / "clone"
    shutil.copytree(ROOT / "fixtures" / "bundles", folder / "fixtures" / "bundles")
    tasks = [path.name for path in (DEMO / "tasks").iterdir()]
    for run in (1, 2, 3):
        trials = [
            trial(task, run, task_name=f"openharmony-bench/{task}") for task in tasks
        ]
        for name, data in job(f"run-{run}", *trials).items():
            path = folder / "jobs" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
    return folder


@pytest.fixture
def shell(clone, tmp_path, live_server, user) -> Iterator[Shell]:
    tools = tmp_path / "tools"
    tools.mkdir()
    command = tools / "ohbench"
    command.write_text(f'#!/bin/sh\nexec {sys.executable} -m submissions.cli "$@"\n')
    command.chmod(0o755)
    found = Shell(
        clone,
        {
            "PATH": f"{tools}:{os.environ['PATH']}",
            "HOME": str(tmp_path),
            "PYTHONPATH": str(ROOT),
            "LANG": "C.UTF-8",
            "TEST_SERVER": live_server.url,
            "TEST_TOKEN": token_for(user),
        },
    )
    yield found
    found.close()


def test_a_newcomer_can_follow_the_walk_through(
    committed_db, live_server, shell, clone, user, settings
):
    if not all(map(shutil.which, ("bash", "curl", "sha256sum", "tar"))):
        pytest.skip("needs bash, curl, sha256sum and tar: install them")
    settings.PUBLIC_URL = live_server.url
    import_package(DEMO)
    EvaluationSnapshot.objects.update(status=SnapshotStatus.OPEN)

    failed: list[str] = []
    for block in blocks():
        if "ohbench watch" in block.text:
            fail_all(Submission.objects.get())
        said = shell.type(typed(block))

        failed += re.findall(r"(?m)^FAILED: (.+)$", said)
        assert "about:blank" not in said, f"a problem: {said}"
        for line in block.shown.splitlines():
            assert line.removesuffix("...").rstrip() in said, said

    assert failed == FAILING
    first, again, sample = Submission.objects.order_by("created_at")
    assert first.manifest["execution_environment"]["notes"].startswith("My first")
    assert again.rerun_of == first
    assert first.evaluation.submitter_note == "Runs on our own machines."
    assert sample.trusted
    assert first.events.filter(reason__startswith="accepted the warnings").count() == 1
    assert UploadSession.objects.order_by("created_at").last().sha256
    assert json.loads((clone / "report.json").read_text())["ok"] is False
    assert (clone / "next.json").exists()
    for name in ("artifacts/run-1", "artifacts/run-2", "artifacts/run-3"):
        assert (clone / name / "SHA256SUMS").exists()
    for name in ("predictions.zip", "harbor.zip"):
        assert (clone / name).exists()


def test_what_the_tests_replace_is_still_in_the_document():
    for begin in REPLACED:
        assert [each for each in blocks() if each.text.startswith(begin)], begin
