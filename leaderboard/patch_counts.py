"""How large a patch is: files touched, lines added and deleted."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

# Git puts names with unusual characters in double quotes; they stay escaped here.
_HEADER = re.compile(r'diff --git "?a/.+ "?b/(?P<new>.+?)"?')
_HUNK = re.compile(r"@@ -\d+(?:,(?P<old>\d+))? \+\d+(?:,(?P<new>\d+))? @@")


class PatchFormatError(ValueError):
    """A text is not a patch in git's format; the message names the line."""


@dataclass(frozen=True, slots=True)
class PatchCounts:
    """``paths`` are those after the patch, in its order, each once."""

    paths: tuple[str, ...]
    added_lines: int
    deleted_lines: int


def count_patch(text: str) -> PatchCounts:
    """Count what a patch in git's format changes; lengths come from its hunk headers.

    A line that looks like a header inside a hunk is content, not a header.
    """
    paths: list[str] = []
    added = deleted = 0
    # Not splitlines(): a form feed or U+2028 does not end a line of a patch.
    lines = iter(enumerate(text.removesuffix("\n").split("\n"), start=1))
    for number, line in lines:
        if header := _HEADER.fullmatch(line.rstrip("\r")):
            paths.append(header["new"])
        elif hunk := _HUNK.match(line):
            if not paths:
                raise PatchFormatError(f"line {number}: a hunk before any 'diff --git'")
            signs = list(_hunk_signs(lines, hunk, number=number))
            added += signs.count("+")
            deleted += signs.count("-")
    if not paths:
        raise PatchFormatError("no line starts with 'diff --git a/'")
    return PatchCounts(tuple(dict.fromkeys(paths)), added, deleted)


def _hunk_signs(
    lines: Iterator[tuple[int, str]], hunk: re.Match[str], *, number: int
) -> Iterator[str]:
    """The first characters of the lines of one hunk, as many as its header says."""
    old = int(hunk["old"] or 1)
    new = int(hunk["new"] or 1)
    while old > 0 or new > 0:
        following = next(lines, None)
        if following is None:
            raise PatchFormatError(f"line {number}: the hunk is cut off")
        at, line = following
        # Some editors strip the one space of an empty context line.
        sign = line[:1] or " "
        if sign == "\\":
            continue
        if sign not in "+- ":
            raise PatchFormatError(f"line {at}: {line[:40]!r} inside a hunk")
        old -= sign in "- "
        new -= sign in "+ "
        yield sign
