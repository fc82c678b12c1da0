"""Reads patches in git's format as texts. The gate judges them; this only compares."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

_HEADER = re.compile(r'diff --git "?a/(.+?)"? "?b/(.+?)"?$')
_HUNK = re.compile(r"@@ -(\d{1,9})(?:,(\d{1,9}))? \+\d{1,9}(?:,(\d{1,9}))? @@")


@dataclass(slots=True)
class Hunk:
    """``start`` is the first old line, from 1; lines carry their sign."""

    start: int
    lines: list[str] = field(default_factory=list)


@dataclass(slots=True)
class FileDiff:
    path: str
    hunks: list[Hunk] = field(default_factory=list)
    created: bool = False
    deleted: bool = False
    plain: bool = True


def file_diffs(patch: str) -> list[FileDiff]:
    """The files of a patch; binary parts and renames are not ``plain``."""
    found: list[FileDiff] = []
    hunk: Hunk | None = None
    old = new = 0
    for line in patch.split("\n"):
        if (
            hunk is not None
            and (old > 0 or new > 0)
            and line[:1] in ("", " ", "+", "-")
        ):
            sign = line[:1] or " "
            hunk.lines.append(line or " ")
            old -= sign in "- "
            new -= sign in "+ "
        elif header := _HEADER.match(line):
            found.append(FileDiff(header[2], plain=header[1] == header[2]))
            hunk = None
        elif not found:
            continue
        elif parts := _HUNK.match(line):
            hunk = Hunk(int(parts[1]))
            found[-1].hunks.append(hunk)
            old, new = int(parts[2] or 1), int(parts[3] or 1)
        elif line.startswith("new file mode"):
            found[-1].created = True
        elif line.startswith("deleted file mode"):
            found[-1].deleted = True
        elif line.startswith(("GIT binary patch", "Binary files")):
            found[-1].plain = False
    return found


def added_lines(patch: str) -> Iterator[str]:
    """The lines that a patch adds, without their sign."""
    for each in file_diffs(patch):
        for hunk in each.hunks:
            yield from (line[1:] for line in hunk.lines if line[0] == "+")


def added_text(patch: str) -> str:
    return "\n".join(added_lines(patch))


def patched(base: Mapping[str, str], patch: str) -> dict[str, str | None] | None:
    """The changed files of ``base`` after ``patch``; None instead of a deleted one.

    None altogether where the patch does not fit, or changes more than plain text.
    """
    results: dict[str, str | None] = {}
    for each in file_diffs(patch):
        if not each.plain:
            return None
        if each.deleted:
            results[each.path] = None
            continue
        old = "" if each.created else base.get(each.path)
        text = None if old is None else _applied(old, each.hunks)
        if text is None:
            return None
        results[each.path] = text
    return results


def _applied(old: str, hunks: list[Hunk]) -> str | None:
    lines = old.split("\n")
    result: list[str] = []
    at = 0
    for hunk in hunks:
        expected = [line[1:] for line in hunk.lines if line[0] in " -"]
        begin = hunk.start - 1 if expected else hunk.start
        if begin < at or lines[begin : begin + len(expected)] != expected:
            return None
        result += lines[at:begin]
        result += [line[1:] for line in hunk.lines if line[0] in " +"]
        at = begin + len(expected)
    return "\n".join([*result, *lines[at:]])
