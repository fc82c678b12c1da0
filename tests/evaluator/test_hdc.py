"""The hdc adapter, against a stand-in that says what real clients say."""

from __future__ import annotations

import json
import threading
import time
from pathlib import Path

import pytest

from evaluator.toolchains.base import Device
from evaluator.toolchains.hdc import Hdc, HdcError
from evaluator.verdicts import InfraReason, Refused, Trouble
from tests.evaluator.stubs import write_tool

SERIAL = "SIM0000000000001"
BOOT_ID = "0f6ad7a5-6a3b-4f5e-9c39-1a1b2c3d4e5f"
TARGETS = f"OTHER\t\tUSB\tOffline\n{SERIAL}\t\tUSB\tConnected\tlocalhost\n"
HEALTHY = {
    "list targets -v": TARGETS,
    "shell param get bootevent.boot.completed": "true\n",
    "shell cat /proc/sys/kernel/random/boot_id": BOOT_ID + "\n",
}
# Answers by the words after `-t SERIAL`; every call is written down.
SCRIPT = """
words = sys.argv[1:]
here = Path(__file__).parent
with (here / "calls").open("a") as calls:
    calls.write(" ".join(words) + "\\n")
import json
answers = json.loads((here / "answers.json").read_text())
answer = answers.get(" ".join(words[2:]), "")
if answer == "HANG":
    time.sleep(500)
print(answer, end="")
"""


@pytest.fixture
def answers(tmp_path: Path):
    """Sets what the stand-in answers; a healthy device to begin with."""

    def set_answers(given: dict[str, str]) -> None:
        (tmp_path / "answers.json").write_text(json.dumps({**HEALTHY, **given}))

    set_answers({})
    return set_answers


@pytest.fixture
def hdc(tmp_path: Path, answers) -> Hdc:
    return Hdc(
        write_tool(tmp_path / "hdc", SCRIPT),
        Device(SERIAL, 28710, "profile"),
        folder=tmp_path,
        environment={"PATH": "/usr/bin:/bin"},
        deadline=time.monotonic() + 600,
    )


def test_every_call_names_the_device(hdc: Hdc, tmp_path: Path):
    hdc.health()
    hdc.has_bundle("com.example.a")

    calls = (tmp_path / "calls").read_text().splitlines()
    assert len(calls) == 4
    assert all(call.startswith(f"-t {SERIAL} ") for call in calls)


def test_a_connected_and_booted_device_is_alive(hdc: Hdc):
    health = hdc.health()

    assert health.alive
    assert health.boot_id == BOOT_ID


@pytest.mark.parametrize(
    "given",
    [
        {"list targets -v": "[Empty]\n"},
        {"list targets -v": f"{SERIAL}\t\tUSB\tOffline\tlocalhost\n"},
        {"list targets -v": "OTHER\t\tUSB\tConnected\tlocalhost\n"},
        {"list targets -v": "Connect server failed\n"},
        {"shell param get bootevent.boot.completed": "false\n"},
        {
            "shell param get bootevent.boot.completed": (
                "[Fail][E001005] Device not found or connected\n"
            )
        },
    ],
)
def test_any_other_device_is_not_alive(hdc: Hdc, answers, given: dict[str, str]):
    answers(given)

    health = hdc.health()

    assert not health.alive
    assert health.detail


def test_a_restart_between_two_looks_is_noticed(hdc: Hdc, answers):
    before = hdc.health()
    assert hdc.health().same_device_as(before)

    answers({"shell cat /proc/sys/kernel/random/boot_id": BOOT_ID.replace("0", "1")})

    assert not hdc.health().same_device_as(before)


def test_a_device_that_hides_its_boot_id_counts_as_the_same(hdc: Hdc, answers):
    before = hdc.health()
    answers({"shell cat /proc/sys/kernel/random/boot_id": "cat: Permission denied\n"})

    assert hdc.health().same_device_as(before)


def test_install_is_judged_by_its_words(hdc: Hdc, answers):
    good = (
        "[Info]App install path:a.hap msg:install bundle successfully.\nAppMod finish\n"
    )
    bad = "[Info]App install path:a.hap msg:error: failed to install bundle. code:{}"

    answers({"install -r a.hap": good})
    assert hdc.install(Path("a.hap")) is None
    answers({"install -r a.hap": bad.format(9568305)})
    assert isinstance(hdc.install(Path("a.hap")), Refused)
    answers({"install -r a.hap": bad.format(9568320)})
    fault = hdc.install(Path("a.hap"))
    assert isinstance(fault, Trouble)
    assert fault.reason is InfraReason.INSTALL


def test_parameters_and_the_screen_are_read_where_the_device_tells_them(
    hdc: Hdc, answers
):
    dump = "screen[0]: id=0, powerStatus=POWER_STATUS_ON, render resolution=1308x2880,"
    answers(
        {
            "shell param get const.ohos.apiversion": "23\n",
            "shell param get const.none": 'Get parameter "const.none" fail!\n',
            "shell hidumper -s RenderService -a screen": dump,
        }
    )

    assert hdc.parameter("const.ohos.apiversion") == "23"
    assert hdc.parameter("const.none") is None
    assert hdc.screen() == (1308, 2880)
    answers({})
    assert hdc.screen() is None


def test_a_bundle_is_there_only_if_the_dump_is_its_own(hdc: Hdc, answers):
    missing = "error: failed to get information and the parameters may be wrong.\n"
    answers({"shell bm dump -n com.example.a": missing})
    assert not hdc.has_bundle("com.example.a")

    answers({"shell bm dump -n com.example.a": 'com.example.a:\n{"name": "..."}\n'})
    assert hdc.has_bundle("com.example.a")


def test_removing_a_bundle_that_is_not_there_is_no_fault(hdc: Hdc, answers):
    answers(
        {"shell bm uninstall -n com.example.a": "error: failed to uninstall bundle."}
    )

    hdc.remove("com.example.a")


def test_a_bundle_that_cannot_be_removed_is_a_fault(hdc: Hdc, answers):
    answers(
        {
            "shell bm uninstall -n com.example.a": "error: failed to uninstall bundle.",
            "shell bm dump -n com.example.a": "com.example.a:\n{}",
        }
    )

    with pytest.raises(HdcError, match="stays installed"):
        hdc.remove("com.example.a")


def test_bundles_are_read_from_the_dump(hdc: Hdc, answers):
    answers({"shell bm dump -a": "ID: 100:\n\tcom.example.a\n\tcom.example.b\n"})

    assert hdc.bundles() == {"com.example.a", "com.example.b"}


def test_crash_logs_are_those_of_the_bundle(hdc: Hdc, answers):
    names = "jscrash-com.example.a-1-2.log\ncppcrash-com.example.a-1-2\nother\n"
    answers({"shell ls /data/log/faultlog/faultlogger": names})

    assert len(hdc.crash_logs("com.example.a")) == 2
    assert hdc.crash_logs("com.example") == frozenset()


def test_a_call_that_hangs_is_ended(hdc: Hdc, answers):
    answers({"shell bm dump -a": "HANG"})
    began = time.monotonic()

    with pytest.raises(HdcError, match="ended after"):
        hdc.ask("shell", "bm dump -a", seconds=0.5)

    assert time.monotonic() - began < 400


def test_a_call_ends_when_the_stage_is_told_to_stop(tmp_path: Path, answers):
    answers({"shell bm dump -a": "HANG"})
    stop = threading.Event()
    hdc = Hdc(
        write_tool(tmp_path / "hdc", SCRIPT),
        Device(SERIAL, 28710, "profile"),
        folder=tmp_path,
        environment={"PATH": "/usr/bin:/bin"},
        deadline=time.monotonic() + 600,
        stop=stop,
    )
    threading.Timer(0.3, stop.set).start()

    with pytest.raises(HdcError):
        hdc.bundles()
