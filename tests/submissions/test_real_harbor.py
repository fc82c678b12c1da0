"""Jobs that the real Harbor has just made are read as they are.

Harbor needs Python 3.12 and a few hundred megabytes, so it lives in a virtual
environment of its own; OHB_TEST_HARBOR names its command. Without it this file is not
collected, and what an earlier run left behind is tested in test_harbor.py.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from submissions.archive import pack_folder
from submissions.findings import Code
from submissions.formats.usage import Usage
from submissions.validation import validate
from tests.requirements import harbor_command
from tests.submissions.corpus.contents import FACTS
from tests.submissions.harbor.real.running import run_job, write_manifest
from tests.submissions.uploads import Checked

pytestmark = pytest.mark.harbor


@pytest.fixture
def run_harbor(tmp_path):
    """Runs the scripted agent on both tasks of the corpus; returns the jobs' folder."""

    def run(job, *options, prompts=("edit", "wait")):
        harbor = harbor_command()
        assert harbor is not None
        return run_job(harbor, tmp_path, job, *options, prompts=prompts)

    return run


def check(folder: Path) -> Checked:
    write_manifest(folder)
    archive = pack_folder(folder, folder.parent / "upload.zip")
    return Checked(
        *validate(
            archive,
            spool=folder.parent / "spool",
            snapshot_for=lambda benchmark, version: FACTS,
            known_versions=["1.10"],
        )
    )


def test_two_real_jobs_are_two_runs(run_harbor):
    run_harbor("first")

    checked = check(run_harbor("second"))

    assert checked.report.findings == ()
    unit = checked.unit(2, "alpha-task")
    assert b"+changed\n" in unit.final_patch.read()
    assert unit.usage.total_tokens == 1050
    assert unit.usage.repair_rounds == 2
    assert unit.usage.agent_ms is not None
    assert unit.trajectory is not None
    assert checked.unit(2, "beta-task").final_patch.size_bytes == 0
    assert checked.bundle.manifest.origin.remarks == [
        "submitter-reported: 2 passed of 4 trials"
    ]


def test_a_real_job_of_two_attempts_is_labelled(run_harbor):
    checked = check(run_harbor("both", "-k", "2", "--timeout-multiplier", "2"))

    assert checked.report.ok
    assert checked.warnings == {Code.HARBOR_RUN_ORDER, Code.HARBOR_SETTING}
    assert checked.bundle.manifest.origin.run_order == "assigned by start order"
    assert checked.bundle.manifest.origin.deviations == ["timeout_multiplier = 2.0"]


def test_a_real_exception_is_told(run_harbor):
    run_harbor("first")

    checked = check(run_harbor("second", prompts=("edit", "wait and hang up")))

    assert "ProviderHangsUpError" in checked.finding(Code.HARBOR_EXCEPTION).saw
    assert checked.unit(2, "beta-task").usage != Usage()
