"""A canary in every place where a worker holds a secret; it must sing nowhere.

The build and the app print all they can see of the environment, of processes and of
the file system; then every artifact, package, row and log line is searched.
"""

from __future__ import annotations

import io
import json
import logging
import os
import subprocess
import zipfile
from pathlib import Path

import pytest
from django.conf import settings as django_settings
from django.core import serializers

from evaluator import capability
from evaluator.models import Attempt, Job, JobEvent, JobState, Worker
from evaluator.registration import register
from evaluator.sandbox import open_sandbox
from evaluator.toolchains.base import Toolchain
from evaluator.toolchains.hvigor import HvigorBuilder
from evaluator.toolchains.registry import ToolchainSettings, toolchain_for
from leaderboard.blobs import read_blob
from leaderboard.models import Artifact, AuditEvent, CheckResult, TaskResult
from tests.demo import DEMO
from tests.evaluator.simulator.arkts import NODE
from tests.evaluator.stubs import interpreter_folders, write_tool
from tests.evaluator.trust.bench import TASK, artifact
from tests.evaluator.trust.hostile import (
    build,
    honest_runner,
    hostile_code,
    with_code,
)

pytestmark = pytest.mark.sandbox

CANARY = "canary-4d1f9c0e"
VARIABLES = (
    "OHB_SECRET_KEY",
    "DATABASE_URL",
    "OHB_BROKER_URL",
    "OHB_STORAGE_URL",
    "AWS_SECRET_ACCESS_KEY",
    "DEVECO_API_KEY",
    "PGPASSWORD",
)
# Prints all it can see, then "builds" the package it was given by its test.
SPY = r"""
def show(name, text):
    print("SEEN", name, text.replace("\0", " ").replace("\n", " ")[:5000])
for key, value in os.environ.items():
    show("variable", f"{key}={value}")
for pid in sorted(filter(str.isdigit, os.listdir("/proc")), key=int):
    for name in ("environ", "cmdline", "status", "mountinfo"):
        try:
            show(f"/proc/{pid}/{name}", Path(f"/proc/{pid}/{name}").read_text())
        except OSError as error:
            show(f"/proc/{pid}/{name}", str(error))
for top, folders, names in os.walk("/"):
    folders[:] = [each for each in folders if os.path.join(top, each) not in
                  {"/proc", "/sys", "/usr", "/lib", "/lib64", "/bin", "/sbin", "/dev"}]
    for name in names:
        path = Path(top, name)
        try:
            if path.is_file() and path.stat().st_size < 1 << 20:
                text = path.read_bytes().decode("latin-1")
                # In two pieces, or the spy would find itself.
                if "canary-" + "4d1f9c0e" in text:
                    show("file", f"{path}: {text}")
        except OSError:
            continue
outputs = Path("entry/build/default/outputs/default")
outputs.mkdir(parents=True)
shutil.copy(os.environ["PACKAGE"], outputs / "entry-default-unsigned.hap")
print("> hvigor BUILD SUCCESSFUL in 1 s")
"""


@pytest.fixture
def planted(monkeypatch, settings, bench) -> None:
    """The canary in the environment, in settings, and in files of the data folder."""
    for name in VARIABLES:
        monkeypatch.setenv(name, CANARY)
    settings.SECRET_KEY = CANARY
    settings.CELERY_BROKER_URL = f"redis://:{CANARY}@localhost/0"
    for name in (".env", "ohb.sqlite3", "secrets/key.pem", "work/other-job/app.hap"):
        path = Path(settings.DATA_DIR, name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"secret = {CANARY}\n")
        path.chmod(0o644)


@pytest.fixture
def started(monkeypatch) -> list[tuple[list[str], dict[str, str]]]:
    """Command line and environment of every process that this one starts."""
    found = []
    start = subprocess.Popen.__init__

    def noting(self, args, *more, env=None, **options):
        given = dict(os.environ if env is None else env)
        found.append(([str(word) for word in args], given))
        start(self, args, *more, env=env, **options)

    monkeypatch.setattr(subprocess.Popen, "__init__", noting)
    return found


@pytest.fixture
def scored(started, planted, bench, plug, monkeypatch, tmp_path, walls, caplog) -> Job:
    """A job whose build and whose app looked for everything, scored."""
    sandbox = open_sandbox("bwrap", privacy=capability.privacy())
    monkeypatch.setattr("evaluator.pipeline.workspace.worker_sandbox", lambda: sandbox)
    (tmp_path / "honest").mkdir()
    package = build(DEMO / "tasks" / TASK / "base", tmp_path / "honest")
    kit = tmp_path / "kit"
    kit.mkdir()
    spying = with_code(package, kit / "app.hap", hostile_code("carries_out_secrets"))
    tool = write_tool(tmp_path / "tools" / "hvigorw", SPY)
    builder = HvigorBuilder(
        tool,
        sandbox,
        {"PACKAGE": str(spying)},
        readable=(*interpreter_folders(), kit),
    )
    tools = ToolchainSettings(
        honest_runner(tmp_path),
        node=NODE,
        sandbox_mode="bwrap",
        privacy=capability.privacy(),
    )
    whole = toolchain_for(True, settings=tools, sandbox=sandbox)
    plug.append(Toolchain(builder, whole.devices, whole.checks))
    # The row is wanted, not the thread that keeps it fresh.
    monkeypatch.setattr("evaluator.registration._keep_seen", lambda: None)
    with caplog.at_level(logging.DEBUG):
        register()
        started.clear()  # what came before is the test's own, and no stage
        return bench.finish(bench.start_changed())


def expect_silence(what: str, content: str | bytes) -> None:
    text = content.decode("latin-1") if isinstance(content, bytes) else content
    where = text.find(CANARY)
    assert where < 0, f"{what}: {text[max(0, where - 200) : where + 50]}"


def test_a_secret_of_the_worker_is_in_nothing_that_a_job_leaves(
    scored, caplog, settings
):
    assert scored.state == JobState.SCORED
    artifacts = list(Artifact.objects.filter(run__evaluation=scored.evaluation))
    names = {each.name for each in artifacts}
    assert {"build_final.log", "app.hap", "checks/console.log"} <= names
    for each in artifacts:
        content = read_blob(each.sha256)
        expect_silence(each.name, content)
        if zipfile.is_zipfile(io.BytesIO(content)):
            with zipfile.ZipFile(io.BytesIO(content)) as archive:
                for name in archive.namelist():
                    expect_silence(f"{each.name}/{name}", archive.read(name))
    for table in (Job, Attempt, JobEvent, Worker, TaskResult, CheckResult, AuditEvent):
        rows = serializers.serialize("json", table.objects.all())
        expect_silence(table.__name__, rows)
    expect_silence("log", caplog.text)


def test_no_process_of_a_stage_is_started_with_a_secret(scored, started):
    """What /proc/PID/environ and /proc/PID/cmdline of the host would show."""
    programs = {Path(word).name for words, _ in started for word in words}
    assert {"git", "bwrap", "hvigorw", "xdevice_soon.py"} <= programs
    assert "evaluator.simulator.device" in programs
    told = [words for words, given in started if CANARY in f"{words} {given}"]
    assert told == []


def test_the_spies_have_looked_where_a_secret_could_be(scored):
    log = artifact(scored, "build_final.log").decode()
    console = artifact(scored, "checks/console.log").decode()

    assert "SEEN /proc/1/environ PATH=" in log
    assert "SEEN /proc/1/cmdline" in log
    assert "SEEN variable PACKAGE=" in log
    variables = {
        line.split()[2].partition("=")[0]
        for line in log.splitlines()
        if line.startswith("SEEN variable")
    }
    homes = {"HOME", "USERPROFILE"}
    assert variables <= homes | {"LANG", "LC_CTYPE", "PACKAGE", "PATH", "PWD"}
    assert "SEEN file" not in log
    assert "found []" in console


def test_the_same_spy_on_the_host_would_have_found_it(planted, tmp_path, monkeypatch):
    """Without this the spies might look in the wrong places."""
    tool = write_tool(tmp_path / "hvigorw", SPY.replace('os.walk("/")', "os.walk('.')"))
    done = subprocess.run(
        [tool],
        cwd=django_settings.DATA_DIR,
        capture_output=True,
        text=True,
        check=False,
    )

    assert f"OHB_SECRET_KEY={CANARY}" in done.stdout
    assert "SEEN file secrets/key.pem" in done.stdout


def test_the_environment_of_the_tools_on_the_host_is_clean_too(planted, tmp_path):
    """xdevice and the device process run outside, and still get no secret."""
    tools = ToolchainSettings(tmp_path / "python", node=NODE, sandbox_mode="none")
    whole = toolchain_for(True, settings=tools)

    expect_silence("toolchain", repr(whole))
    expect_silence("environment", json.dumps(dict(whole.devices.environment)))
