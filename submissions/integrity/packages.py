"""Reads from a task package what the rules compare with."""

from __future__ import annotations

import os
from pathlib import Path

from leaderboard.trees import project_files

# Larger files are resources; nobody's instructions quote them.
_FILE_BYTES = 256 * 1024


def text_files(folder: Path) -> tuple[dict[str, str], frozenset[str]]:
    """The text files below ``folder`` by path, and the paths of all files."""
    texts, paths = {}, set()
    for file in project_files(folder):
        path = os.fsdecode(file.path)
        paths.add(path)
        place = file.below(folder)
        if place.stat().st_size <= _FILE_BYTES:
            content = place.read_bytes()
            if b"\0" not in content:
                texts[path] = content.decode("utf-8", "replace")
    return texts, frozenset(paths)


def check_texts(folder: Path) -> tuple[str, ...]:
    """The check scripts of a task, in order of their names."""
    scripts = sorted(folder.glob("*.py"))
    return tuple(script.read_text("utf-8", "replace") for script in scripts)
