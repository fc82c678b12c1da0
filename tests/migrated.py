"""A SQLite database with every table, migrated once in each test process.

For tests that start a project of their own: migrating takes longer than most of them.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
# Removed as the process ends.
_folder = tempfile.TemporaryDirectory(prefix="ohb-migrated-")


def migrated_database(path: Path) -> str:
    """Put such a database at ``path``; its URL."""
    shutil.copy(_migrated(), path)
    return f"sqlite:///{path}"


@cache
def _migrated() -> Path:
    found = Path(_folder.name, "migrated.sqlite3")
    subprocess.run(
        [sys.executable, "manage.py", "migrate", "--verbosity", "0"],
        cwd=ROOT,
        env={
            **os.environ,
            "DJANGO_SETTINGS_MODULE": "leaderboard.config.settings",
            "OHB_DEBUG": "1",
            "OHB_DATA_DIR": _folder.name,
            "DATABASE_URL": f"sqlite:///{found}",
        },
        check=True,
    )
    return found
