"""Untrusted text made safe to look at: no escape sequences, nothing invisible, capped.

Logs and patches come from code that nobody vetted. What would move the cursor, color
the terminal or reorder the line is taken out or written as a visible name.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from typing import BinaryIO

MAX_LINES = 2_000
MAX_COLUMNS = 2_000
MAX_BYTES = 4 * 1024 * 1024

# CSI (colors, cursor), OSC (titles, links) up to its terminator, and two-byte escapes.
_ESCAPES = re.compile(
    r"\x1b\[[0-?]*[ -/]*[@-~]"
    r"|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)"
    r"|\x1b[PX^_][^\x1b]*\x1b\\"
    r"|\x1b[ -/]*[0-~]"
)
# Letters and marks stay; format characters can reorder or hide text.
_HIDDEN_CATEGORIES = {"Cc", "Cf", "Zl", "Zp", "Co", "Cs"}


@dataclass(frozen=True, slots=True)
class Excerpt:
    """The beginning of a text, ready to be escaped and shown."""

    lines: tuple[str, ...]
    lines_cut: bool
    columns_cut: bool

    @property
    def cut(self) -> bool:
        return self.lines_cut or self.columns_cut


def visible(line: str) -> str:
    """One line without escape sequences and with hidden characters written out.

    >>> visible("\\x1b[31mred\\x1b[0m a\\u202eb\\x00")
    'red a⟦U+202E⟧b⟦U+0000⟧'
    """
    plain = _ESCAPES.sub("", line)
    return "".join(
        f"⟦U+{ord(character):04X}⟧" if _is_hidden(character) else character
        for character in plain
    )


def _is_hidden(character: str) -> bool:
    return character != "\t" and unicodedata.category(character) in _HIDDEN_CATEGORIES


def excerpt(handle: BinaryIO) -> Excerpt:
    """Read at most MAX_BYTES of ``handle`` and return its first lines."""
    head = handle.read(MAX_BYTES + 1)
    text = head[:MAX_BYTES].decode("utf-8", errors="replace")
    lines = text.replace("\r\n", "\n").removesuffix("\n").split("\n")
    kept = [line[: MAX_COLUMNS + 1] for line in lines[:MAX_LINES]]
    return Excerpt(
        lines=tuple(visible(line[:MAX_COLUMNS]) for line in kept) if text else (),
        lines_cut=len(head) > MAX_BYTES or len(lines) > MAX_LINES,
        columns_cut=any(len(line) > MAX_COLUMNS for line in kept),
    )


def diff_kind(line: str, *, in_hunk: bool) -> str:
    """What a line of a unified diff is: file, hunk, add, delete or context."""
    if line.startswith("@@"):
        return "hunk"
    if line.startswith("diff ") or not in_hunk:
        return "file"
    return {"+": "add", "-": "delete"}.get(line[:1], "context")


def diff_lines(lines: tuple[str, ...]) -> list[tuple[str, str]]:
    """Pair every line of a unified diff with its kind."""
    found, in_hunk = [], False
    for line in lines:
        if line.startswith("diff "):
            in_hunk = False
        kind = diff_kind(line, in_hunk=in_hunk)
        in_hunk = in_hunk or kind == "hunk"
        found.append((kind, line))
    return found
