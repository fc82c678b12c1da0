"""The digests of the latest export: what a job of Harbor has to have been run on."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

from leaderboard.models import EvaluationSnapshot
from leaderboard.snapshots import PackageNotHeldError, package_folder


def keep_digests(snapshot: EvaluationSnapshot, digests: Mapping[str, str]) -> None:
    """Remember them beside the package, in place of those of an earlier export."""
    path = _path(package_folder(snapshot))
    written = path.with_suffix(".tmp")
    written.write_text(json.dumps(dict(digests), indent=2) + "\n", encoding="utf-8")
    written.replace(path)


def kept_digests(snapshot: EvaluationSnapshot) -> dict[str, str]:
    """Digests by slug; empty where nothing was exported on this machine."""
    try:
        text = _path(package_folder(snapshot)).read_text("utf-8")
    except (PackageNotHeldError, FileNotFoundError):
        return {}
    found: dict[str, str] = json.loads(text)
    return found


def _path(package: Path) -> Path:
    return package.with_name(f"{package.name}.harbor.json")
