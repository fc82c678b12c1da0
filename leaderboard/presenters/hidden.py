"""Hidden files of a task as text, for those who may read them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from leaderboard.models import Task
from leaderboard.plain_text import text_page
from leaderboard.presenters.viewer import ShownFile, shown_files
from leaderboard.snapshots import PackageNotHeldError, task_folder

_LINES = 2000


@dataclass(frozen=True, slots=True)
class CheckFile:
    """A file of the checks; ``cut`` where only its beginning is shown."""

    name: str
    text: str
    cut: bool


@dataclass(frozen=True, slots=True)
class Reference:
    """The reference patch; without ``files`` it is not held on this machine."""

    files: Sequence[ShownFile]
    cut: bool


@dataclass(frozen=True, slots=True)
class WrongPatch:
    """A solution that looks right, with the F-points that it fails, and why."""

    name: str
    f_points: Sequence[str]
    why: str
    files: Sequence[ShownFile]


def check_files(task: Task) -> list[CheckFile]:
    """The checks of ``task`` by name; empty where its package is not held."""
    try:
        checks = task_folder(task) / "checks"
    except PackageNotHeldError:
        return []
    found = []
    for path in sorted(checks.iterdir()) if checks.is_dir() else ():
        with path.open("rb") as handle:
            page = text_page(handle, 1, size=_LINES)
        cut = page.bytes_cut or page.page_count > 1 or page.columns_cut
        found.append(CheckFile(path.name, "\n".join(page.lines), cut))
    return found


def reference_patch(task: Task) -> Reference:
    return _patch(task, "reference.patch")


def wrong_patches(task: Task) -> list[WrongPatch]:
    """The wrong patches of ``task`` in the order of its proof runs."""
    return [
        WrongPatch(
            each["patch"],
            each["f_points"],
            each["why"],
            _patch(task, f"wrong/{each['patch']}.patch").files,
        )
        for each in task.wrong_patches
    ]


def _patch(task: Task, name: str) -> Reference:
    try:
        with (task_folder(task) / name).open("rb") as handle:
            files, text = shown_files(handle)
    except (PackageNotHeldError, FileNotFoundError):
        return Reference([], cut=False)
    return Reference(files, cut=text.bytes_cut or text.page_count > 1)
