"""The patches of a task: its reference, and the wrong ones that its checks find out."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from leaderboard.patch_counts import PatchCounts, PatchFormatError, count_patch
from leaderboard.snapshots.faults import Faults, shown
from leaderboard.snapshots.outline import TaskOutline
from leaderboard.snapshots.strict import read_text

WRONG = "wrong"


def read_patch(folder: Path, name: str, *, faults: Faults) -> PatchCounts | None:
    """What the patch ``name`` of the package in ``folder`` changes; None if faulty."""
    text = read_text(folder, name, faults=faults)
    if text is None:
        return None
    try:
        counts = count_patch(text)
    except PatchFormatError as error:
        faults.add(
            name,
            "",
            saw=f"a text that is not a patch in git's format ({error})",
            fix="Make it with 'git diff --binary' against the base project.",
        )
        return None
    for path in counts.paths:
        check_path(path, name, "diff --git", faults=faults)
    return counts


def check_wrong_patches(
    folder: Path, task: str, facts: TaskOutline, *, faults: Faults
) -> None:
    """Note wrong patches that are not there, not listed, or fail no known F-point."""
    if facts.wrong_patches is None:
        return
    name = f"{task}/task.json"
    _check_points(facts, name, faults=faults)
    listed = [each.patch and f"{each.patch}.patch" for each in facts.wrong_patches]
    for number, patch in enumerate(listed):
        if patch is None:
            continue
        if listed.count(patch) > 1:
            faults.add(
                name,
                f"wrong_patches[{number}].patch",
                saw=f"{shown(facts.wrong_patches[number].patch)} more than once",
                fix="Name each wrong patch once, with all of its F-points.",
            )
        else:
            read_patch(folder, f"{task}/{WRONG}/{patch}", faults=faults)
    if None in listed:
        return  # a file that seems to be a stray may be the one that is meant
    for stray in sorted(_files(folder / task / WRONG) - set(listed)):
        faults.add(
            f"{task}/{WRONG}/{stray}",
            "",
            saw="a file that wrong_patches of task.json does not name",
            fix="Name it there with the F-points that it fails, or remove it.",
        )


def _check_points(facts: TaskOutline, name: str, *, faults: Faults) -> None:
    """Note F-points that the task has not, where it is known which it has."""
    points = [each.id for each in facts.f_points or ()]
    known = sorted(each for each in points if each is not None)
    if not points or len(known) < len(points):
        return
    for number, each in enumerate(facts.wrong_patches or ()):
        for point in each.f_points:
            if point is not None and point not in known:
                faults.add(
                    name,
                    f"wrong_patches[{number}].f_points",
                    saw=shown(point),
                    fix=f"Name F-points of the task: {', '.join(known)}.",
                )


def _files(folder: Path) -> set[str]:
    return {
        path.relative_to(folder).as_posix()
        for path in folder.rglob("*")
        if path.is_file()
    }


def check_path(path: str, name: str, place: str, *, faults: Faults) -> None:
    """Note a path that leads out of the base project."""
    parts: Sequence[str] = path.split("/")
    if path.startswith("/") or "\\" in path or {"", ".", "..", ".git"} & set(parts):
        faults.add(
            name,
            place,
            saw=shown(path),
            fix="Write a path below the base project, with slashes.",
        )
