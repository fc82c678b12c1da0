"""Small stand-ins for command-line tools, executable Python scripts, and for time."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from pathlib import Path


def write_tool(path: Path, body: str) -> Path:
    """Write an executable Python script; ``sys`` and ``Path`` are at hand in it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    head = (
        f"#!{sys.executable}\nimport os, shutil, sys, time\nfrom pathlib import Path\n"
    )
    path.write_text(head + body)
    path.chmod(0o755)
    return path


def interpreter_folders() -> tuple[Path, ...]:
    """What a sandbox has to show for these scripts to start, besides /usr."""
    folders = {Path(sys.executable).parent.parent, Path(sys.base_prefix)}
    return tuple(each for each in folders if not each.is_relative_to("/usr"))


class Once(float):
    """A deadline that has come when ``has_happened()``, on any machine; until then far.

    To be looked at as ``time.monotonic() >= deadline``.
    """

    def __new__(cls, has_happened: Callable[[], bool]) -> Once:
        deadline = super().__new__(cls, time.monotonic() + 600)
        deadline.has_happened = has_happened
        return deadline

    has_happened: Callable[[], bool]

    def __le__(self, other: object) -> bool:
        return self.has_happened()
