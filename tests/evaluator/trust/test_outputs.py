"""What code prints and writes is capped, head and tail are kept, and the job ends."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from django.conf import settings as django_settings

from evaluator.models import JobState
from evaluator.processes import OUTPUT_LIMIT_BYTES
from evaluator.sandbox import Limits
from evaluator.toolchains.hvigor import HvigorBuilder
from evaluator.toolchains.hypium_report import (
    MAX_LOG_BYTES,
    MAX_SCREENSHOT_BYTES,
    SCREENSHOTS_A_CASE,
)
from evaluator.verdicts import FailReason
from leaderboard.models import Artifact
from tests.evaluator.stubs import interpreter_folders, write_tool
from tests.evaluator.trust.bench import artifact
from tests.evaluator.trust.fault_list import RUN_HONEST, World

MIB = 1024 * 1024
ROOM_FOR_THE_MARK = 100
FLOOD = """
sys.stdout.write("the beginning\\n")
for _ in range(40):
    sys.stdout.write("x" * (1 << 20) + "\\n")
sys.stdout.write("the end\\n")
sys.stdout.flush()
"""
FAILED = "print('> hvigor ERROR: BUILD FAILED in 1 s'); sys.exit(255)\n"


@pytest.fixture
def world(bench, plug, monkeypatch, tmp_path, settings):
    return World(bench, plug, monkeypatch, tmp_path, settings)


def expect_capped(log: bytes) -> None:
    assert OUTPUT_LIMIT_BYTES == 16 * MIB
    assert 15 * MIB < len(log) <= OUTPUT_LIMIT_BYTES + ROOM_FOR_THE_MARK
    assert log.startswith(b"the beginning\n")
    assert b"bytes left out" in log


def test_the_log_of_a_build_is_capped_with_head_and_tail(world):
    world.build_with(FLOOD + FAILED)

    job = world.bench.finish(world.bench.start_changed())

    assert (job.state, job.reason) == (JobState.SCORED, FailReason.BUILD_FAILED)
    for stage in ("build_first", "build_final"):
        log = artifact(job, f"{stage}.log")
        expect_capped(log)
        assert log.endswith(b"the end\n> hvigor ERROR: BUILD FAILED in 1 s\n")


def test_the_console_of_the_checks_is_capped_with_head_and_tail(world):
    world.check_with(FLOOD + RUN_HONEST)

    job = world.bench.finish(world.bench.start_changed())

    assert (job.state, job.reason) == (JobState.SCORED, FailReason.CHECK_FAILED)
    console = artifact(job, "checks/console.log")
    expect_capped(console)
    assert b"the end\n" in console


def test_what_the_checks_leave_behind_is_few_and_small(world):
    more = """
case = report / "log" / "chat_input_bar"
case.mkdir(parents=True)
(case / "module_run.log").write_bytes(b"x" * (20 << 20) + b"the end")
(case / "other.log").write_bytes(b"x" * 1000)
shots = report / "details" / "chat_input_bar"
shots.mkdir(parents=True)
for number in range(50):
    size = 3 << 20 if number % 2 else 1000
    (shots / f"SIM.{number:03}.jpeg").write_bytes(b"\\xff\\xd8" + b"x" * size)
(report / "huge.bin").write_bytes(b"x" * (20 << 20))
"""
    body = RUN_HONEST + ('report = Path(sys.argv[sys.argv.index("-rp") + 1])\n' + more)
    # Everything has to be there before the report counts as complete.
    body = body.replace(
        "import runpy; runpy", "os.environ['LATE'] = '1'\nimport runpy; runpy"
    )
    body += '(report / "summary.ini").write_text("[default]")\n'
    world.check_with(body)

    job = world.bench.finish(world.bench.start_changed())

    assert job.state == JobState.SCORED
    kept = Artifact.objects.filter(run=job.run, name__startswith="checks/")
    sizes = dict(kept.values_list("name", "size_bytes"))
    log = "checks/chat_input_bar/module_run.log"
    assert sizes.pop(log) == MAX_LOG_BYTES
    assert artifact(job, log).endswith(b"the end")
    shots = [size for name, size in sizes.items() if "screenshot" in name]
    assert 0 < len(shots) <= SCREENSHOTS_A_CASE
    assert max(shots) <= MAX_SCREENSHOT_BYTES
    assert not any("huge" in name or "other" in name for name in sizes)


def test_the_messages_of_a_build_are_few_and_short(world):
    one = (
        "print('1 ERROR: 10505001 ArkTS Compiler Error'); "
        "print('Error Message: ' + 'm' * 1900)\n"
        "for _ in range(28): print('n' * 1900)\n"
        "print('At File: /a.ets:1:1'); print()\n"
    )
    world.build_with(
        "for _ in range(3000):\n  " + one.replace("\n", "\n  ") + "\n" + FAILED
    )

    job = world.bench.finish(world.bench.start_changed())

    assert job.reason == FailReason.BUILD_FAILED
    told = artifact(job, "build_final.diagnostics.json")
    assert len(told) < 8 * MIB
    assert 0 < len(json.loads(told)) <= 1000


@pytest.mark.sandbox
def test_a_build_that_fills_the_disk_is_ended_and_counts_where_the_reference_builds(
    world, walls
):
    tool = write_tool(
        world.folder / "tools" / "hvigorw",
        "for n in range(10000): Path(f'fill-{n}').write_bytes(bytes(1 << 24))\n",
    )

    limits = replace(Limits(), written_bytes=128 * MIB)
    folders = interpreter_folders()
    world.builder(HvigorBuilder(tool, walls, {}, readable=folders, limits=limits))

    job = world.bench.finish(world.bench.start_changed())

    assert (job.state, job.reason) == (JobState.SCORED, FailReason.BUILD_FAILED)
    assert "wrote more than 128 MiB" in job.detail
    log = artifact(job, "build_final.log")
    assert b"the build was ended: it wrote more than 128 MiB" in log
    assert not list(django_settings.WORK_DIR.iterdir())


def test_a_build_log_that_claims_success_is_no_package(world):
    """Nothing that is printed makes a build good without a package."""
    world.build_with("print('> hvigor BUILD SUCCESSFUL in 1 s')")

    job = world.bench.finish(world.bench.start_changed())

    assert (job.state, job.reason) == (JobState.SCORED, FailReason.BUILD_FAILED)
