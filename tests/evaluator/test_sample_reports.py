"""Every report that real runs of Hypium left, and what has to come of each.

The last column is the whole decision: passed, failed, a doubt for a control run, or a
reason of ours. `docs/reliability.md` says what follows from it.
"""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from evaluator.toolchains.hypium_report import ReportError, is_complete, read_report
from evaluator.verdicts import (
    InfraReason,
    Trouble,
    doubt_about_checks,
    judge_report,
    trouble_in_message,
)

SAMPLES = Path(__file__).parent / "samples"
TOUCH = [("demo_touch", "test_touch_shows_done")]
MULTI = [("demo_multi", f"test_f{number}") for number in (1, 2, 3)]
CHAT = [("chat_send", "test_send_appends"), ("chat_send", "test_clear_restores_plus")]
DOUBT = "doubt"

TABLE = {
    "pass": (TOUCH, "passed"),
    "arkts_solution_passes": (CHAT, "passed"),
    "fail": (TOUCH, "failed"),
    "multi_method": (MULTI, "failed"),
    "two_cases": ([*TOUCH, *MULTI], "failed"),
    # An app that dies looks like a false check; the device was well before and after.
    "crash": (TOUCH, "failed"),
    # These share one code with a device that is gone: the reference has to tell.
    "arkts_base_fails": (CHAT, DOUBT),
    "app_not_installed": (TOUCH, DOUBT),
    "setup_failure": ([("demo_setupfail", "process")], DOUBT),
    "device_lost": (MULTI, DOUBT),
    "script_syntax_error": ([("demo_syntax", "process")], InfraReason.CHECK_BROKEN),
    "no_device": (TOUCH, InfraReason.DEVICE_LOST),
}


def decision(sample: Path, expected: list[tuple[str, str]]) -> str:
    judged = judge_report(read_report(sample), expected)
    if isinstance(judged, Trouble):
        return judged.reason
    failures = [each.message for each in judged.values() if not each.passed]
    if doubt_about_checks(None, failures) is not None:
        return DOUBT
    return "failed" if failures else "passed"


@pytest.mark.parametrize("name", TABLE)
def test_every_sample_is_classed_as_it_should_be(name: str):
    expected, wanted = TABLE[name]

    assert decision(SAMPLES / name, expected) == wanted


def test_a_server_of_hdc_that_is_down_is_a_device_that_is_lost(tmp_path: Path):
    """The same report as without a device: xdevice cannot tell the two apart."""
    sample = tmp_path / "hdc_server_down"
    shutil.copytree(SAMPLES / "no_device", sample)
    told = sample / "summary_report_hdc_server_down.xml"
    told.rename(sample / "summary_report.xml")

    assert decision(sample, TOUCH) == InfraReason.DEVICE_LOST


@pytest.mark.parametrize(
    ("message", "reason"),
    [
        # Said on the console only, where hdc was not on PATH and no case had the name.
        (
            "[Environment-0101021] Test source required 1 devices, actually 0 devices "
            "were found",
            InfraReason.DEVICE_LOST,
        ),
        (
            "[Environment-0101014] Test source 'no_such_case' or its json does not "
            "exist",
            InfraReason.CHECK_BROKEN,
        ),
    ],
)
def test_what_the_console_says_of_the_environment_is_ours(message: str, reason: str):
    trouble = trouble_in_message(message)

    assert trouble is not None
    assert trouble.reason == reason


def test_no_sample_is_left_out():
    reports = SAMPLES.glob("*/summary_report.xml")
    assert {path.parent.name for path in reports} == set(TABLE)


def test_a_script_that_hangs_leaves_no_report_and_so_no_verdict(tmp_path: Path):
    """What was there after a kill: logs and details, nothing to judge."""
    (tmp_path / "log").mkdir()
    (tmp_path / "details").mkdir()

    assert not is_complete(tmp_path)
    with pytest.raises(ReportError, match="there is no summary_report"):
        read_report(tmp_path)
