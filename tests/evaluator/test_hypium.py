"""The Hypium adapter: sample reports classed, and runs with a stand-in for xdevice.

The device is the simulated one throughout, with a fake app.
"""

from __future__ import annotations

import shutil
import threading
import time
from pathlib import Path

import pytest

from evaluator.toolchains.base import (
    ChecksOutcome,
    CheckSuite,
    Device,
    ExpectedCheck,
)
from evaluator.toolchains.hypium import HypiumRunner
from evaluator.toolchains.hypium_project import Project
from evaluator.toolchains.hypium_report import (
    ReportError,
    collect_files,
    is_complete,
    read_report,
)
from evaluator.toolchains.simulated import SimulatedChecks
from evaluator.verdicts import FAILED, PASSED, InfraReason, Trouble, judge_report
from tests.evaluator.simulator.apps import (
    BUNDLE,
    ENVIRONMENT,
    HDC,
    PROFILE,
    device_pool,
    write_package,
)
from tests.evaluator.stubs import Once, write_tool

SAMPLES = Path(__file__).parent / "samples"
CHECKS = Path(__file__).parent / "checks"

TOUCH = [("demo_touch", "test_touch_shows_done")]
MULTI = [("demo_multi", f"test_f{number}") for number in (1, 2, 3)]
CHAT = [("chat_send", "test_send_appends"), ("chat_send", "test_clear_restores_plus")]


def verdicts_of(sample: str, expected: list[tuple[str, str]]) -> list[bool]:
    judged = judge_report(read_report(SAMPLES / sample), expected)
    assert not isinstance(judged, Trouble), judged
    return [judged[pair].passed for pair in expected]


@pytest.mark.parametrize(
    ("sample", "expected", "passed"),
    [
        ("pass", TOUCH, [True]),
        ("fail", TOUCH, [False]),
        ("crash", TOUCH, [False]),
        ("app_not_installed", TOUCH, [False]),
        ("setup_failure", [("demo_setupfail", "process")], [False]),
        ("multi_method", MULTI, [True, False, True]),
        ("two_cases", [*TOUCH, *MULTI], [True, True, False, True]),
        ("arkts_base_fails", CHAT, [False, False]),
        ("arkts_solution_passes", CHAT, [True, True]),
        # Only the look at the device tells this one from a fail: see below.
        ("device_lost", MULTI, [False, False, False]),
    ],
)
def test_a_real_report_is_read_method_by_method(
    sample: str, expected: list[tuple[str, str]], passed: list[bool]
):
    assert verdicts_of(sample, expected) == passed


@pytest.mark.parametrize(
    ("sample", "expected", "reason"),
    [
        (
            "script_syntax_error",
            [("demo_syntax", "process")],
            InfraReason.CHECK_BROKEN,
        ),
        ("no_device", TOUCH, InfraReason.DEVICE_LOST),
        ("pass", MULTI, InfraReason.NO_REPORT),
        ("pass", [("demo_touch", "test_another")], InfraReason.CHECK_BROKEN),
    ],
)
def test_a_real_report_of_our_own_trouble_is_no_verdict(
    sample: str, expected: list[tuple[str, str]], reason: InfraReason
):
    judged = judge_report(read_report(SAMPLES / sample), expected)

    assert isinstance(judged, Trouble)
    assert judged.reason is reason


def test_a_report_keeps_the_message_and_the_time_of_a_method():
    (case,) = read_report(SAMPLES / "multi_method")

    assert [method.kind for method in case.methods] == [PASSED, FAILED, PASSED]
    assert "Nowhere" in case.methods[1].message
    assert case.methods[1].seconds > 1


@pytest.fixture
def report(tmp_path: Path) -> Path:
    folder = tmp_path / "report"
    shutil.copytree(SAMPLES / "pass", folder)
    return folder


def test_a_report_whose_halves_disagree_is_refused(report: Path):
    told = report / "report_data.json"
    told.write_text(told.read_text().replace('"Passed"', '"Failed"'))

    with pytest.raises(ReportError, match=r"demo_touch is Passed .* and Failed"):
        read_report(report)


def test_a_case_that_ran_twice_is_refused(report: Path):
    told = report / "report_data.json"
    told.write_text(
        told.read_text().replace(
            '"cases": [', '"cases": [{"classname": "demo_touch", "result": "Passed"},'
        )
    )

    with pytest.raises(ReportError, match="reported twice"):
        read_report(report)


@pytest.mark.parametrize("name", ["summary_report.xml", "report_data.json"])
def test_a_torn_or_missing_report_is_refused(report: Path, name: str):
    text = (report / name).read_text()
    (report / name).write_text(text[: len(text) // 2])
    with pytest.raises(ReportError, match="torn"):
        read_report(report)

    (report / name).unlink()
    with pytest.raises(ReportError, match=f"there is no {name}"):
        read_report(report)


def test_control_characters_of_an_app_do_not_tear_a_report(report: Path):
    path = report / "summary_report.xml"
    path.write_bytes(path.read_bytes().replace(b'level="1"', b'level="\x08\x00"'))

    assert read_report(report)[0].kind == PASSED


def test_a_report_with_entities_is_refused(report: Path):
    path = report / "summary_report.xml"
    path.write_text('<!DOCTYPE x [<!ENTITY a "b">]>' + path.read_text())

    with pytest.raises(ReportError, match="entities"):
        read_report(report)


def test_a_report_is_complete_when_its_last_file_is_there(report: Path):
    (report / "task_info.record").write_text("{}")
    assert not is_complete(report)

    (report / "summary.ini").write_text("[default]\n")
    assert is_complete(report)


def test_the_kept_files_are_few_and_named_after_their_case(report: Path):
    (report / "log" / "demo_touch").mkdir(parents=True)
    (report / "log" / "demo_touch" / "module_run.log").write_text("log")
    (report / "details" / "demo_touch").mkdir(parents=True)
    for number in range(9):
        name = f"SIM.2026113001254868535{number}.jpeg"
        picture = b"\x89PNG" if number == 8 else b"\xff\xd8"
        (report / "details" / "demo_touch" / name).write_bytes(picture)

    assert sorted(collect_files(report)) == [
        "demo_touch/module_run.log",
        "demo_touch/screenshot-1.jpeg",
        "demo_touch/screenshot-2.jpeg",
        "demo_touch/screenshot-3.jpeg",
        "demo_touch/screenshot-4.png",
        "report_data.json",
        "summary_report.xml",
    ]


# --- whole runs ---------------------------------------------------------

SUITE = CheckSuite(
    CHECKS,
    BUNDLE,
    (
        ExpectedCheck("FP-1", "chat_send", "test_send_appends"),
        ExpectedCheck("FP-2", "chat_send", "test_clear_disables_send"),
    ),
)
# Stands for `python -m xdevice run ...`: leaves a report as xdevice does.
REPORT = """
import json
report = Path(sys.argv[sys.argv.index("-rp") + 1])
assert report.is_absolute() and not report.exists()
report.mkdir(parents=True)
case = "chat_send"
methods = {{"test_send_appends": {first}, "test_clear_disables_send": {second}}}
passed = all(methods.values())
tests = "".join(
    f'<test name="{{name}}" time="0.5" result_kind="{{"Passed" if ok else "Failed"}}"'
    f' message="{{"" if ok else "[Script-0203003] false"}}"/>'
    for name, ok in methods.items()
)
(report / "summary_report.xml").write_text(
    f'<testsuites><testsuite modulename="{{case}}"><testcase classname="{{case}}"'
    f' status="run" result="{{str(passed).lower()}}" message="">{{tests}}</testcase>'
    "</testsuite></testsuites>"
)
result = "Passed" if passed else "Failed"
cases = '{{"classname": "%s", "result": "%s"}}' % (case, result)
(report / "report_data.json").write_text(
    '{{"modules": [{{"suites": [{{"cases": [%s]}}]}}]}}' % cases
)
(report / "task_info.record").write_text(json.dumps({{
    "report_path": str(report),
    "session_id": report.name,
    "unsuccessful_params": {{}} if passed else {{case: [f"{{case}}#{{case}}"]}},
    "data_reports": {{case: str(report / "result" / f"{{case}}.xml")}},
}}))
"""
THE_END = '\n(report / "summary.ini").write_text("[default]")\n'


FORGED = {
    "of another run": """
old = report.parent / "old-report"
report.rename(old)
shutil.copytree(old, report)
record = json.loads((report / "task_info.record").read_text())
record["report_path"] = str(old)
(report / "task_info.record").write_text(json.dumps(record))
""",
    "with another nonce": """
record = json.loads((report / "task_info.record").read_text())
record["session_id"] = "report-" + "0" * 32
(report / "task_info.record").write_text(json.dumps(record))
""",
    "whose record is torn": '(report / "task_info.record").write_text("{")',
    "whose record is empty": '(report / "task_info.record").write_text("{}")',
    "of results elsewhere": """
record = json.loads((report / "task_info.record").read_text())
record["data_reports"] = {case: "/data/app/chat_send.xml"}
(report / "task_info.record").write_text(json.dumps(record))
""",
    "that hides a failure": """
record = json.loads((report / "task_info.record").read_text())
record["unsuccessful_params"] = {case: ["chat_send#chat_send"]}
(report / "task_info.record").write_text(json.dumps(record))
""",
    "with a method twice": """
xml = (report / "summary_report.xml").read_text()
first = xml[xml.index("<test name"):xml.index("/>") + 2]
(report / "summary_report.xml").write_text(xml.replace(first, first + first))
""",
    "with a method more": """
xml = (report / "summary_report.xml").read_text()
more = '<test name="test_more" time="1" result_kind="Passed" message=""/></testcase>'
(report / "summary_report.xml").write_text(xml.replace("</testcase>", more))
""",
    "with a case more": """
xml = (report / "summary_report.xml").read_text()
whole = xml[xml.index("<testsuite "):xml.index("</testsuites>")]
more = whole.replace("chat_send", "another")
(report / "summary_report.xml").write_text(xml.replace(whole, whole + more))
told = (report / "report_data.json").read_text()
cases = told[told.index('{"classname"'):told.index("]")]
both = cases + ", " + cases.replace("chat_send", "another")
(report / "report_data.json").write_text(told.replace(cases, both))
""",
    "with a case twice": """
xml = (report / "summary_report.xml").read_text()
whole = xml[xml.index("<testsuite "):xml.index("</testsuites>")]
(report / "summary_report.xml").write_text(xml.replace(whole, whole * 2))
""",
    "without a method": """
xml = (report / "summary_report.xml").read_text()
first = xml[xml.index("<test name"):xml.index("/>") + 2]
(report / "summary_report.xml").write_text(xml.replace(first, ""))
""",
    "of other scripts": """
(Path("testcases") / "chat_send.py").write_text("# harmless now")
""",
    "after the seal was rewritten": """
seal = Path("config") / "attempt.seal"
seal.write_text(seal.read_text().replace(seal.read_text()[:32], "0" * 32))
""",
    "after the seal was removed": 'Path("config", "attempt.seal").unlink()',
}
TEAR = '(report / "report_data.json").write_text("{")'


def report_of(*, first: bool = True, second: bool = True, forged: str = "") -> str:
    """``forged`` is done to the report before it is complete."""
    return REPORT.format(first=first, second=second) + forged + THE_END


class Bench:
    """One device, one package, and a stand-in for xdevice."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.package = write_package(folder / "app.hap")
        self.pool = device_pool()
        self.stop: threading.Event | None = None
        self.rehearses = False

    def run(
        self, body: str, *, deadline: float | None = None, suite: CheckSuite = SUITE
    ) -> ChecksOutcome:
        python = write_tool(self.folder / "python", body)
        runner = HypiumRunner(
            python, HDC, ENVIRONMENT, stop=self.stop, rehearses=self.rehearses
        )
        scratch = self.folder / "scratch"
        (self.folder / "device").mkdir()
        scratch.mkdir()
        with self.pool.lease(scratch=self.folder / "device") as device:
            return SimulatedChecks(runner, self.pool).run(
                self.package,
                suite,
                device,
                scratch=scratch,
                deadline=time.monotonic() + 600 if deadline is None else deadline,
            )


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return Bench(tmp_path)


def test_a_run_decides_every_f_point(bench: Bench):
    outcome = bench.run(report_of(second=False))

    assert outcome.trouble is None
    assert outcome.install_ok
    assert [(o.f_point, o.passed) for o in outcome.outcomes] == [
        ("FP-1", True),
        ("FP-2", False),
    ]
    assert outcome.outcomes[1].message == "[Script-0203003] false"
    assert outcome.outcomes[0].seconds == 0.5


def test_a_rehearsal_starts_the_app_and_leaves_no_trace_of_it(bench: Bench):
    bench.rehearses = True
    outcome = bench.run(report_of())

    assert outcome.trouble is None
    assert [each.passed for each in outcome.outcomes] == [True, True]


def test_a_rehearsal_names_an_app_that_has_nothing_to_start(bench: Bench):
    bench.rehearses = True
    module = {**PROFILE["module"], "abilities": []}
    write_package(bench.package, profile={**PROFILE, "module": module})

    outcome = bench.run(report_of())

    assert outcome.trouble is not None
    assert outcome.trouble.reason is InfraReason.HDC
    assert "names no ability to start" in outcome.trouble.detail


def test_xdevice_is_not_waited_for_once_its_report_is_complete(bench: Bench):
    outcome = bench.run(report_of() + "time.sleep(500)")

    assert outcome.trouble is None
    assert outcome.seconds < 400


def test_a_run_gets_a_project_a_home_and_settings_of_its_own(bench: Bench):
    body = """
print(sys.argv[1:])
print(Path("config/user_config.xml").read_text())
print(sorted(os.listdir("testcases")), os.environ["OHOS_HDC_SERVER_PORT"])
print((Path(os.environ["HOME"]) / ".hypium/hypium_config").read_text())
print(os.environ.get("OHB_SECRET_KEY"))
"""
    outcome = bench.run(body + report_of())

    console = outcome.files["checks/console.log"].decode()
    assert "['-m', 'xdevice', 'run', '-l', 'chat_send', '-rp', '/evaluation" in console
    assert "'--env_check_timeout', '10'" in console
    assert 'label="ohos"' in console
    assert 'sn="SIM' in console
    assert "['chat_send.json', 'chat_send.py']" in console
    assert "None" in console
    assert str(bench.folder) not in console


def test_telemetry_is_off_in_the_file_that_hypium_reads(bench: Bench):
    body = """
import base64
text = (Path(os.environ["HOME"]) / ".hypium/hypium_config").read_text()
print(base64.b64decode(text).decode())
"""
    outcome = bench.run(body + report_of())

    console = outcome.files["checks/console.log"]
    assert b'"privacy_confirmed": "telemetry_disable"' in console


@pytest.mark.parametrize("how", FORGED)
def test_no_verdict_is_taken_from_a_report(bench: Bench, how: str):
    outcome = bench.run(report_of(forged=FORGED[how]))

    assert outcome.outcomes == ()
    assert outcome.trouble is not None
    assert outcome.trouble.reason in {
        InfraReason.NO_REPORT,
        InfraReason.CHECK_BROKEN,
        InfraReason.RUNNER_CRASH,
    }


def test_the_report_folder_has_another_name_in_every_attempt(tmp_path: Path):
    names = {Project(tmp_path).report.name for _ in range(20)}

    assert len(names) == 20
    assert all(len(name) == len("report-") + 32 for name in names)


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ("", InfraReason.NO_REPORT),
        ("sys.exit(3)", InfraReason.RUNNER_CRASH),
        ("os.kill(os.getpid(), 9)", InfraReason.RUNNER_CRASH),
        (
            report_of() + '(report / "report_data.json").write_text("{")\n',
            InfraReason.NO_REPORT,
        ),
    ],
    ids=["no report", "status 3", "killed", "torn"],
)
def test_an_end_without_a_report_is_trouble(
    bench: Bench, body: str, reason: InfraReason
):
    outcome = bench.run(body)

    assert outcome.trouble is not None
    assert outcome.trouble.reason is reason
    assert outcome.outcomes == ()


def test_a_run_that_does_not_end_is_ended_and_keeps_its_log(bench: Bench):
    begun = bench.folder / "begun"
    body = f"print('so far', flush=True); Path({str(begun)!r}).touch(); "

    outcome = bench.run(body + "time.sleep(500)", deadline=Once(begun.exists))

    assert outcome.trouble is not None
    assert outcome.trouble.reason is InfraReason.DEADLINE
    assert b"so far" in outcome.files["checks/console.log"]


def test_a_run_ends_when_the_stage_is_told_to_stop(bench: Bench):
    bench.stop = threading.Event()
    threading.Timer(3, bench.stop.set).start()

    outcome = bench.run("time.sleep(500)")

    assert outcome.trouble is not None
    assert outcome.trouble.reason is InfraReason.DRAIN


KILL_DEVICE = """
import subprocess
root = Path.cwd().parents[1] / "device" / "device"
listed = subprocess.run(["ps", "-eo", "pid=,args="], capture_output=True, text=True)
for line in listed.stdout.splitlines():
    pid, _, words = line.strip().partition(" ")
    if "evaluator.simulator.device" in words and str(root) in words:
        os.kill(int(pid), 9)
"""


def test_a_device_lost_in_the_middle_never_counts_as_a_fail(bench: Bench):
    outcome = bench.run(KILL_DEVICE + report_of(first=False, second=False))

    assert outcome.trouble is not None
    assert outcome.trouble.reason is InfraReason.DEVICE_LOST
    assert outcome.outcomes == ()


def test_a_device_that_is_not_there_is_trouble_at_once(tmp_path: Path):
    runner = HypiumRunner(write_tool(tmp_path / "python", ""), HDC, ENVIRONMENT)

    outcome = runner.run(
        write_package(tmp_path / "app.hap"),
        SUITE,
        Device("SIM0", 9, "profile"),
        scratch=tmp_path / "scratch",
        deadline=time.monotonic() + 600,
    )

    assert outcome.trouble is not None
    assert outcome.trouble.reason is InfraReason.DEVICE_LOST


def test_a_package_with_an_incomplete_profile_is_the_models_fault(bench: Bench):
    write_package(bench.package, profile={"app": {}, "module": {}})

    outcome = bench.run(report_of())

    assert outcome.trouble is None
    assert not outcome.install_ok
    assert [o.passed for o in outcome.outcomes] == [False, False]


def test_a_package_under_another_name_does_not_count_as_installed(bench: Bench):
    profile = {**PROFILE, "app": {"bundleName": "com.example.other"}}
    write_package(bench.package, profile=profile)

    outcome = bench.run(report_of())

    assert outcome.trouble is None
    assert not outcome.install_ok
    assert "does not install as com.example.chat" in outcome.outcomes[0].message


def test_a_file_that_is_no_package_is_our_trouble(bench: Bench):
    bench.package.write_bytes(b"no zip at all")

    outcome = bench.run(report_of())

    assert outcome.trouble is not None
    assert outcome.trouble.reason is InfraReason.INSTALL


def test_checks_that_lack_a_script_are_broken(bench: Bench):
    suite = CheckSuite(CHECKS, BUNDLE, (ExpectedCheck("FP-1", "nowhere", "test"),))

    outcome = bench.run(report_of(), suite=suite)

    assert outcome.trouble is not None
    assert outcome.trouble.reason is InfraReason.CHECK_BROKEN
    assert "nowhere.py" in outcome.trouble.detail


def test_a_path_that_xdevice_would_split_is_refused_before_anything_runs(
    tmp_path: Path,
):
    runner = HypiumRunner(write_tool(tmp_path / "python", ""), HDC, ENVIRONMENT)

    outcome = runner.run(
        tmp_path / "app.hap",
        SUITE,
        Device("SIM0", 9, ""),
        scratch=tmp_path / "a b",
        deadline=time.monotonic() + 600,
    )

    assert outcome.trouble is not None
    assert outcome.trouble.reason is InfraReason.WORKSPACE
    assert "OHB_DATA_DIR" in outcome.trouble.detail


def test_a_missing_interpreter_is_named_with_its_setting(tmp_path: Path):
    runner = HypiumRunner(tmp_path / "nothing", HDC, ENVIRONMENT)

    outcome = runner.run(
        tmp_path, SUITE, Device("SIM0", 9, ""), scratch=tmp_path, deadline=0
    )

    assert outcome.trouble is not None
    assert outcome.trouble.reason is InfraReason.TOOL_MISSING
    assert "OHB_HYPIUM_PYTHON" in outcome.trouble.detail


START = """
import subprocess
def hdc(*words):
    subprocess.run(["hdc", *words], check=True)
hdc("shell", "aa start -b com.example.chat -a EntryAbility")
"""


def test_a_crash_of_the_app_is_told_with_the_failed_f_points(bench: Bench):
    write_package(bench.package, "crash_on_start")

    outcome = bench.run(START + report_of(second=False))

    assert outcome.trouble is None
    assert outcome.outcomes[0].message == ""
    assert "the app crashed" in outcome.outcomes[1].message


def test_a_result_that_rests_on_something_not_simulated_is_taken_back(bench: Bench):
    write_package(bench.package, "not_simulated")

    outcome = bench.run(START + report_of())

    assert outcome.outcomes == ()
    assert outcome.trouble is not None
    assert outcome.trouble.reason is InfraReason.NOT_SIMULATED
    assert "Kit.Teleport" in outcome.trouble.detail


def test_a_process_for_apps_that_cannot_run_is_our_trouble(bench: Bench):
    write_package(bench.package, "host_broken")

    outcome = bench.run(START + report_of(first=False))

    assert outcome.trouble is not None
    assert outcome.trouble.reason is InfraReason.SANDBOX


@pytest.mark.hypium
@pytest.mark.parametrize(
    ("mode", "passed"), [("chat", [True, True]), ("broken", [False, False])]
)
def test_the_real_hypium_decides_f_points_on_the_simulated_device(
    tmp_path: Path, settings, mode: str, passed: list[bool]
):
    pool = device_pool()
    hypium = HypiumRunner(settings.OHB_HYPIUM_PYTHON, HDC, ENVIRONMENT)
    runner = SimulatedChecks(hypium, pool)
    package = write_package(tmp_path / "app.hap", mode)
    (tmp_path / "device").mkdir()
    (tmp_path / "scratch").mkdir()

    with pool.lease(scratch=tmp_path / "device") as device:
        outcome = runner.run(
            package,
            SUITE,
            device,
            scratch=tmp_path / "scratch",
            deadline=time.monotonic() + 600,
        )

    assert outcome.trouble is None
    assert [check.passed for check in outcome.outcomes] == passed
    assert "checks/report_data.json" in outcome.files
    assert "checks/chat_send/module_run.log" in outcome.files
    assert any("screenshot" in name for name in outcome.files)
    script = (SUITE.folder / f"{SUITE.cases[0]}.py").read_text("utf-8")
    calls = [line.strip() for line in script.splitlines() if "self.driver." in line]
    assert calls
    for content in outcome.files.values():
        assert not [line for line in calls if line.encode() in content]
