"""A patch in git's format as files with numbered lines, for people to read."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

_HEADER = re.compile(r'diff --git "?a/.+ "?b/(?P<path>.+?)"?')
_HUNK = re.compile(
    r"@@ -(?P<old>\d+)(?:,(?P<olds>\d+))? \+(?P<new>\d+)(?:,(?P<news>\d+))? @@"
)
_KINDS = {"+": "add", "-": "delete", "\\": "note"}


class DiffLine(NamedTuple):
    """``kind`` is meta, hunk, context, add, delete or note; numbers count from 1."""

    kind: str
    old: int | None
    new: int | None
    text: str


@dataclass(slots=True)
class DiffFile:
    """One file of a patch; ``path`` is that after it, empty before any header."""

    path: str
    lines: list[DiffLine] = field(default_factory=list)
    added: int = 0
    deleted: int = 0


def diff_files(lines: Sequence[str]) -> list[DiffFile]:
    """Sort the lines of a patch into files; whatever is no patch is kept as meta.

    The lengths in hunk headers say what is content, so a removed line that looks like
    a header stays content.
    """
    files: list[DiffFile] = []
    old = new = olds = news = 0
    for line in lines:
        if olds <= 0 and news <= 0 and (header := _HEADER.fullmatch(line)):
            files.append(DiffFile(header["path"]))
        if not files:
            files.append(DiffFile(""))
        file = files[-1]
        if olds <= 0 and news <= 0:
            hunk = _HUNK.match(line)
            if hunk:
                old, new = int(hunk["old"]), int(hunk["new"])
                olds, news = int(hunk["olds"] or 1), int(hunk["news"] or 1)
            kind = "hunk" if hunk else "note" if line.startswith("\\") else "meta"
            file.lines.append(DiffLine(kind, None, None, line))
            continue
        kind = _KINDS.get(line[:1], "context")
        has_old, has_new = kind in {"context", "delete"}, kind in {"context", "add"}
        file.lines.append(
            DiffLine(kind, old if has_old else None, new if has_new else None, line)
        )
        old, olds = old + has_old, olds - has_old
        new, news = new + has_new, news - has_new
        file.added += kind == "add"
        file.deleted += kind == "delete"
    return files
