"""The shell commands that a tester and its tools run on the device."""

from __future__ import annotations

import datetime
import json
import shlex
import time
from collections.abc import Callable, Mapping, Sequence

from evaluator.simulator.device.bundles import ability_manager, bundle_manager
from evaluator.simulator.device.layout import dump
from evaluator.simulator.device.omissions import NotSimulatedError
from evaluator.simulator.device.phone import Phone
from evaluator.simulator.device.screenshot import draw
from evaluator.simulator.device.tree import SCREEN_HEIGHT, SCREEN_WIDTH
from evaluator.simulator.device.uinput import touch_commands, uitest_input

UITEST_VERSION = "6.0.2.1"

_AGENT = "/data/local/tmp/agent.so"
_AGENT_MARK = "UITEST_AGENT_LIBRARY@v1.1.9\n"
_BOOT_ID = "/proc/sys/kernel/random/boot_id"
_DAEMON = "root  412  1 0 00:00:00 ? 00:00:00 uitest start-daemon singleness\n"
_LISTENING = "tcp 0 0 0.0.0.0:8012 0.0.0.0:* LISTEN\n"
_ELF = "ELF shared object, 64-bit LSB x86-64, x86_64\n"
_HILOG_TASKS = (
    "1 init 1 /data/log/hilog/hilog 10.0M 1000 zlib\n"
    "2 kmsg 1 /data/log/hilog/hilog_kmsg 10.0M 1000 zlib\n"
)

Words = Sequence[str]


class Shell:
    """Runs one command line at a time; filters by `grep` and `head` are understood."""

    def __init__(self, phone: Phone) -> None:
        self._phone = phone
        self._commands: Mapping[str, Callable[[Words], str]] = {
            "aa": lambda words: ability_manager(phone, words),
            "bm": lambda words: bundle_manager(phone, words),
            "cat": self._cat,
            "date": lambda words: _date() if len(words) == 1 else "",
            "echo": lambda words: " ".join(words[1:]) + "\n",
            "file": lambda words: f"{words[-1]}: {_ELF}",
            "find": self._find,
            "hidumper": self._hidumper,
            "hilog": lambda words: _HILOG_TASKS if "query" in words else "",
            "kill": lambda words: "",
            "ls": self._ls,
            "mkdir": self._mkdir,
            "netstat": lambda words: _LISTENING,
            "param": self._param,
            "power-shell": self._power,
            "ps": lambda words: _DAEMON,
            "rm": self._rm,
            "snapshot_display": self._snapshot,
            "uinput": lambda words: touch_commands(phone, words),
            "uitest": self._uitest,
            "whoami": lambda words: "root\n",
        }

    def run(self, line: str) -> str:
        """The output of a command line; one that is not simulated says so."""
        try:
            return self._run(line)
        except NotSimulatedError as error:
            self._phone.omissions.add(error.name)
            return str(error) + "\n"

    def _run(self, line: str) -> str:
        first, *filters = _split(line)
        if not first:
            return ""
        name = first[0].rsplit("/", 1)[-1]
        command = self._commands.get(name)
        if command is None:
            raise NotSimulatedError(f"shell {name}")
        try:
            output = command(first)
        except (IndexError, ValueError):
            raise NotSimulatedError(f"shell {line}") from None
        for words in filters:
            output = _filter(output, words)
        return output

    # --- files --------------------------------------------------------

    def _cat(self, words: Words) -> str:
        name = words[-1]
        if name == _AGENT:
            return _AGENT_MARK
        if name == _BOOT_ID:
            return self._phone.boot_id + "\n"
        path = self._phone.storage.path(name)
        if not path.is_file():
            return f"cat: {name}: No such file or directory\n"
        return path.read_text("utf-8", "replace")

    def _find(self, words: Words) -> str:
        found = self._phone.storage.files_under(words[1])
        return "".join(f"{name}\n" for name in found)

    def _ls(self, words: Words) -> str:
        names = [word for word in words[1:] if not word.startswith("-")]
        name = names[0] if names else "/"
        path = self._phone.storage.path(name)
        if path.is_dir():
            return "".join(f"{item.name}\n" for item in sorted(path.iterdir()))
        if path.exists():
            return f"{name}\n"
        return f"ls: {name}: No such file or directory\n"

    def _mkdir(self, words: Words) -> str:
        self._phone.storage.path(words[-1]).mkdir(parents=True, exist_ok=True)
        return ""

    def _rm(self, words: Words) -> str:
        for name in words[1:]:
            if not name.startswith("-"):
                self._phone.storage.remove(name)
        return ""

    # --- system -------------------------------------------------------

    def _param(self, words: Words) -> str:
        if words[1] != "get":
            raise NotSimulatedError(f"shell param {words[1]}")
        value = self._phone.parameter(words[2])
        if value is None:
            return f'Get parameter "{words[2]}" fail! errNum is:106!\n'
        return value + "\n"

    def _power(self, words: Words) -> str:
        if words[1] not in {"wakeup", "timeout"}:
            raise NotSimulatedError(f"shell power-shell {words[1]}")
        return ""

    def _hidumper(self, words: Words) -> str:
        service = words[words.index("-s") + 1]
        front = self._phone.front
        if service == "WindowManagerService":
            return f"Focus window: {11 if front else 1}\n"
        if service == "AbilityManagerService":
            if front is None:
                return ""
            found = front.bundle
            name = f"#{found.bundle}:{found.module}:{front.ability}"
            return f"Mission ID #11  mission name #[{name}]\n"
        if service == "PowerManagerService":
            return "Current State: AWAKE\n"
        if service == "ScreenlockService":
            return " * screenLocked  false\n"
        if service == "RenderService":
            size = f"{SCREEN_WIDTH}x{SCREEN_HEIGHT}"
            return (
                "screen[0]: id=0, powerStatus=POWER_STATUS_ON, "
                f"render resolution={size}, physical resolution={size}\n"
            )
        raise NotSimulatedError(f"shell hidumper {service}")

    # --- screen -------------------------------------------------------

    def _snapshot(self, words: Words) -> str:
        remote = words[words.index("-f") + 1]
        self._phone.storage.write(remote, draw(self._phone.tree()))
        size = f"width {SCREEN_WIDTH}, height {SCREEN_HEIGHT}"
        return f"success: snapshot display 0 , write to {remote} as jpeg, {size}\n"

    def _uitest(self, words: Words) -> str:
        action = words[1]
        if action == "--version":
            return UITEST_VERSION + "\n"
        if action == "start-daemon":
            return ""
        if action == "dumpLayout":
            remote = f"/data/local/tmp/layout_{time.time_ns()}.json"
            if "-p" in words:
                remote = words[words.index("-p") + 1]
            front = self._phone.front
            bundle = front.bundle.bundle if front else ""
            layout = dump(self._phone.tree(), bundle=bundle)
            text = json.dumps(layout, ensure_ascii=False)
            self._phone.storage.write(remote, text.encode())
            return f"DumpLayout saved to:{remote}\n"
        if action == "uiInput":
            return uitest_input(self._phone, words[2:])
        raise NotSimulatedError(f"shell uitest {action}")


def _date() -> str:
    return datetime.datetime.now(datetime.UTC).strftime("%a %b %d %H:%M:%S UTC %Y\n")


def _split(line: str) -> list[list[str]]:
    """Split a command line at its pipes; other shell syntax is not simulated."""
    lexer = shlex.shlex(line, posix=True, punctuation_chars="|&;<>")
    lexer.whitespace_split = True
    parts: list[list[str]] = [[]]
    try:
        words = list(lexer)
    except ValueError:
        raise NotSimulatedError(f"shell {line}") from None
    for word in words:
        if word == "|":
            parts.append([])
        elif set(word) <= set("|&;<>"):
            raise NotSimulatedError(f"shell syntax {word}")
        else:
            parts[-1].append(word)
    return parts


def _filter(text: str, words: Words) -> str:
    lines = text.splitlines(keepends=True)
    if words and words[0] == "grep":
        flags = {letter for word in words[1:-1] for letter in word.lstrip("-")}
        if flags <= set("aiwEv") and len(words) > 1:
            wanted = words[-1].lower() if "i" in flags else words[-1]
            return "".join(
                line
                for line in lines
                if (wanted in (line.lower() if "i" in flags else line))
                is ("v" not in flags)
            )
    if words and words[0] == "head" and words[-1].lstrip("-n").isdigit():
        return "".join(lines[: int(words[-1].lstrip("-n"))])
    raise NotSimulatedError(f"shell filter {' '.join(words)}")
