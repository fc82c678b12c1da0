"""The verifier of exported Harbor tasks: a reward only where something was decided."""

from __future__ import annotations

import json
from difflib import unified_diff
from pathlib import Path

import pytest

from evaluator import harbor_verifier
from evaluator.harbor_verifier import Task, Verdict, main
from evaluator.patches import GateResult
from evaluator.toolchains.base import CheckOutcome
from leaderboard.trees import copy_project, tree_digest

DEMO = Path(__file__).parents[2] / "fixtures/snapshots/demo/tasks/penkit-crash"


@pytest.fixture
def task(tmp_path) -> Path:
    """A demo task as export_harbor writes it for the verifier."""
    folder = tmp_path / "task"
    copy_project(DEMO / "base", folder / "base")
    copy_project(DEMO / "checks", folder / "checks")
    told = json.loads((DEMO / "task.json").read_text())
    facts = {
        "slug": told["slug"],
        "base_digest": tree_digest(DEMO / "base"),
        "bundle_name": told["bundle_name"],
        "build_paths": told["build_paths"],
        "simulated": True,
        "f_points": told["f_points"],
    }
    (folder / "verifier.json").write_text(json.dumps(facts))
    return folder


@pytest.fixture
def run(task, tmp_path, monkeypatch, settings):
    """Verifies a patch; returns the exit code and the folder of the verifier."""
    monkeypatch.setenv("OHB_SANDBOX", "none")
    monkeypatch.setenv("OHB_HYPIUM_PYTHON", str(settings.OHB_HYPIUM_PYTHON))
    monkeypatch.setenv("OHB_NODE", str(settings.OHB_NODE or ""))

    def verify(patch: Path) -> tuple[int, Path]:
        output = tmp_path / "verifier"
        words = ["--task", task, "--patch", patch, "--output", output]
        return main([str(word) for word in words]), output

    return verify


def told(output: Path, name: str):
    return json.loads((output / name).read_text())


@pytest.mark.hypium
def test_the_reference_gets_the_reward(run):
    code, output = run(DEMO / "reference.patch")

    assert code == 0
    assert (output / "reward.txt").read_text() == "1\n"
    details = told(output, "details.json")
    assert details["completed"] is details["final_build"] is True
    results = told(output, "ctrf.json")["results"]
    assert results["summary"]["passed"] == results["summary"]["tests"] >= 1
    assert {each["status"] for each in results["tests"]} == {"passed"}


@pytest.mark.hypium
def test_a_patch_that_does_not_build_is_a_failure(run, tmp_path):
    name = "entry/src/main/ets/pages/Index.ets"
    before = (DEMO / "base" / name).read_text().splitlines(keepends=True)
    after = ["import { Nothing } from './Nowhere';\n", *before]
    patch = tmp_path / "broken.patch"
    patch.write_text("".join(unified_diff(before, after, f"a/{name}", f"b/{name}")))

    code, output = run(patch)

    assert code == 0
    assert (output / "reward.txt").read_text() == "0\n"
    details = told(output, "details.json")
    assert (details["patch_applied"], details["final_build"]) == (True, False)
    assert {
        each["status"] for each in told(output, "ctrf.json")["results"]["tests"]
    } == {"skipped"}
    assert (output / "build.log").stat().st_size


def test_a_patch_that_does_not_apply_is_a_failure(run, tmp_path):
    patch = tmp_path / "wrong.patch"
    patch.write_text("--- a/none\n+++ b/none\n@@ -1 +1 @@\n-a\n+b\n")

    code, output = run(patch)

    assert code == 0
    assert (output / "reward.txt").read_text() == "0\n"
    assert told(output, "details.json")["patch_applied"] is False


def test_trouble_of_ours_writes_no_reward(run, task, capsys):
    (task / "base" / "changed.ets").write_text("")

    code, output = run(DEMO / "reference.patch")

    assert code == 1
    assert "not the one of the task" in capsys.readouterr().err
    assert not (output / "reward.txt").exists()
    assert told(output, "details.json")["completed"] is None


def test_a_missing_tool_writes_no_reward(run, monkeypatch, tmp_path):
    monkeypatch.setenv("OHB_NODE", str(tmp_path / "node"))

    code, output = run(DEMO / "reference.patch")

    assert code == 1
    assert "Node.js" in told(output, "details.json")["trouble"]
    assert not (output / "reward.txt").exists()


def test_an_untouched_project_completes_nothing_whatever_the_checks_say(tmp_path):
    facts = {"slug": "x", "f_points": [{"id": "FP-1"}]}
    gate = GateResult(accepted=True, applies=True, empty=True)
    verdict = Verdict(gate, True, (CheckOutcome("FP-1", True),))

    harbor_verifier.write(verdict, Task(tmp_path, facts), tmp_path, began=0)

    assert (tmp_path / "reward.txt").read_text() == "0\n"
