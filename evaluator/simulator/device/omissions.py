"""What was asked of the device and cannot be simulated: said aloud and written down."""

from __future__ import annotations

import threading
from pathlib import Path

FILE_NAME = "not_simulated.txt"
_MAX_NAMES = 200
_MAX_NAME_LENGTH = 200


class NotSimulatedError(Exception):
    """A check or an app wants something that this device does not do."""

    def __init__(self, name: str) -> None:
        self.name = name
        super().__init__(f"not simulated: {name}")


class Omissions:
    """Collects names in a file, one a line, each once, from any thread.

    A run whose file is not empty proves nothing about the app: the evaluator takes
    it as an infrastructure outcome.
    """

    def __init__(self, folder: Path) -> None:
        self._file = folder / FILE_NAME
        self._names: set[str] = set()
        self._lock = threading.Lock()

    def add(self, name: str) -> None:
        line = " ".join(name.split())[:_MAX_NAME_LENGTH] or "unnamed"
        with self._lock:
            if line in self._names or len(self._names) >= _MAX_NAMES:
                return
            self._names.add(line)
            with self._file.open("a", encoding="utf-8") as stream:
                stream.write(line + "\n")


def read_omissions(folder: Path) -> tuple[str, ...]:
    """The names a device wrote into ``folder``, in order."""
    try:
        text = (folder / FILE_NAME).read_text("utf-8", "replace")
    except FileNotFoundError:
        return ()
    return tuple(line for line in text.splitlines() if line)
