"""The device: what it answers to hdc, to the shell, and to Hypium's driver."""

from __future__ import annotations

import json
import os
import signal
import socket
import struct
import subprocess
import sys
import time
import zipfile
import zlib
from pathlib import Path
from typing import Any

import pytest

from evaluator.simulator.device import app as app_module
from evaluator.simulator.device.channel import (
    greet_as_client,
    receive_text,
    send_text,
)
from evaluator.simulator.device.lettering import lines, strokes
from evaluator.simulator.device.omissions import read_omissions
from evaluator.simulator.device.packages import BadPackageError, unpack
from evaluator.simulator.device.phone import Phone
from evaluator.simulator.device.screenshot import draw
from evaluator.simulator.device.tree import read_tree
from evaluator.toolchains.base import DeviceUnavailableError
from tests.evaluator.simulator.apps import (
    BUNDLE,
    ENVIRONMENT,
    HDC,
    device_pool,
    write_package,
)
from tests.evaluator.simulator.conftest import Driver
from tests.ports import free_port

EQUALS, CONTAINS, STARTS, ENDS, REGEXP, REGEXP_ICASE = range(6)


def omissions(phone: Phone) -> tuple[str, ...]:
    return read_omissions(phone.storage.path("/").parent)


# --- hdc and the shell --------------------------------------------------


def test_the_target_list_has_a_double_tab_after_the_key(hdc):
    assert hdc("list targets -v").startswith("SIM1\t\tUSB\tConnected\t")
    assert hdc("list targets") == "SIM1\n"


def test_a_package_is_installed_dumped_and_uninstalled(hdc, tmp_path: Path):
    package = write_package(tmp_path / "app.hap")
    assert f"install path:{package} msg:install bundle successfully.\nAppMod" in hdc(
        f"install -r {package}"
    )

    name, _, facts = hdc(f"shell bm dump -n {BUNDLE}").partition(":\n")
    assert name == BUNDLE
    module = json.loads(facts)["hapModuleInfos"][0]
    assert module["mainAbility"] == "EntryAbility"
    assert module["abilityInfos"][0]["skills"][0]["actions"] == ["action.system.home"]
    assert BUNDLE in hdc("shell bm dump -a | grep com.example")

    assert "successfully" in hdc(f"uninstall {BUNDLE}")
    assert hdc(f"shell bm dump -n {BUNDLE}").startswith("error:")
    assert "missing installed bundle" in hdc(f"shell bm uninstall -n {BUNDLE}")


def test_what_is_no_package_is_refused_in_the_words_of_the_client(hdc, tmp_path: Path):
    (tmp_path / "a.hap").write_bytes(b"nothing")
    nameless = write_package(tmp_path / "b.hap", profile={"app": {}})

    assert "[E006001]" in hdc(f"install {tmp_path / 'nowhere.hap'}")
    assert "failed to install bundle" in hdc(f"install {tmp_path / 'a.hap'}")
    assert "code:9568259" in hdc(f"install {nameless}")


@pytest.mark.parametrize(
    "name", ["../out", "/abs", "a/../../out", "a\\b", "C:x", "new\nline", "..", "A/b"]
)
def test_a_package_with_a_hostile_name_is_not_unpacked(tmp_path: Path, name: str):
    package = tmp_path / "app.hap"
    with zipfile.ZipFile(package, "w") as archive:
        archive.writestr("a/B", "first")
        archive.writestr(name, "second")

    with pytest.raises(BadPackageError):
        unpack(package, tmp_path / "here")

    assert not list(tmp_path.rglob("out*"))
    assert not Path("/abs").exists()


def test_a_package_with_a_link_or_too_much_in_it_is_not_unpacked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    link = zipfile.ZipInfo("link")
    link.external_attr = 0o120777 << 16
    with zipfile.ZipFile(tmp_path / "link.hap", "w") as archive:
        archive.writestr(link, "/etc/passwd")
    with zipfile.ZipFile(tmp_path / "big.hap", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("zeros", b"\0" * 100_000)

    with pytest.raises(BadPackageError, match="not allowed"):
        unpack(tmp_path / "link.hap", tmp_path / "a")
    monkeypatch.setattr("evaluator.simulator.device.packages.MAX_BYTES", 50_000)
    with pytest.raises(BadPackageError, match="bytes unpacked"):
        unpack(tmp_path / "big.hap", tmp_path / "b")


def test_files_go_in_and_out_and_never_past_the_device(hdc, phone, tmp_path: Path):
    (tmp_path / "a.txt").write_text("hello")

    assert "Size:5" in hdc(f"file send {tmp_path / 'a.txt'} /data/local/tmp/a.txt")
    assert hdc("shell cat /data/local/tmp/a.txt") == "hello"
    assert "Size:5" in hdc(f"file recv /data/local/tmp/a.txt {tmp_path / 'b.txt'}")
    assert (tmp_path / "b.txt").read_text() == "hello"

    assert "[Fail]Error opening file" in hdc(f"file recv /nowhere {tmp_path / 'c'}")
    assert "[Fail]" in hdc(f"file recv ../../../../etc/passwd {tmp_path / 'c'}")
    assert not (tmp_path / "c").exists()
    assert phone.storage.path("/../../x").is_relative_to(phone.storage.path("/"))
    hdc("shell rm -rf /../..")
    assert phone.storage.path("/data").exists()


def test_the_shell_knows_what_testers_ask(hdc):
    assert hdc("shell param get const.ohos.apiversion") == "23\n"
    assert hdc("shell param get bootevent.boot.completed") == "true\n"
    assert "fail" in hdc("shell param get nothing.known")
    assert hdc("shell ps -ef | grep singleness").count("\n") == 1
    assert hdc("shell ps -ef | grep another") == ""
    assert "UITEST_AGENT" in hdc("shell cat /data/local/tmp/agent.so | grep -a UITEST")
    assert "No such file" in hdc("shell ls /nowhere")


@pytest.mark.parametrize(
    "line", ["reboot", "ls / ; id", "echo a > b", "uinput -M -m 1 1", "aa test -b x"]
)
def test_a_command_that_is_not_simulated_says_so_and_is_written_down(
    hdc, phone: Phone, line: str
):
    assert "not simulated: shell" in hdc(f"shell {line}")
    assert len(omissions(phone)) == 1


def test_an_ability_that_does_not_exist_is_not_started(hdc, start):
    assert start() == "start ability successfully.\n"
    assert "does not exist" in hdc(f"shell aa start -b {BUNDLE} -a Another")
    assert "does not exist" in hdc("shell aa start -b com.example.none -a EntryAbility")


def test_the_app_in_front_is_the_focused_mission(hdc, start):
    start()

    window = hdc("shell hidumper -s WindowManagerService -a '-a' | head -n 20")
    missions = hdc("shell hidumper -s AbilityManagerService -a -l")

    assert "Focus window: 11" in window
    assert f"Mission ID #11  mission name #[#{BUNDLE}:entry:EntryAbility]" in missions


def test_the_data_of_an_app_outlives_its_process_until_it_is_cleaned(hdc, ui: Driver):
    def restart() -> list[str]:
        hdc(f"shell aa force-stop {BUNDLE}")
        hdc(f"shell aa start -b {BUNDLE} -a EntryAbility")
        return ui.texts(("id", "input"))

    ui.call("Component.inputText", ui.find(("id", "input")), "kept")
    assert restart() == ["kept"]

    assert "clean bundle data files successfully" in hdc(
        f"shell bm clean -n {BUNDLE} -d"
    )
    hdc(f"shell aa start -b {BUNDLE} -a EntryAbility")
    assert ui.texts(("id", "input")) == [""]


def test_a_layout_is_dumped_as_nested_objects(hdc, start, tmp_path: Path):
    start()

    answer = hdc("shell uitest dumpLayout")
    remote = answer.removeprefix("DumpLayout saved to:").strip()
    layout = json.loads(hdc(f"shell cat {remote}"))

    assert layout["attributes"]["bundleName"] == BUNDLE
    column = layout["children"][0]
    send = next(
        child for child in column["children"] if child["attributes"]["id"] == "send"
    )
    assert send["attributes"]["bounds"] == "[920,300][1268,420]"
    assert send["attributes"]["enabled"] == "false"
    assert send["children"][0]["attributes"]["text"] == "Send"


def test_a_screenshot_is_a_picture_of_the_boxes(hdc, start, phone: Phone):
    start()

    assert "success" in hdc("shell snapshot_display -f /data/local/tmp/s.jpeg -i 0")

    data = phone.storage.path("/data/local/tmp/s.jpeg").read_bytes()
    assert data.startswith(b"\x89PNG\r\n\x1a\n")
    assert struct.unpack("!II", data[16:24]) == (1308, 2880)
    place = data.index(b"IDAT")
    (length,) = struct.unpack("!I", data[place - 4 : place])
    pixels = zlib.decompress(data[place + 4 : place + 4 + length])
    assert len(pixels) == 2880 * 1309
    assert len(set(pixels)) > 3


def test_the_texts_of_components_stand_in_the_picture():
    def picture(text: str) -> bytes:
        box = {"uid": 1, "parent": None, "type": "Text", "bounds": [0, 0, 900, 90]}
        return draw(read_tree([{**box, "text": text}]))

    assert len({picture("Send"), picture("Sent"), picture("发送"), picture("")}) == 4
    assert lines("to be or not\n\nto be", 6) == ["to be", "or not", "", "to be"]
    printable = [chr(code) for code in range(0x21, 0x7F)]
    assert len({strokes(letter) for letter in [*printable, "发"]}) == len(printable) + 1
    assert strokes(" ") == ()
    assert strokes("é") == strokes("e")
    assert strokes("，") == strokes(",")


# --- finding components -------------------------------------------------


def test_components_are_found_by_each_attribute(ui: Driver):
    assert ui.find(("text", "Chat"))
    assert ui.find(("id", "input"))
    assert ui.find(("type", "Toggle"))
    assert ui.find(("hint", "Message"))
    assert ui.find(("scrollable", True), ("type", "List"))
    assert ui.find(("checkable", True), ("checked", False))
    assert ui.find(("enabled", False), ("id", "send"))
    assert not ui.find(("text", "Nowhere"))
    assert not ui.find(("text", "hidden"))


@pytest.mark.parametrize(
    ("pattern", "wanted", "found"),
    [
        (EQUALS, "line 1", ["line 1"]),
        (CONTAINS, "ine 1", ["line 1"]),
        (STARTS, "line", [f"line {number}" for number in range(5)]),
        (ENDS, "3", ["line 3"]),
        (REGEXP, r"^line [02]$", ["line 0", "line 2"]),
        (REGEXP_ICASE, "LINE 4", ["line 4"]),
        (REGEXP, "LINE 4", []),
    ],
)
def test_texts_are_matched_by_pattern(
    ui: Driver, pattern: int, wanted: str, found: list[str]
):
    assert ui.texts(("text", wanted, pattern)) == found


def test_components_are_found_by_their_place(ui: Driver):
    inside = ("within", ui.on(("id", "send")))
    after = ("isAfter", ui.on(("id", "toggle")))
    before = ("isBefore", ui.on(("id", "toggle")))

    assert ui.texts(("type", "Text"), inside) == ["Send"]
    assert ui.texts(("type", "Button"), after) == ["Crash", "About", "Toast"]
    assert ui.texts(("type", "Text"), before) == ["Chat", "Send"]
    assert ui.texts(("type", "List"), ("within", ui.on(("id", "none")))) == []
    assert ui.texts(("id", "title"), ("inWindow", BUNDLE)) == ["Chat"]
    assert ui.texts(("id", "title"), ("inWindow", "com.example.other")) == []


def test_only_what_is_in_view_is_found(ui: Driver):
    assert ui.find(("text", "line 4"))
    assert not ui.find(("text", "line 5"))


def test_waiting_for_a_component_takes_until_it_is_there_or_time_is_up(ui: Driver):
    began = time.monotonic()

    assert ui.driver("waitForComponent", ui.on(("text", "Never")), 300) is None

    assert 0.3 <= time.monotonic() - began < 60


@pytest.mark.parametrize("mode", ["idle", "crash_on_start"])
def test_nobody_waits_for_a_screen_that_cannot_change(phone: Phone, start, mode: str):
    start(mode)
    ui = Driver(phone)
    began = time.monotonic()

    assert ui.driver("waitForComponent", ui.on(("text", "Never")), 120_000) is None

    assert time.monotonic() - began < 100


def test_attributes_of_a_component_are_read(ui: Driver):
    field, toggle = ui.find(("id", "input")), ui.find(("id", "toggle"))

    assert ui.call("Component.getBounds", field) == {
        "left": 40,
        "top": 300,
        "right": 900,
        "bottom": 420,
    }
    assert ui.call("Component.getBoundsCenter", field) == {"x": 470, "y": 360}
    assert ui.call("Component.getHint", field) == "Message"
    assert ui.call("Component.isCheckable", toggle) is True
    assert ui.call("Component.isChecked", toggle) is False
    assert ui.call("Component.getAllProperties", field)["type"] == "TextInput"


def test_a_component_that_left_the_screen_is_gone(ui: Driver):
    title = ui.find(("id", "toggle"))
    ui.touch(("text", "About"))

    reply = ui.reply("Component.getText", title)

    assert reply["exception"]["code"] == "17000004"


# --- fingers and keys ---------------------------------------------------


def test_touching_reaches_the_component_under_the_finger(ui: Driver):
    ui.touch(("id", "toggle"))
    assert ui.find(("id", "toggle"), ("checked", True))

    ui.driver("click", 100, 550)
    assert ui.find(("id", "toggle"), ("checked", False))

    ui.touch(("text", "About"))
    assert ui.find(("text", "About"), ("type", "Text"))


def test_text_is_typed_appended_and_cleared(ui: Driver):
    field = ui.find(("id", "input"))

    ui.call("Component.inputText", field, "one")
    ui.call("Component.inputText", field, "two")
    assert ui.texts(("id", "input")) == ["two"]
    assert ui.find(("id", "input"), ("focused", True))

    ui.call("Component.inputText", field, " more", {"addition": True})
    assert ui.texts(("id", "input")) == ["two more"]

    ui.call("Component.clearText", field)
    assert ui.texts(("id", "input")) == [""]


def test_typing_into_what_takes_no_text_does_nothing(ui: Driver, phone: Phone):
    ui.call("Component.inputText", ui.find(("id", "title")), "lost")

    assert ui.texts(("id", "input")) == [""]
    assert omissions(phone) == ()


def test_keys_edit_send_and_go_back(ui: Driver, phone: Phone):
    ui.driver("inputText", {"x": 100, "y": 350}, "abc")
    ui.driver("triggerKey", 2055)
    assert ui.texts(("id", "input")) == ["ab"]

    ui.driver("triggerCombineKeys", 2072, 2017)
    ui.driver("inputText", {"x": 5000, "y": 5000}, "new")
    assert ui.texts(("id", "input")) == ["new"]

    ui.driver("triggerKey", 2054)
    assert ui.texts(("id", "input")) == [""]

    ui.touch(("text", "About"))
    ui.driver("triggerKey", 2)
    assert ui.find(("id", "title"))
    ui.driver("triggerKey", 1)
    assert phone.front is None


def test_a_long_press_and_a_double_touch_are_events_of_their_own(hdc, ui: Driver):
    ui.touch(("text", "Crash"), how="longClick")
    assert ui.texts(("id", "last")) == ["longClick 6"]

    ui.touch(("id", "toggle"), how="doubleClick")
    assert ui.texts(("id", "last")) == ["doubleClick 5"]

    hdc("shell uinput -T -d 100 750 -i 2000 -u 100 750")
    assert ui.texts(("id", "last")) == ["longClick 6"]


def test_a_list_is_scrolled_by_swipes_and_searched(hdc, ui: Driver):
    ui.driver("swipe", 600, 1900, 600, 1500, 2000)
    assert not ui.find(("text", "line 1"))
    assert ui.find(("text", "line 6"))

    hdc("shell uinput -T -m 600 1100 600 1900 300")
    assert ui.find(("text", "line 0"))

    seen = ui.find(("type", "List"))
    found = ui.call("Component.scrollSearch", seen, ui.on(("text", "line 11")))
    assert ui.call("Component.getText", found) == "line 11"
    found = ui.call("Component.scrollSearch", seen, ui.on(("text", "line 0")))
    assert ui.call("Component.getText", found) == "line 0"
    assert ui.call("Component.scrollSearch", seen, ui.on(("text", "none"))) is None

    ui.call("Component.scrollToBottom", seen, 600)
    assert ui.find(("text", "line 11"))
    ui.call("Component.scrollToTop", seen, 600)
    assert ui.find(("text", "line 0"))


def test_swipes_from_the_edges_go_back_and_home(hdc, ui: Driver, phone: Phone):
    ui.touch(("text", "About"))
    hdc("shell uinput -T -m 13 1440 523 1728 200")
    assert ui.find(("id", "title"))

    ui.driver("swipe", 654, 2870, 784, 2400, 8000)
    assert phone.front is None
    assert not ui.find(("id", "title"))


def test_back_on_the_first_page_and_home_leave_the_app_running(
    hdc, ui: Driver, phone: Phone
):
    ui.touch(("id", "toggle"))

    ui.driver("pressBack")
    assert phone.front is None
    hdc(f"shell aa start -b {BUNDLE} -a EntryAbility")
    assert ui.find(("id", "toggle"), ("checked", True))

    ui.driver("pressHome")
    hdc(f"shell aa start -b {BUNDLE} -a EntryAbility")
    assert ui.find(("id", "toggle"), ("checked", True))


def test_a_gesture_of_one_finger_is_a_touch_a_press_or_a_swipe(ui: Driver):
    def perform(*points: tuple[int, int]) -> None:
        matrix = ui.call("PointerMatrix.create", None, 1, len(points))
        for step, (x, y) in enumerate(points):
            ui.call("PointerMatrix.setPoint", matrix, 0, step, {"x": x, "y": y})
        ui.driver("injectMultiPointerAction", matrix, 2000)

    perform((100, 550))
    assert ui.texts(("id", "last")) == ["click 5"]
    perform((100 + 65536 * 900, 750), (100, 750))
    assert ui.texts(("id", "last")) == ["longClick 6"]
    perform((600, 1900), (600, 1700), (600, 1500))
    assert ui.find(("text", "line 6"))


def test_windows_are_found_by_their_app(ui: Driver):
    window = ui.driver("findWindow", {"bundleName": BUNDLE, "actived": True})

    assert ui.call("UiWindow.getBundleName", window) == BUNDLE
    assert ui.call("UiWindow.getBounds", window)["bottom"] == 2880
    assert ui.driver("findWindow", {"bundleName": "com.example.other"}) is None


def test_a_toast_is_reported_to_who_listens(ui: Driver):
    ui.driver("uiEventObserverOnce", "toastShow")
    assert ui.driver("getRecentUiEvent", 0) == ""

    ui.touch(("text", "Toast"))

    event = ui.driver("getRecentUiEvent", 3)
    assert event == {"bundleName": BUNDLE, "type": "Toast", "text": "Saved"}


@pytest.mark.parametrize(
    ("api", "this", "args"),
    [
        ("Driver.mouseScroll", "Driver#0", [{"x": 1, "y": 1}, True, 3, 2072]),
        ("Driver.mouseDrag", "Driver#0", [{"x": 1, "y": 1}, {"x": 9, "y": 9}, 600]),
        ("Driver.mouseClick", "Driver#0", [{"x": 1, "y": 1}, 0, 2072]),
        ("Driver.setDisplayRotation", "Driver#0", [1]),
        ("Driver.triggerKey", "Driver#0", [18]),
        ("On.inDisplay", "On#seed", [1]),
        ("PointerMatrix.create", None, [3, 2]),
        ("Camera.open", None, []),
    ],
)
def test_a_call_that_is_not_simulated_says_so_and_is_written_down(
    ui: Driver, phone: Phone, api: str, this: str | None, args: list[object]
):
    reply = ui.reply(api, this, *args)

    assert reply["exception"]["message"].startswith("not simulated: ")
    assert len(omissions(phone)) == 1


@pytest.mark.parametrize(
    "request_",
    [
        None,
        [],
        {},
        {"method": "callHypiumApi", "params": {"api": "Driver.click", "args": []}},
        {"method": "callHypiumApi", "params": {"api": "On.text", "args": ["a"]}},
        {"method": "callHypiumApi", "params": {"api": "Component.getText"}},
    ],
)
def test_a_call_that_makes_no_sense_is_answered(ui: Driver, request_: object):
    assert "exception" in ui._uitest.answer(request_)


def test_objects_are_dropped_when_hypium_lets_go_of_them(ui: Driver):
    found = ui.find(("id", "title"))

    ui.call("BackendObjectsCleaner", None, found)

    assert "exception" in ui.reply("Component.getText", found)


# --- apps that misbehave ------------------------------------------------


def crash_logs(hdc) -> list[str]:
    return hdc("shell ls /data/log/faultlog/faultlogger").split()


def test_an_app_that_crashes_is_gone_and_the_device_is_not(hdc, ui: Driver):
    ui.touch(("text", "Crash"))

    assert not ui.find(("id", "title"))
    (log,) = crash_logs(hdc)
    assert log.startswith(f"jscrash-{BUNDLE}-")
    assert "cannot read property" in hdc(
        f"shell cat /data/log/faultlog/faultlogger/{log}"
    )
    assert hdc("list targets -v").startswith("SIM1\t\tUSB\tConnected")
    hdc(f"shell aa start -b {BUNDLE} -a EntryAbility")
    assert ui.find(("id", "title"))


@pytest.mark.parametrize(
    "mode", ["garbage", "no_json", "silent_exit", "crash_on_start", "endless"]
)
def test_an_app_that_talks_nonsense_counts_as_crashed(
    hdc, start, phone: Phone, mode: str
):
    assert start(mode) == "start ability successfully.\n"

    assert phone.front is None
    assert len(crash_logs(hdc)) == 1
    assert omissions(phone) == ()


def test_an_app_that_freezes_is_ended(
    hdc, start, phone: Phone, monkeypatch: pytest.MonkeyPatch
):
    start("freeze")
    ui = Driver(phone)
    patiently = app_module.AppProcess._tree

    def impatiently_after_a_touch(self: Any, request: dict[str, Any]) -> Any:
        return patiently(self, request, 0.5 if request["op"] == "fire" else 60)

    monkeypatch.setattr(app_module.AppProcess, "_tree", impatiently_after_a_touch)

    ui.touch(("id", "toggle"))

    assert phone.front is None
    assert "did not respond" in hdc(
        f"shell cat /data/log/faultlog/faultlogger/{crash_logs(hdc)[0]}"
    )


def test_an_app_host_that_never_ran_is_our_trouble_and_no_crash(
    hdc, start, phone: Phone
):
    start("host_broken")

    assert crash_logs(hdc) == []
    assert omissions(phone)[0].startswith("sandbox: ")


def test_what_an_app_says_is_not_simulated_is_written_down_once(
    start, phone: Phone, hdc
):
    start("not_simulated")
    hdc("shell uitest dumpLayout")

    assert omissions(phone) == ("Kit.Teleport",)


# --- the device as a process --------------------------------------------


def ask(port: int, text: str, key: str = "") -> str:
    with socket.create_connection(("127.0.0.1", port), timeout=120) as connection:
        greet_as_client(connection, key)
        send_text(connection, text + "\0")
        return receive_text(connection)


def test_a_leased_device_serves_its_port_and_is_gone_afterwards(tmp_path: Path):
    with device_pool().lease(scratch=tmp_path) as device:
        listed = ask(device.server_port, "list targets -v")
        assert listed.startswith(f"{device.serial}\t\tUSB\tConnected")
        assert device.profile == "Simulated Pura 90 Pro Max"
        assert "Not match target" in ask(device.server_port, "shell date", "OTHER")
        assert ask(device.server_port, "shell whoami", device.serial) == "root\n"

    with pytest.raises(OSError):
        ask(device.server_port, "list targets")


def test_the_hdc_client_speaks_to_the_device_and_exits_with_zero(tmp_path: Path):
    package = write_package(tmp_path / "app.hap")

    def hdc(*words: str, port: int) -> str:
        finished = subprocess.run(
            [HDC, *words],
            cwd=tmp_path,
            env={**ENVIRONMENT, "OHOS_HDC_SERVER_PORT": str(port)},
            capture_output=True,
            text=True,
            check=True,
            timeout=240,
        )
        return finished.stdout

    with device_pool().lease(scratch=tmp_path) as device:
        port, target = device.server_port, ("-t", device.serial)
        assert device.serial in hdc("list", "targets", "-v", port=port)
        assert "successfully" in hdc(*target, "install", "-r", package.name, port=port)
        started = f"aa start -b {BUNDLE} -a EntryAbility"
        assert "successfully" in hdc(*target, "shell", started, port=port)
        hdc(*target, "shell", "snapshot_display -f /data/local/tmp/s.jpeg", port=port)
        hdc(*target, "file", "recv", '"/data/local/tmp/s.jpeg"', '"s.png"', port=port)
        assert (tmp_path / "s.png").read_bytes().startswith(b"\x89PNG")
        assert "not simulated" in hdc(*target, "shell", "reboot", port=port)
        assert "Not match target" in hdc("-t", "NONE", "shell", "date", port=port)
    assert hdc("list", "targets", port=port) == "Connect server failed\n"


def test_rpc_reaches_the_daemon_through_a_forwarded_port(tmp_path: Path):
    free = free_port()
    request = {"method": "callHypiumApi", "params": {"api": "Driver.create"}}

    with device_pool().lease(scratch=tmp_path) as device:
        port, serial = device.server_port, device.serial
        rule = f"tcp:{free} tcp:8012"
        assert ask(port, "fport ls", serial) == "[Empty]\n"
        assert ask(port, f"fport {rule}", serial) == "Forwardport result:OK\n"
        assert "[Fail]" in ask(port, f"fport {rule}", serial)
        assert "[Fail]" in ask(port, "fport tcp:1 tcp:22", serial)
        assert f"tcp:{free} tcp:8012" in ask(port, "fport ls", serial)
        with socket.create_connection(("127.0.0.1", free), timeout=120) as rpc:
            lines = rpc.makefile("rw")
            for line in (json.dumps(request), "no json"):
                lines.write(line + "\n")
                lines.flush()
            assert json.loads(lines.readline()) == {"result": "Driver#0"}
            assert "exception" in json.loads(lines.readline())
        assert "success" in ask(port, f"fport rm {rule}", serial)
        assert "not exist" in ask(port, f"fport rm {rule}", serial)


def test_a_client_that_speaks_nonsense_does_not_disturb_the_device(tmp_path: Path):
    with device_pool().lease(scratch=tmp_path) as device:
        for data in (b"GET / HTTP/1.1\r\n\r\n", struct.pack("!I", 2**31), b""):
            with socket.create_connection(("127.0.0.1", device.server_port)) as other:
                other.sendall(data)
        assert device.serial in ask(device.server_port, "list targets")


def test_a_device_ends_with_the_process_that_leased_it(tmp_path: Path):
    script = f"""
import os, sys
from pathlib import Path
from typing import Any
from tests.evaluator.simulator.apps import device_pool
with device_pool().lease(scratch=Path({str(tmp_path)!r})) as device:
    print(device.server_port, flush=True)
    sys.stdin.read()
"""
    holder = subprocess.Popen(
        [sys.executable, "-c", script],
        cwd=Path(__file__).parents[3],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    assert holder.stdout is not None
    port = int(holder.stdout.readline())
    assert "SIM" in ask(port, "list targets")

    os.kill(holder.pid, signal.SIGKILL)
    holder.communicate()

    deadline = time.monotonic() + 120
    while time.monotonic() < deadline:
        try:
            ask(port, "list targets")
        except OSError:
            return
        time.sleep(0.05)
    pytest.fail("the device outlived its holder")


def test_a_device_that_cannot_start_says_why(tmp_path: Path):
    pool = device_pool()
    pool.node = tmp_path / "no-node"

    with (
        pytest.raises(DeviceUnavailableError, match=r"No Node\.js"),
        pool.lease(scratch=tmp_path),
    ):
        pytest.fail("a device without Node.js was lent")
