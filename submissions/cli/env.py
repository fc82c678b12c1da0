"""What the command reads from the environment."""

from __future__ import annotations

import os
from pathlib import Path


def server() -> str:
    return os.environ.get("OHB_SERVER", "")


def token() -> str:
    return os.environ.get("OHB_TOKEN", "")


def config_path() -> Path:
    """Where the file with the settings lies, unless another one is named."""
    folder = os.environ.get("XDG_CONFIG_HOME", "")
    return (Path(folder) if folder else Path.home() / ".config") / "ohbench/config.toml"
