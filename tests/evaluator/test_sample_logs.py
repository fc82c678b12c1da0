"""Every sample of what hvigor and hdc print, and what has to come of each.

`samples/hvigor` has logs line by line in the form of real ones, with names of our own;
`samples/hdc/messages.txt` the client's own words.
"""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from evaluator.sandbox import HostSandbox
from evaluator.toolchains.base import Device
from evaluator.toolchains.hdc import Hdc, HdcError
from evaluator.toolchains.hvigor import HvigorBuilder
from evaluator.toolchains.hvigor_log import compile_result, without_colors
from evaluator.verdicts import InfraReason, Refused, Trouble
from tests.evaluator.stubs import write_tool

SAMPLES = Path(__file__).parent / "samples"
ANY, RULE = "Use explicit types", "10605008"

# --- hvigor: status, whether it builds, the compiler's count, task and messages ------

HVIGOR = {
    "pass_unsigned.txt": (0, True, None, "", []),
    "fail_old_format.txt": (
        *(255, False, (False, 4, 2), "CompileArkTS"),
        [
            ("", "E:/x/entry/src/main/ets/view/Sky.ets", 1029, 15, ANY),
            ("", "E:/x/entry/src/main/ets/view/Sky.ets", 1025, 42, "Property 'rain'"),
        ],
    ),
    "fail_new_format.txt": (
        *(255, False, (False, 102, 476), "CompileArkTS"),
        [
            (RULE, "D:/x/entry/src/main/ets/util/CloudCache.ets", 31, 11, ANY),
            ("10505001", "D:/x/entry/src/main/ets/util/RainCache.ets", 64, 40, "Prop"),
        ],
    ),
}
TOOL = """
out = Path("entry/build/default/outputs/default")
out.mkdir(parents=True)
(out / "entry-default-unsigned.hap").write_bytes(b"hap")
sys.stdout.buffer.write(Path({log!r}).read_bytes())
sys.exit({status})
"""


@pytest.mark.parametrize("name", HVIGOR)
def test_every_log_of_hvigor_is_classed_as_it_should_be(name: str, tmp_path: Path):
    status, ok, compiled, task, messages = HVIGOR[name]
    log = SAMPLES / "hvigor" / name
    workspace, scratch = tmp_path / "workspace", tmp_path / "scratch"
    scratch.mkdir()
    (workspace / "entry").mkdir(parents=True)
    (workspace / "entry" / "build-profile.json5").write_text("{}")
    tool = write_tool(tmp_path / "hvigorw", TOOL.format(log=str(log), status=status))

    built = HvigorBuilder(tool, HostSandbox(), {"PATH": "/usr/bin:/bin"}).build(
        workspace, scratch=scratch, deadline=time.monotonic() + 600
    )

    assert (built.trouble, built.ok, built.failed_task) == (None, ok, task)
    assert (built.package is not None) is ok
    assert compile_result(without_colors(log.read_bytes())) == compiled
    told = [
        (each.code, each.file, each.line, each.column, each.message[: len(wanted[4])])
        for each, wanted in zip(built.diagnostics, messages, strict=True)
    ]
    assert told == messages
    assert {each.severity for each in built.diagnostics} <= {"error"}


def test_no_log_of_hvigor_is_left_out():
    assert {path.name for path in (SAMPLES / "hvigor").glob("*")} == set(HVIGOR)


# --- hdc ------------------------------------------------------------------------------

SERIAL = "127.0.0.1:5555"
WELL, FAULT = "well", "fault"
CLIENT = """
print(Path(__file__).with_name("answer").read_text(), end="")
"""
MESSAGES = (SAMPLES / "hdc" / "messages.txt").read_text("utf-8")


def messages() -> list[tuple[str, str]]:
    """Each message with the command that it answers."""
    found, command = [], ""
    for line in MESSAGES.splitlines():
        if line.startswith("## "):
            command = line.removeprefix("## ")
        elif command and line:
            found.append((command, line))
    return found


def judged(hdc: Hdc, command: str) -> object:
    """What the adapter makes of the answer."""
    try:
        match command:
            case "list targets -v":
                return WELL if hdc.health().alive else FAULT
            case "tconn":
                return hdc.connect(SERIAL) or WELL
            case "install":
                return hdc.install(Path("a.hap")) or WELL
            case "shell bm uninstall -n":
                return hdc.remove("com.example.sky") or WELL
            case "shell aa start":
                fault = hdc.start_ability("com.example.sky", "EntryAbility")
                return FAULT if fault else WELL
    except HdcError:
        return FAULT
    raise AssertionError(f"No rule for {command!r}.")


GOOD = {
    ("tconn", "Connect OK"),
    ("tconn", "[Info]Target is connected, repeat operation"),
    ("install", "[Info]App install path:<path> msg:install bundle successfully."),
    ("shell bm uninstall -n", "uninstall bundle successfully."),
    # The dump afterwards shows no such bundle, so that it is gone.
    ("shell bm uninstall -n", "error: failed to uninstall bundle."),
    ("shell aa start", "start ability successfully."),
}
# Everything else that `install` says leaves a doubt for a control run.
THE_PACKAGES_FAULT = "code:9568305"


@pytest.mark.parametrize(("command", "message"), messages())
def test_every_message_of_hdc_is_classed_as_it_should_be(
    command: str, message: str, tmp_path: Path
):
    (tmp_path / "answer").write_text(message + "\n")
    hdc = Hdc(
        write_tool(tmp_path / "hdc", CLIENT),
        Device(SERIAL, 8710, "profile"),
        folder=tmp_path,
        environment={"PATH": "/usr/bin:/bin"},
        deadline=time.monotonic() + 600,
    )

    found = judged(hdc, command)

    if (command, message) in GOOD:
        assert found == WELL
    elif command != "install":
        assert found == FAULT
    elif THE_PACKAGES_FAULT in message:
        assert isinstance(found, Refused)
    else:
        assert isinstance(found, Trouble)
        assert found.reason is InfraReason.INSTALL


def test_every_good_message_is_among_the_samples():
    assert set(messages()) >= GOOD
