"""The closed grammar of the names in a bundle.

Every name that is not in the grammar is refused, which ends traversal, absolute and
drive paths, backslashes, NUL and look-alike characters in one rule. Names are short
enough for the plain header of tar (ustar): no extension for long names is needed.
"""

from __future__ import annotations

import re
import unicodedata
from typing import NamedTuple

from submissions.findings import Code, Findings, shown

MANIFEST = "manifest.json"
UNIT_FILES = (
    "first.patch",
    "final.patch",
    "build.log",
    "trajectory.jsonl",
    "trajectory.json",
    "usage.json",
)
MAX_SLUG = 80

_RUN = r"[1-9][0-9]?"
_SLUG = rf"[a-z0-9][a-z0-9_-]{{0,{MAX_SLUG - 1}}}"
_FILE = "|".join(re.escape(name) for name in UNIT_FILES)
_UNIT_FILE = re.compile(rf"runs/(?P<run>{_RUN})/(?P<task>{_SLUG})/(?P<file>{_FILE})")
_FOLDER = re.compile(rf"runs/(?:{_RUN}/(?:{_SLUG}/)?)?")
_WRAPPED = re.compile(r"(?P<wrapper>[^/\\]+)/(?:manifest\.json|runs(?:/.*)?)")


class MemberPlace(NamedTuple):
    """Where a unit's file belongs: the run's number, the task's slug, the file."""

    run: int
    task: str
    file: str


def place_of(name: str) -> MemberPlace | None:
    """The unit a member belongs to; None for the manifest and for foreign names."""
    match = _UNIT_FILE.fullmatch(name)
    if match is None:
        return None
    return MemberPlace(int(match["run"]), match["task"], match["file"])


def is_file_name(name: str) -> bool:
    return name == MANIFEST or _UNIT_FILE.fullmatch(name) is not None


def is_folder_name(name: str) -> bool:
    """Folder entries are legal, say nothing, and are passed over."""
    return _FOLDER.fullmatch(name) is not None


class NameBook:
    """The names seen so far in one archive; notes foreign and repeated ones."""

    def __init__(self, findings: Findings) -> None:
        self.findings = findings
        self.seen: set[str] = set()

    def admit(self, name: str, *, folder: bool) -> bool:
        """Whether the name may be read; a finding is noted when it may not."""
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
        fits = is_folder_name(name) if folder else is_file_name(name)
        if not fits:
            self.findings.error(
                Code.MEMBER_NAME,
                shown(name),
                saw=f"{'a folder' if folder else 'a file'} that no bundle holds",
                fix=_advice(name),
            )
        return fits


def _advice(name: str) -> str:
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
    wrapped = _WRAPPED.fullmatch(name)
    if wrapped is not None and wrapped["wrapper"] != "runs":
        return (
            f"Pack what is in the folder {shown(wrapped['wrapper'])}, not the folder: "
            "manifest.json and runs belong at the top."
        )
    return (
        "Remove it or rename it: a bundle holds manifest.json and "
        "runs/<run>/<task>/ with " + ", ".join(UNIT_FILES) + "."
    )
