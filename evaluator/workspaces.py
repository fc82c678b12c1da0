"""Fresh copies of base projects, and how they are removed afterwards."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from leaderboard.trees import (
    EXECUTABLE,
    LINK,
    REGULAR,
    ProjectFile,
    copy_project,
    project_files,
    set_mode,
    tree_digest,
)
from leaderboard.trees import TreeError as WorkspaceError

__all__ = [
    "EXECUTABLE",
    "LINK",
    "REGULAR",
    "ProjectFile",
    "WorkspaceError",
    "copy_project",
    "project_files",
    "remove_tree",
    "set_mode",
    "tree_digest",
]


def remove_tree(folder: Path) -> None:
    """Remove ``folder`` with everything below, whatever was done to its permissions.

    Links are removed and never followed. A folder that does not exist is fine.
    """
    for _ in range(2):
        try:
            shutil.rmtree(folder)
        except FileNotFoundError:
            return
        except PermissionError:
            _open_folders(folder)
        else:
            return
    shutil.rmtree(folder)


def _open_folders(top: Path) -> None:
    top.chmod(0o700)
    for folder, folders, _ in os.walk(top):
        for path in (Path(folder, name) for name in folders):
            if not path.is_symlink():
                path.chmod(0o700)
