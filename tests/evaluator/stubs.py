"""Small stand-ins for command-line tools: executable Python scripts."""

from __future__ import annotations

import sys
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
