"""Reference pictures of a task: one for each named screen, and nothing else."""

from __future__ import annotations

from pathlib import Path

from leaderboard.completion_rate import Dimension
from leaderboard.snapshots.faults import Faults
from leaderboard.snapshots.outline import TaskOutline

MOST_BYTES = 8 * 1024 * 1024

_KINDS = {".png": b"\x89PNG\r\n\x1a\n", ".jpeg": b"\xff\xd8\xff"}


def screen_file(task: Path, name: str) -> Path | None:
    """The reference picture of the screen ``name`` in the folder of a task."""
    paths = (task / "screens" / f"{name}{suffix}" for suffix in _KINDS)
    return next((path for path in paths if path.is_file()), None)


def check_screens(
    folder: Path, task: str, facts: TaskOutline, *, faults: Faults
) -> None:
    """Note every reference that is missing, is no picture, or that no screen names."""
    wanted: set[str] = set()
    for place, screen in enumerate(facts.screens or ()):
        if screen is None:
            continue
        where = f"visual.screens[{place}].name"
        path = screen_file(folder / task, screen)
        if path is None:
            faults.add(
                f"{task}/task.json",
                where,
                saw=f"{screen!r}, and no screens/{screen}.png or .jpeg",
                fix="Add the picture: a proof of the reference keeps it among its "
                "files.",
            )
        elif screen in {Path(name).stem for name in wanted}:
            faults.add(
                f"{task}/task.json",
                where,
                saw=f"{screen!r} twice",
                fix="Keep one.",
            )
        else:
            wanted.add(path.name)
            _check_picture(path, f"{task}/screens/{path.name}", faults=faults)
    points = facts.f_points or ()
    if wanted and any(each.dimension == Dimension.VISUAL for each in points):
        faults.add(
            f"{task}/task.json",
            "visual",
            saw="screens, and F-points of the dimension visual",
            fix="Give these F-points another dimension: the judge decides visual.",
        )
    if facts.screens is not None and None not in facts.screens:
        _note_strays(folder, task, wanted, faults=faults)


def _check_picture(path: Path, name: str, *, faults: Faults) -> None:
    data = path.read_bytes()
    if not data.startswith(_KINDS[path.suffix]):
        faults.add(
            name,
            "",
            saw=f"no {path.suffix[1:].upper()}",
            fix="Save it as what it says.",
        )
    if len(data) > MOST_BYTES:
        faults.add(
            name,
            "",
            saw=f"{len(data)} bytes",
            fix=f"Make it smaller: {MOST_BYTES} are allowed.",
        )


def _note_strays(folder: Path, task: str, wanted: set[str], *, faults: Faults) -> None:
    screens = folder / task / "screens"
    for path in sorted(screens.iterdir()) if screens.is_dir() else ():
        if path.name not in wanted:
            faults.add(
                f"{task}/screens/{path.name}",
                "",
                saw="a file that no screen names",
                fix="Remove it, or name its screen under visual in task.json.",
            )
