"""Which files a task package may hold, and the digests over them."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable
from pathlib import Path

from leaderboard.snapshots.faults import Faults, shown
from leaderboard.trees import LINK, ProjectFile, TreeError, files_digest, project_files

TASK_FILES = frozenset({"task.json", "statement.md", "reference.patch", "base.json"})
TASK_FOLDERS = frozenset({"base", "checks", "screens", "wrong"})
# What judges a result and is hidden from agents: part of the evaluation scripts.
_SCRIPTS = frozenset({"checks", "screens"})


def listed_files(folder: Path, *, faults: Faults) -> list[ProjectFile]:
    """Every file of the package by name; what must not be in one becomes a fault."""
    try:
        files = project_files(folder, links=True)
    except TreeError as error:
        faults.add(".", "", saw=str(error), fix="Use regular files and folders only.")
        return []
    seen: dict[str, str] = {}
    for file in files:
        name = file.path.decode("utf-8", "backslashreplace")
        if file.mode == LINK:
            faults.add(
                name, "", saw="a symbolic link", fix="Put the file itself in its place."
            )
        if not _plain(file.path):
            faults.add(
                shown(name),
                "",
                saw="a name with control characters, or not in UTF-8 (NFC)",
                fix="Rename the file.",
            )
        folded = name.casefold()
        if folded in seen:
            faults.add(
                name,
                "",
                saw=f"the same name as {seen[folded]} but for upper and lower case",
                fix="Rename one of them: some systems cannot hold both.",
            )
        seen[folded] = name
    return files


def _plain(path: bytes) -> bool:
    try:
        name = path.decode("utf-8")
    except UnicodeDecodeError:
        return False
    printable = not any(unicodedata.category(char)[0] == "C" for char in name)
    return printable and unicodedata.is_normalized("NFC", name)


def task_slugs(files: Iterable[ProjectFile], *, faults: Faults) -> list[str]:
    """Names of the folders below ``tasks``, sorted; stray files become faults."""
    slugs: set[str] = set()
    for file in files:
        match file.path.decode("utf-8", "backslashreplace").split("/"):
            case ["snapshot.json"] | ["README.md"] | ["curation.json"]:
                known = True
            case ["tasks", slug, inner, *below]:
                known = inner in (TASK_FOLDERS if below else TASK_FILES)
                slugs.add(slug)
            case _:
                known = False
        if not known:
            faults.add(
                file.path.decode("utf-8", "backslashreplace"),
                "",
                saw="a file that the format does not know",
                fix="Remove it.",
            )
    return sorted(slugs)


def task_set_digest(folder: Path, files: Iterable[ProjectFile]) -> str:
    """Digest over what an agent is given and the solutions: all but the checks."""
    return files_digest(folder, [each for each in files if _below(each) - _SCRIPTS])


def script_digest(folder: Path, files: Iterable[ProjectFile]) -> str:
    """Digest over the hidden checks of all tasks."""
    return files_digest(folder, [each for each in files if _below(each) & _SCRIPTS])


def _below(file: ProjectFile) -> set[str]:
    """The part of a task that a file belongs to, in a set; empty outside of tasks."""
    match file.path.decode("utf-8", "backslashreplace").split("/", 3):
        case ["tasks", _, inner, *_]:
            return {inner}
    return set()
