"""The commands of the hdc client, as its server answers them."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from evaluator.simulator.device.forwarding import Forwarding
from evaluator.simulator.device.packages import BadPackageError
from evaluator.simulator.device.phone import Phone
from evaluator.simulator.device.shell import Shell
from evaluator.simulator.device.uitest import UiTest

_NO_FILE = "[Fail]Error opening file: no such file or directory, path:{}\n"
_UNKNOWN = "[Fail]Unknown command, please check: {}\n"


class Commands:
    """Answers one command text at a time; None means that no answer is due."""

    def __init__(self, phone: Phone) -> None:
        self._phone = phone
        self._shell = Shell(phone)
        self._forwarding = Forwarding(phone.serial, UiTest(phone))
        self._answers: Mapping[str, Callable[[Sequence[str]], str]] = {
            "file": self._file,
            "fport": self._forwarding.answer,
            "install": self._install,
            "target": lambda words: "Mount finish\n",
            "tconn": lambda words: "[Info]Target is connected, repeat operation\n",
            "uninstall": self._uninstall,
        }

    def list_targets(self, *, details: bool) -> str:
        """The target list; real clients split its columns at a double tab."""
        serial = self._phone.serial
        if not details:
            return f"{serial}\n"
        return f"{serial}\t\tUSB\tConnected\tlocalhost\thdc\n"

    def answer(self, text: str) -> str | None:
        if text.startswith("list targets"):
            return self.list_targets(details=text.endswith("-v"))
        if text == "alive":
            return None
        if text.startswith("shell "):
            return self._shell.run(text.removeprefix("shell ").strip())
        try:
            words = shlex.split(text)
        except ValueError:
            return _UNKNOWN.format(text)
        answer = self._answers.get(words[0]) if words else None
        return _UNKNOWN.format(text) if answer is None else answer(words[1:])

    def close(self) -> None:
        self._forwarding.close()
        self._phone.stop_all()

    def _file(self, words: Sequence[str]) -> str:
        names = [word for word in words[1:] if not word.startswith("-")]
        if words[:1] not in (["send"], ["recv"]) or len(names) != 2:
            return _UNKNOWN.format("file " + " ".join(words))
        storage = self._phone.storage
        try:
            if words[0] == "send":
                size = storage.receive(Path(names[0]), names[1])
            else:
                size = storage.send(names[0], Path(names[1]))
        except OSError:
            return _NO_FILE.format(names[0])
        done = f"FileTransfer finish, Size:{size}, File count = 1, "
        return f"{done}time:1ms rate:{size / 1000:.2f}kB/s\n"

    def _install(self, words: Sequence[str]) -> str:
        names = [word for word in words if not word.startswith("-")]
        packages = [Path(name) for name in names if name.endswith((".hap", ".hsp"))]
        if not packages or not all(package.is_file() for package in packages):
            return "[Fail][E006001] Not any installation package was found\n"
        message = "install bundle successfully."
        for package in packages:
            try:
                self._phone.stop(self._phone.packages.install(package).bundle)
            except BadPackageError as error:
                code = f" code:{error.code}" if error.code else ""
                message = f"error: failed to install bundle.{code} error: {error}."
                break
        return f"[Info]App install path:{names[0]} msg:{message}\nAppMod finish\n"

    def _uninstall(self, words: Sequence[str]) -> str:
        bundle = words[-1] if words else ""
        answer = self._shell.run(f"bm uninstall -n {shlex.quote(bundle)}")
        return f"[Info]App uninstall path:{bundle} msg:{answer}AppMod finish\n"
