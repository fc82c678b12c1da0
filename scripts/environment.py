"""Virtual environments and the .env file."""

from __future__ import annotations

import os
import re
import secrets
import subprocess
import sys
from pathlib import Path

from scripts.steps import ROOT, run

VENV = ROOT / ".venv"
HYPIUM_VENV = ROOT / ".venv-hypium"
HARBOR_VENV = ROOT / ".venv-harbor"
ENV_FILE = ROOT / ".env"


def setting(name: str, default: str) -> str:
    """A variable from the environment or the .env file, as the application sees it."""
    value = os.environ.get(name, "")
    if not value and ENV_FILE.exists():
        for line in ENV_FILE.read_text("utf-8").splitlines():
            found = re.match(rf"\s*{name}\s*=\s*(.*)", line)
            value = found[1].strip().strip("\"'") if found else value
    return value or default


def make_venv(folder: Path, *, maker: Path | None = None) -> None:
    """Create a virtual environment, or start over where one cannot be used.

    ``maker`` is the Python to make it with, by default the one that runs this.
    """
    python = folder / "bin" / "python"
    usable = "import pip, sys; sys.exit(sys.version_info < (3, 11))"
    moved = (folder / "pyvenv.cfg").exists() and not _made_here(folder)
    if not moved and python.exists():
        tried = subprocess.run([python, "-c", usable], capture_output=True, check=False)
        if tried.returncode == 0:
            return
    run([maker or sys.executable, "-m", "venv", "--clear", folder])


def _made_here(folder: Path) -> bool:
    """Whether the commands of an environment name its place: not so after a move."""
    pip = folder / "bin" / "pip"
    return pip.exists() and str(folder).encode() in pip.read_bytes()[:1024]


def pip_install(folder: Path, *words: str | Path) -> None:
    pip: list[str | Path] = [
        folder / "bin" / "python",
        "-m",
        "pip",
        "--disable-pip-version-check",
    ]
    run(
        [*pip, "install", "--no-input", *words],
        hint="Packages come from PyPI. Behind a proxy set HTTPS_PROXY, for a mirror "
        "PIP_INDEX_URL, for a proxy with a certificate of its own PIP_CERT; then "
        "run the same command again.",
    )


def write_env_file(extra: dict[str, str]) -> None:
    """Write a .env with a new secret, or add to one what it lacks of ``extra``."""
    lines = ENV_FILE.read_text("utf-8").splitlines() if ENV_FILE.exists() else []
    wanted = dict(extra)
    if not lines:
        lines = ["# Written by `make setup`; .env.example explains every variable."]
        wanted["OHB_SECRET_KEY"] = secrets.token_urlsafe(50)
        wanted["OHB_ALLOWED_HOSTS"] = "localhost,127.0.0.1"
    lines += [
        f"{name}={value}" for name, value in wanted.items() if not setting(name, "")
    ]
    ENV_FILE.touch(mode=0o600)
    ENV_FILE.write_text("\n".join(lines) + "\n", "utf-8")
