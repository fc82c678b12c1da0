"""The real Harbor's reader of tasks into .venv-harbor, where there is Python 3.12.

Run by ``make test``: exported tasks are loaded with it. The project itself needs
neither Harbor nor that Python, so a machine without them goes on without.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from scripts.environment import HARBOR_VENV, make_venv, pip_install
from scripts.steps import LOG, ROOT, Plan, StepFailedError, digest_of, say

REQUIREMENTS = ROOT / "requirements-harbor.txt"
_NAMES = ("python3.13", "python3.12", "python3.14", "python3")
# Where pyenv and uv keep what they install, for whoever did not put it on PATH.
_KEPT = (".pyenv/versions", ".local/share/uv/python")
_USABLE = "import ensurepip, sys, venv; sys.exit(sys.version_info < (3, 12))"


def find_python(home: Path) -> Path | None:
    """A Python that is new enough for Harbor and can make environments."""
    return next(filter(_is_usable, _candidates(home)), None)


def _candidates(home: Path) -> Iterator[Path]:
    yield Path(sys.executable)
    yield from (Path(found) for found in map(shutil.which, _NAMES) if found)
    for kept in _KEPT:
        yield from sorted(home.joinpath(kept).glob("*/bin/python3"), reverse=True)


def _is_usable(python: Path) -> bool:
    try:
        tried = subprocess.run(
            [python, "-c", _USABLE], capture_output=True, check=False
        )
    except OSError:
        return False
    return tried.returncode == 0


def install(python: Path) -> None:
    make_venv(HARBOR_VENV, maker=python)
    pip_install(HARBOR_VENV, "--no-deps", "-r", REQUIREMENTS)


def main() -> int:
    python = find_python(Path.home())
    if python is None:
        return 0
    LOG.parent.mkdir(parents=True, exist_ok=True)
    plan = Plan()
    plan.add(
        "Harbor's reader of tasks into .venv-harbor",
        stamp=HARBOR_VENV / ".done",
        key=lambda: digest_of(str(ROOT), str(python), REQUIREMENTS),
        do=lambda: install(python),
    )
    try:
        plan.carry_out()
    except StepFailedError as error:
        say(f"{error}\nThe tests go on without Harbor.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
