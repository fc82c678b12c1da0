"""Whether everybody may have what decides about the tasks of a snapshot."""

from __future__ import annotations

from typing import TypedDict

from leaderboard.models import EvaluationSnapshot, Task
from leaderboard.snapshots import PackageNotHeldError, task_folder


class HiddenFile(TypedDict):
    """A file below ``checks/`` of a task, as it was imported."""

    name: str
    text: str


def hidden_parts_are_public(snapshot: EvaluationSnapshot) -> bool:
    """Whether the checks and the reference patches were released."""
    return snapshot.artifacts_released_at is not None


def public_reference(task: Task) -> str | None:
    """The whole reference patch; None while it is hidden, or where it is not held."""
    if not task.snapshot.shows_references:
        return None
    try:
        return (task_folder(task) / "reference.patch").read_text("utf-8")
    except (PackageNotHeldError, FileNotFoundError):
        return None


def public_checks(task: Task) -> list[HiddenFile] | None:
    """The checks by name; None while they are hidden, or where they are not held."""
    if not hidden_parts_are_public(task.snapshot):
        return None
    try:
        files = sorted((task_folder(task) / "checks").iterdir())
    except (PackageNotHeldError, FileNotFoundError):
        return None
    return [HiddenFile(name=each.name, text=each.read_text("utf-8")) for each in files]
