"""Approvals that a package brings along: data, checked against the tasks they name."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from typing import Any, Literal

from pydantic import Field

from leaderboard.snapshots.faults import Faults, shown
from leaderboard.snapshots.format import CURATOR, SHA256, FormatModel, Line, Slug
from leaderboard.snapshots.strict import Document

CURATION = "curation.json"


class CuratorEntry(FormatModel):
    """A person who judged tasks."""

    id: str = Field(
        pattern=CURATOR,
        max_length=80,
        description="Short name, lower case; the user name where there is one.",
        examples=["li.wei"],
    )
    name: Line = Field(max_length=100, description="Full name.", examples=["Li Wei"])


class ApprovalEntry(FormatModel):
    """One curator's word for one state of one task."""

    task: Slug = Field(description="The task.", examples=["chat-input-bar"])
    digest: str = Field(
        pattern=SHA256,
        description="Digest of the task's folder as it was approved, as `manage.py "
        "tree_digest` gives it; another one is a fault.",
        examples=["60303ae22b998861bce3b28f33eec1be758a213c86c93c076dbe9f558c11c752"],
    )
    curator: str = Field(
        pattern=CURATOR,
        max_length=80,
        description="Who approved it: an `id` of `curators`.",
        examples=["li.wei"],
    )
    on: date = Field(description="Day of the approval.", examples=["2026-11-01"])


class CurationFile(FormatModel):
    """``curation.json``: approvals that were given before the import."""

    format: Literal[1] = Field(description="Version of this format.", examples=[1])
    curators: list[CuratorEntry] = Field(
        min_length=1, description="Everybody who is named below."
    )
    approvals: list[ApprovalEntry] = Field(
        min_length=1, description="Approvals; one curator approves a task once."
    )


def check_approvals(
    document: Document[CurationFile], digests: Mapping[str, str], *, faults: Faults
) -> None:
    """Note approvals of unknown people, of unknown tasks, and of other contents.

    ``digests`` holds the digest of each task of the package by slug.
    """
    people = [each.get("id") for each in _objects(document.raw, "curators")]
    approvals = _objects(document.sound, "approvals")
    faults.add_doubles(CURATION, "curators", map(_text, people))
    faults.add_doubles(
        CURATION,
        "approvals",
        [
            f"{each['task']} by {each['curator']}"
            for each in approvals
            if each.get("task") and each.get("curator")
        ],
    )
    for number, each in enumerate(approvals):
        place = f"approvals[{number}]"
        task, curator = each.get("task"), each.get("curator")
        if curator and people and curator not in people:
            faults.add(
                CURATION,
                f"{place}.curator",
                saw=shown(curator),
                fix="Name a curator of the list above.",
            )
        if task and task not in digests:
            faults.add(
                CURATION,
                f"{place}.task",
                saw=shown(task),
                fix="Name a task of this package, or remove the approval.",
            )
        elif task and each.get("digest") and each["digest"] != digests[task]:
            faults.add(
                CURATION,
                f"{place}.digest",
                saw=f"{each['digest']}, but the task has {digests[task]}",
                fix="The task changed since: have it approved again, or remove this.",
            )


def _objects(data: object, part: str) -> list[Mapping[str, Any]]:
    """The entries of a list of the file; an empty one for each that is no object."""
    listed = data.get(part) if isinstance(data, dict) else None
    entries = listed if isinstance(listed, list) else ()
    return [each if isinstance(each, dict) else {} for each in entries]


def _text(value: object) -> str | None:
    return value if isinstance(value, str) else None
