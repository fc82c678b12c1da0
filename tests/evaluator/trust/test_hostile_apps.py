"""Apps that attack their judge: they score nothing and take nothing down with them.

The whole way of a job: worker, real sandbox, simulated device, the Hypium adapter with
its checks of the report. Only xdevice itself is a stand-in that looks at the screen;
see `test_hostile_apps_and_hypium.py` for the real one.
"""

from __future__ import annotations

import logging
import re
from pathlib import Path

import pytest

from evaluator.capability import privacy
from evaluator.models import JobState, Stage
from evaluator.toolchains.registry import ToolchainSettings, toolchain_for
from evaluator.verdicts import FailReason, InfraReason
from leaderboard.models import Artifact
from tests.demo import DEMO
from tests.evaluator.simulator.arkts import NODE
from tests.evaluator.trust.bench import TASK, artifact
from tests.evaluator.trust.hostile import (
    APPS,
    INDEX,
    NAMES,
    PAGES,
    build,
    honest_runner,
    hostile_code,
    with_code,
    with_package,
)

pytestmark = pytest.mark.sandbox

# Where the app passes or crashes, which ends the look at it.
PATIENT = 200
BASE = DEMO / "tasks" / TASK / "base"
FAILS = (JobState.SCORED, FailReason.CHECK_FAILED)
# These end in a doubt or a lack of ours instead: no verdict, and no pass either.
NO_VERDICT = {
    "says_not_simulated": InfraReason.NOT_SIMULATED,
}


@pytest.fixture(scope="session")
def honest_package(tmp_path_factory) -> Path:
    """The base project, built: its app shows what the task does not ask for."""
    return build(BASE, tmp_path_factory.mktemp("honest"))


@pytest.fixture
def attack(bench, plug, honest_package, tmp_path, caplog, walls):
    """Run the check stage of a job whose package has ``code`` in it."""

    def run(code: str = "", *, package: Path | None = None, seconds: float = 5):
        settings = ToolchainSettings(
            honest_runner(tmp_path, seconds=seconds),
            node=NODE,
            sandbox_mode="bwrap",
            privacy=privacy(),
        )
        package = with_code(package or honest_package, tmp_path / "app.hap", code)
        plug.append(with_package(toolchain_for(True, settings=settings), package))
        job = bench.step_to(bench.start_changed(), Stage.CHECKS)
        with caplog.at_level(logging.ERROR):
            bench.step(job)
        assert caplog.records == []
        return job

    return run


def seen_by(job) -> str:
    """What the app could have carried out, from its crash report."""
    text = artifact(job, "checks/console.log").decode()
    found = re.search(r"Reason:SEEN (.*)", text)
    assert found, text
    return found[1]


def test_an_honest_app_passes_the_same_way(attack, tmp_path):
    """Without this every test here might fail for another reason."""
    (tmp_path / "good").mkdir()
    page = "@Entry\n@Component\nstruct Index {\n  build() { Text('it works') }\n}\n"
    package = build(BASE, tmp_path / "good", pages={INDEX: page})

    job = attack(package=package, seconds=PATIENT)

    assert (job.state, job.reason) == (JobState.SCORED, "")


@pytest.mark.parametrize("name", NAMES)
def test_a_hostile_app_scores_nothing(attack, name):
    job = attack(hostile_code(name))

    if name in NO_VERDICT:
        assert (job.state, job.reason) == (JobState.QUEUED, NO_VERDICT[name])
    else:
        assert (job.state, job.reason) == FAILS
    passed = [each["passed"] for each in job.facts.get("f_points", {}).values()]
    assert not any(passed)
    # It did what it is there for, and did not stumble over its own feet.
    console = artifact(job, "checks/console.log").decode()
    assert not re.search("Error name: (Type|Reference|Syntax)Error", console), console


@pytest.mark.parametrize("name", PAGES)
def test_a_hostile_page_scores_nothing(attack, tmp_path, name):
    (tmp_path / "page").mkdir()
    text = (APPS / "pages" / f"{name}.ets").read_text("utf-8")
    package = build(BASE, tmp_path / "page", pages={INDEX: text})

    job = attack(package=package)

    assert (job.state, job.reason) == FAILS


def test_an_app_reaches_no_port_of_the_host(attack):
    job = attack(hostile_code("reaches_the_ports"), seconds=PATIENT)

    assert seen_by(job) == "ports [] names lo"


def test_an_app_sees_no_secret_no_check_and_no_other_process(attack, monkeypatch):
    monkeypatch.setenv("OHB_SECRET_KEY", "canary-7f3a")

    job = attack(hostile_code("carries_out_secrets"), seconds=PATIENT)

    said = seen_by(job)
    assert said.endswith("found []")
    assert "OHB_" not in said


def test_an_app_finds_no_way_out_of_the_sandbox(attack):
    job = attack(hostile_code("leaves_the_sandbox"), seconds=PATIENT)

    said = seen_by(job)
    assert said.startswith("worked [] ")
    assert not said.endswith("uid 0")


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("fills_the_disk", "the app wrote more than 256 MiB"),
        ("many_small_files", "the app made more than 5000 files"),
    ],
)
def test_an_app_that_fills_the_disk_is_ended(attack, name, said):
    job = attack(hostile_code(name), seconds=PATIENT)

    assert f"Reason:{said}" in artifact(job, "checks/console.log").decode()


def test_links_in_the_data_of_an_app_harm_no_host_file(attack):
    before = {path: path.stat() for path in map(Path, ("/etc", "/etc/shadow", "/"))}

    attack(hostile_code("links_in_its_data"))

    for path, found in before.items():
        assert path.stat().st_uid == found.st_uid
        assert path.stat().st_mode == found.st_mode


def test_what_an_app_printed_is_kept_but_never_believed(attack):
    job = attack(hostile_code("forged_result_lines"))

    names = set(Artifact.objects.filter(run=job.run).values_list("name", flat=True))
    assert "checks/summary_report.xml" in names
    assert b"OHOS_REPORT" not in artifact(job, "checks/summary_report.xml")
