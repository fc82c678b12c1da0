"""Known bundles with known verdicts, through HTTP, intake, gate, worker and closing.

The tools are stand-ins that read in the workspace how they have to end; everything
else is the product's own: upload, validation, the gate in its sandbox, queue and
worker, control runs, grading, totals. `tests/e2e/test_main_job.py` does the same with
the real tools.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse

from evaluator import evidence, foreground
from evaluator.models import Job, JobState
from evaluator.toolchains.base import (
    BuildOutcome,
    CheckOutcome,
    ChecksOutcome,
    CheckSuite,
    Diagnostic,
    Toolchain,
)
from evaluator.verdicts import FailReason, InfraReason, Trouble
from leaderboard.metrics import Scope
from leaderboard.models import SnapshotStatus, TaskResult
from submissions.archive import pack_folder
from submissions.models import Submission
from tests.demo import DEMO, FEW, sample_bundle
from tests.evaluator.trust.bench import Bench, patch_of
from tests.evaluator.trust.toolchains import FakeBuilder, FakeChecks, FakeDevices
from tests.factories import UserFactory
from tests.tokens import token_for

ENDING = "entry/src/main/ets/common/Ending.ets"
COMPLETED = "completed"
LINK = b"""\
diff --git a/entry/link b/entry/link
new file mode 120000
--- /dev/null
+++ b/entry/link
@@ -0,0 +1 @@
+/etc/passwd
\\ No newline at end of file
"""
FOREIGN = b"""\
diff --git a/entry/src/main/ets/Nowhere.ets b/entry/src/main/ets/Nowhere.ets
--- a/entry/src/main/ets/Nowhere.ets
+++ b/entry/src/main/ets/Nowhere.ets
@@ -1 +1 @@
-it was never like this
+so this does not apply
"""


def patch_ending_in(end: str, *, base: Path) -> bytes:
    """A patch whose task run has to end as ``end`` says."""
    if end == FailReason.NO_CHANGE:
        return b""
    if end == FailReason.PATCH_REJECTED:
        return LINK
    if end == FailReason.PATCH_DOES_NOT_APPLY:
        return FOREIGN
    return patch_of(base, {ENDING: f"export const ending = '{end}';\n"})


def ending_of(workspace: Path) -> str:
    """How the workspace asks to end; an untouched one fails its checks."""
    if "control" in workspace.parts:
        return COMPLETED
    path = workspace / ENDING
    if not path.exists():
        return FailReason.CHECK_FAILED
    return path.read_text("utf-8").split("'")[1]


def build(workspace: Path, scratch: Path) -> BuildOutcome:
    end = ending_of(workspace)
    if end == FailReason.TIMED_OUT:
        hangs = Trouble(InfraReason.DEADLINE, "the build did not end")
        return BuildOutcome(False, None, b"building\n", trouble=hangs)
    if end == FailReason.BUILD_FAILED:
        said = Diagnostic("10505001", "Cannot find name 'x'.", "Ending.ets", 1, 1)
        return BuildOutcome(False, None, b"> hvigor ERROR\n", (said,))
    package = scratch / "app.hap"
    package.write_text(end)
    return BuildOutcome(True, package, b"> hvigor BUILD SUCCESSFUL\n")


class Checks(FakeChecks):
    def run(
        self, package: Path, suite: CheckSuite, device: Any, **_: Any
    ) -> ChecksOutcome:
        end = package.read_text()
        passed = end == COMPLETED
        return ChecksOutcome(
            tuple(CheckOutcome(each.f_point, passed, end) for each in suite.expected),
            install_ok=end != FailReason.INSTALL_FAILED,
        )


KNOWN = Toolchain(FakeBuilder(build), FakeDevices(), Checks())


def bundle(folder: Path, endings: dict[tuple[int, str], str], name: str) -> Path:
    """A bundle of three runs in which each task run has its known ending."""
    sample_bundle("sample-a", folder)
    manifest = json.loads((folder / "manifest.json").read_text())
    manifest["model"]["identifier"] = name
    (folder / "manifest.json").write_text(json.dumps(manifest))
    for (run, task), end in endings.items():
        place = folder / "runs" / str(run) / task
        patch = patch_ending_in(end, base=DEMO / "tasks" / task / "base")
        (place / "final.patch").write_bytes(patch)
        (place / "first.patch").write_bytes(patch)
    return folder


@pytest.fixture
def evaluate(committed_db, bench: Bench, plug, client, tmp_path):
    """Upload a bundle as somebody from outside and evaluate it to the end."""
    plug.append(KNOWN)
    bench.snapshot.status = SnapshotStatus.OPEN
    bench.snapshot.save()

    def run(endings: dict[tuple[int, str], str], name: str) -> Submission:
        archive = tmp_path / f"{name}.zip"
        pack_folder(bundle(tmp_path / name, endings, name), archive)
        token = token_for(UserFactory(username=f"submitter-{name}"))
        answer = client.post(
            reverse("api-submission-list"),
            {
                "bundle": SimpleUploadedFile(archive.name, archive.read_bytes()),
                # Patches that do not apply are among the known kinds.
                "accept_warnings": "true",
            },
            headers={"Authorization": f"Token {token}"},
        )
        assert answer.status_code == 201, answer.content.decode()
        submission = Submission.objects.get(pk=answer.json()["id"])
        assert not submission.evaluation.jobs.filter(trusted=True).exists()
        assert foreground.evaluate(submission.evaluation, slots=1)
        return submission

    return run


def everywhere(end: str) -> dict[tuple[int, str], str]:
    return {(run, task): end for run in (1, 2, 3) for task in FEW}


def expect(submission: Submission, endings: dict[tuple[int, str], str]) -> None:
    evaluation = submission.evaluation
    results = TaskResult.objects.filter(run__evaluation=evaluation)
    found = {
        (each.run.number, each.task.slug): each.reason or COMPLETED
        for each in results.select_related("run", "task")
    }
    assert found == endings
    total = sum(end == COMPLETED for end in endings.values())
    summary = evaluation.totals.get(run=None, scope=Scope.OVERALL)
    assert sum(summary.completed_by_run) == total
    assert results.filter(completed=True).count() == total
    for job in Job.objects.filter(evaluation=evaluation):
        assert job.state == JobState.SCORED
        assert evidence.faults(job) == []


@pytest.mark.sandbox
def test_every_reason_is_found_where_it_was_planted(evaluate):
    ends = [COMPLETED, *FailReason, COMPLETED]
    endings = dict(zip(everywhere(""), map(str, ends), strict=True))

    expect(evaluate(endings, "every-reason"), endings)


@pytest.mark.sandbox
def test_a_bundle_that_changes_nothing_completes_nothing(evaluate):
    endings = everywhere(FailReason.NO_CHANGE)

    expect(evaluate(endings, "no-op"), endings)


@pytest.mark.sandbox
def test_a_bundle_of_solutions_completes_everything(evaluate):
    endings = everywhere(COMPLETED)

    expect(evaluate(endings, "solutions"), endings)
