"""Base projects that a package names instead of holding them.

They lie beside the packages by their digest, so that versions share them and an export
gives back ``base.json`` alone.
"""

from __future__ import annotations

from pathlib import Path

from django.conf import settings
from pydantic import Field

from leaderboard.snapshots.faults import Faults
from leaderboard.snapshots.format import (
    COMMIT,
    FOLDER,
    HTTPS_OR_FILE,
    SHA256,
    FormatModel,
)
from leaderboard.snapshots.gitfetch import FetchError, fetch
from leaderboard.snapshots.strict import read_model
from leaderboard.trees import TreeError, copy_project, tree_digest


class BaseFile(FormatModel):
    """``tasks/<slug>/base.json``: a base project that is fetched at the import."""

    url: str = Field(
        pattern=HTTPS_OR_FILE,
        max_length=400,
        description="Git repository; fetched only below an address that the operator "
        "allows (OHB_PACKAGE_SOURCES).",
        examples=["https://gitee.com/openharmony/applications_app_samples.git"],
    )
    commit: str = Field(
        pattern=COMMIT,
        description="Whole commit id; names that can move are refused.",
        examples=["9853b7e7db14315c388adfb8c472d84a1c27e7e6"],
    )
    sha256: str = Field(
        pattern=SHA256,
        description="Digest of the project's tree as `manage.py tree_digest` gives it.",
        examples=["5f70bf18a086007016e948b04aed3b82103a36bea41755b6cddfaf10ace3c6ef"],
    )
    folder: str | None = Field(
        default=None,
        pattern=FOLDER,
        max_length=200,
        description="Folder of the repository that is the project; without it the "
        "whole repository.",
        examples=["code/ChatApp"],
    )


def stored_base(sha256: str) -> Path:
    """Where the base project of that digest lies once it was fetched."""
    return Path(settings.DATA_DIR) / "bases" / sha256


def base_below(task_folder: Path, base_digest: str) -> Path:
    """The base project of a task: of its package, or the one fetched for it."""
    inside = task_folder / "base"
    return inside if inside.is_dir() else stored_base(base_digest)


def resolve_base(folder: Path, task: str, *, faults: Faults) -> Path | None:
    """The base project of ``task``, fetched if need be; None if it has a fault."""
    named, inside = f"{task}/base.json", folder / task / "base"
    has_file = (folder / named).exists()
    if inside.is_dir() and any(inside.iterdir()):
        if not has_file:
            return inside
        faults.add(
            named,
            "",
            saw="a folder base/ beside it",
            fix="Keep one of the two.",
        )
        return None
    if not has_file:
        faults.add(
            f"{task}/base",
            "",
            saw="no project",
            fix="Add the base project, or name it in base.json.",
        )
        return None
    facts = read_model(folder, named, BaseFile, faults=faults)
    return None if facts is None else _fetched(facts, named, faults=faults)


def _fetched(facts: BaseFile, named: str, *, faults: Faults) -> Path | None:
    target = stored_base(facts.sha256)
    if target.is_dir():
        return target
    try:
        with fetch(facts.url, facts.commit, folder=facts.folder) as found:
            digest = tree_digest(found)
            if digest == facts.sha256:
                copy_project(found, target)
                return target
    except (FetchError, TreeError, OSError) as error:
        faults.add(
            named,
            "url",
            saw=f"{facts.url}, which cannot be fetched: {error}",
            fix="Correct it, or put the project into base/.",
        )
        return None
    faults.add(
        named,
        "sha256",
        saw=f"{facts.sha256}, but the project at that commit has {digest}",
        fix="Correct the digest, or the commit.",
    )
    return None
