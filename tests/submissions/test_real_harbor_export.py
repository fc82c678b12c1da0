"""Exported tasks in the real Harbor, verified by the real Hypium; see test_real_harbor.

Without the command that OHB_TEST_HARBOR names, this file is not collected.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from django.conf import settings
from django.core.management import call_command

from leaderboard.harbor import kept_digests
from leaderboard.snapshots import import_package
from submissions.formats.harbor.documents import Document
from tests.requirements import harbor_command
from tests.submissions.harbor.real.running import HERE

pytestmark = [pytest.mark.harbor, pytest.mark.hypium, pytest.mark.django_db]
DEMO = settings.BASE_DIR / "fixtures" / "snapshots" / "demo"
TASK = "penkit-crash"


@pytest.fixture
def exported(tmp_path):
    snapshot = import_package(DEMO).snapshot
    folder = tmp_path / "harbor"
    call_command("export_harbor", "demo", str(folder), "--with-hidden-checks")
    return snapshot, folder


def run_job(folder: Path, agent: str) -> dict[str, Document]:
    """Run one of Harbor's own agents on one task; the records of its only trial."""
    code = folder.parent / "code"
    code.mkdir(exist_ok=True)
    for name in ("folder_environment.py", "exported_environment.py"):
        shutil.copy(HERE / name, code)
    command = [
        *(str(harbor_command()), "run", "-q", "-y", "-n", "1", "--job-name", agent),
        *("-p", str(folder / TASK), "-o", str(folder.parent / "jobs"), "-a", agent),
        *("-e", "exported_environment:ExportedEnvironment"),
    ]
    kept = {k: v for k, v in os.environ.items() if not k.startswith("DJANGO_")}
    env = kept | {
        "PYTHONPATH": f"{code}{os.pathsep}{settings.BASE_DIR}",
        "HOME": str(folder.parent),
        "OHB_VERIFIER_PYTHON": sys.executable,
        "OHB_HYPIUM_PYTHON": str(settings.OHB_HYPIUM_PYTHON),
        "OHB_NODE": str(settings.OHB_NODE or ""),
        "OHB_SANDBOX": "none",
    }
    done = subprocess.run(
        command, cwd=code, env=env, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    (trial,) = (folder.parent / "jobs" / agent).glob(f"{TASK}__*")
    return {
        name: Document(json.loads((trial / name).read_text()))
        for name in ("result.json", "lock.json", "verifier/ctrf.json")
    }


@pytest.mark.parametrize(("agent", "reward"), [("oracle", 1), ("nop", 0)])
def test_the_reference_gets_the_reward_and_nothing_gets_none(exported, agent, reward):
    snapshot, folder = exported

    found = run_job(folder, agent)

    result = found["result.json"]
    assert result.number("verifier_result", "rewards", "reward") == reward
    assert result.text("verifier_environment_mode") == "separate"
    assert found["lock.json"].text("task", "digest") == kept_digests(snapshot)[TASK]
    tests = found["verifier/ctrf.json"].part("results").parts("tests")
    assert {each.text("status") for each in tests} == (
        {"passed"} if reward else {"failed"}
    )
