"""Untrusted text made safe to look at: no escape sequences, nothing invisible, capped.

Logs and patches come from code that nobody vetted. What would move the cursor, color
the terminal or reorder the line is taken out or written as a visible name.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from typing import BinaryIO

PAGE_LINES = 2_000
MAX_COLUMNS = 2_000
MAX_BYTES = 32 * 1024 * 1024
_CHUNK = 64 * 1024
# One character more than is shown, in the widest encoding there is.
_MAX_LINE_BYTES = 4 * (MAX_COLUMNS + 1)

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
class TextPage:
    """Some lines of a text, ready to be escaped and shown.

    ``first`` is the number of the first of them, from 1; ``line_count`` is that of the
    whole text, or of what was read of it where ``bytes_cut``.
    """

    lines: tuple[str, ...]
    first: int
    line_count: int
    page_count: int
    columns_cut: bool
    bytes_cut: bool


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


def text_page(handle: BinaryIO, number: int, *, size: int = PAGE_LINES) -> TextPage:
    """Page ``number`` (from 1) of ``size`` lines; at most MAX_BYTES are read.

    Lines before and after are only counted, so a page in the middle costs no memory.
    """
    first = (number - 1) * size
    kept: dict[int, bytearray] = {}
    read = newlines = 0
    ends_open = False
    while read < MAX_BYTES and (chunk := handle.read(min(_CHUNK, MAX_BYTES - read))):
        ends = chunk.count(b"\n")
        if newlines < first + size and newlines + ends >= first:
            for place, part in enumerate(chunk.split(b"\n"), start=newlines):
                if first <= place < first + size:
                    line = kept.setdefault(place, bytearray())
                    line += part[: _MAX_LINE_BYTES - len(line)]
        read += len(chunk)
        newlines += ends
        ends_open = not chunk.endswith(b"\n")
    line_count = newlines + ends_open
    texts = [
        bytes(line).decode("utf-8", errors="replace").removesuffix("\r")
        for place, line in sorted(kept.items())
        if place < line_count
    ]
    return TextPage(
        lines=tuple(visible(text[:MAX_COLUMNS]) for text in texts),
        first=first + 1,
        line_count=line_count,
        page_count=max(1, -(-line_count // size)),
        columns_cut=any(len(text) > MAX_COLUMNS for text in texts),
        bytes_cut=read >= MAX_BYTES and bool(handle.read(1)),
    )
