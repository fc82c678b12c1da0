"""The closed grammar of the names in an upload.

Every name that is not in the grammar is refused, which ends traversal, absolute and
drive paths, backslashes, NUL and look-alike characters in one rule. Names of bundles
are short enough for the plain header of tar (ustar): no extension for long names is
needed.
"""

from __future__ import annotations

import unicodedata
from typing import NamedTuple

from submissions.archive.shapes import (
    GRAMMARS,
    MANIFEST,
    UNIT_FILE,
    UNIT_FILES,
    Shape,
    belongs,
    first_of,
    harbor_jobs,
    is_known,
    readers_of,
)
from submissions.findings import Code, Findings, shown

__all__ = [
    "MANIFEST",
    "UNIT_FILES",
    "MemberPlace",
    "NameBook",
    "is_file_name",
    "is_folder_name",
    "place_of",
]

_TOP_FOLDERS = frozenset({"runs", "predictions", "jobs"})


class MemberPlace(NamedTuple):
    """Where a unit's file belongs: the run's number, the task's slug, the file."""

    run: int
    task: str
    file: str


def place_of(name: str) -> MemberPlace | None:
    """The unit a member belongs to; None for the manifest and for foreign names."""
    match = UNIT_FILE.fullmatch(name)
    if match is None:
        return None
    return MemberPlace(int(match["run"]), match["task"], match["file"])


def is_file_name(name: str) -> bool:
    """Whether a native bundle may hold a file of this name."""
    return name == MANIFEST or UNIT_FILE.fullmatch(name) is not None


def is_folder_name(name: str) -> bool:
    """Folder entries are legal, say nothing, and are passed over."""
    return GRAMMARS[Shape.BUNDLE].folders.fullmatch(name) is not None


class NameBook:
    """The names seen so far in one archive; notes foreign and repeated ones."""

    def __init__(self, findings: Findings) -> None:
        self.findings = findings
        self.seen: set[str] = set()
        self.shapes: set[Shape] = set()
        self.admitted: list[tuple[str, bool]] = []

    def admit(self, name: str, *, folder: bool) -> bool:
        """Whether the entry is to be read; a finding is noted when it may not be there.

        Names that some shape knows are judged again in ``settle``.
        """
        # Names that a file system may take for the same count as the same.
        key = unicodedata.normalize("NFC", name).casefold().rstrip("/")
        if key in self.seen:
            self.findings.error(
                Code.MEMBER_DUPLICATE,
                shown(name),
                saw="this name, or one that differs only in spelling, twice",
                fix="Keep one of the two.",
            )
            return False
        self.seen.add(key)
        if not is_known(name, folder=folder):
            self._refuse(name, folder=folder, shape=first_of(self.shapes))
            return False
        self.admitted.append((name, folder))
        readers = set() if folder else readers_of(name)
        self.shapes |= readers
        return bool(readers) or (name == MANIFEST and not folder)

    def settle(self) -> set[str]:
        """Judge every name by the shape of the whole; return the files that stay."""
        shape = first_of(self.shapes)
        files = {name for name, folder in self.admitted if not folder}
        jobs = harbor_jobs(files) if shape is Shape.HARBOR else set()
        for name, folder in self.admitted:
            if not belongs(name, folder=folder, shape=shape, jobs=jobs):
                self._refuse(name, folder=folder, shape=shape)
                files.discard(name)
        return files

    def _refuse(self, name: str, *, folder: bool, shape: Shape) -> None:
        self.findings.error(
            Code.MEMBER_NAME,
            shown(name),
            saw="a folder that does not belong here"
            if folder
            else "a file that does not belong here",
            fix=_advice(name, shape),
        )


def _belongs_at_the_top(name: str) -> bool:
    return (
        name in {MANIFEST, "runs"} or name.startswith("runs/") or bool(readers_of(name))
    )


def _advice(name: str, shape: Shape) -> str:
    base = name.rstrip("/").rpartition("/")[2]
    if name.startswith("__MACOSX") or base.startswith("._") or base == ".DS_Store":
        return (
            "Leave out what macOS adds, for example with: COPYFILE_DISABLE=1 tar "
            "--exclude .DS_Store --format=ustar -czf bundle.tar.gz manifest.json runs"
        )
    if name.startswith("./"):
        return (
            "Name the parts when packing, not a dot: "
            "tar --format=ustar -czf bundle.tar.gz manifest.json runs"
        )
    wrapper, _, rest = name.partition("/")
    if wrapper not in _TOP_FOLDERS and _belongs_at_the_top(rest):
        return (
            f"Pack what is in the folder {shown(wrapper)}, not the folder: "
            "manifest.json belongs at the top, and so does what stands beside it."
        )
    return f"Remove it or rename it: {GRAMMARS[shape].holds}."
