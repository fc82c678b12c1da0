"""Finds what a signal quotes in a text, and cuts the text around it.

A signal keeps a short excerpt in one line, in which space is a single blank and what
cannot be seen is written out; here it becomes a pattern again.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from leaderboard.plain_text import visible

SHOWN_CHARACTERS = 4_000
AROUND = 600
# In front of what is quoted some rules name the tool.
_TOOL = re.compile(r"[\w.:/ -]{1,80}?: ")
_WRITTEN_OUT = re.compile(r"⟦U\+([0-9A-F]{4,6})⟧")
_FEWEST_CHARACTERS = 3


class Span(NamedTuple):
    """The characters ``begin`` to ``end`` of a text, which ``signal`` quotes."""

    begin: int
    end: int
    signal: int


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of a text that is safe to show; without text it stands for what is cut."""

    text: str
    signal: int | None = None

    @property
    def is_gap(self) -> bool:
        return not self.text


def spans_of(text: str, quoted: Iterable[tuple[int, str]]) -> list[Span]:
    """The first place of each quotation in ``text``; none overlaps another.

    ``quoted`` holds the numbers of signals and their excerpts.
    """
    found = []
    for signal, excerpt in quoted:
        for words in _quotations(excerpt):
            if match := _pattern(words).search(text):
                found.append(Span(match.start(), match.end(), signal))
                break
    kept: list[Span] = []
    for span in sorted(found):
        if not kept or span.begin >= kept[-1].end:
            kept.append(span)
    return kept


def _quotations(excerpt: str) -> list[list[str]]:
    """What may stand in the text, as words: as quoted, and without a tool's name."""
    plain = excerpt.removeprefix("… ").removesuffix(" …")
    forms = [plain]
    if named := _TOOL.match(plain):
        forms.append(plain[named.end() :])
    return [form.split() for form in forms if len(form.strip()) >= _FEWEST_CHARACTERS]


def _pattern(words: list[str]) -> re.Pattern[str]:
    plain = (
        _WRITTEN_OUT.sub(lambda found: chr(int(found[1], 16)), word) for word in words
    )
    return re.compile(r"\s{1,400}".join(map(re.escape, plain)))


def pieces_of(
    text: str, spans: Sequence[Span], *, hide: Callable[[str], str]
) -> list[Piece]:
    """``text`` in pieces: its beginning, and the surroundings of every span.

    ``hide`` takes out of a piece what the reader may not see.
    """
    pieces: list[Piece] = []
    at = 0
    for begin, end in _windows(text, spans):
        if begin > at:
            pieces.append(Piece(""))
        at = begin
        for span in spans:
            if begin <= span.begin and span.end <= end:
                pieces += _shown(text[at : span.begin], None, hide)
                pieces += _shown(text[span.begin : span.end], span.signal, hide)
                at = span.end
        pieces += _shown(text[at:end], None, hide)
        at = end
    if at < len(text):
        pieces.append(Piece(""))
    return pieces


def _windows(text: str, spans: Sequence[Span]) -> list[tuple[int, int]]:
    """Which parts are shown, whole lines where lines are not endless."""
    windows = [(0, _line_end(text, SHOWN_CHARACTERS))]
    for span in spans:
        begin = _line_begin(text, span.begin - AROUND)
        end = _line_end(text, span.end + AROUND)
        if begin <= windows[-1][1]:
            windows[-1] = (windows[-1][0], max(end, windows[-1][1]))
        else:
            windows.append((begin, end))
    return windows


def _line_begin(text: str, at: int) -> int:
    at = max(0, at)
    found = text.rfind("\n", max(0, at - AROUND), at)
    return at if found < 0 else found + 1


def _line_end(text: str, at: int) -> int:
    if at >= len(text):
        return len(text)
    found = text.find("\n", at, at + AROUND)
    return at if found < 0 else found


def _shown(text: str, signal: int | None, hide: Callable[[str], str]) -> list[Piece]:
    lines = hide(text).replace("\r\n", "\n").split("\n")
    safe = "\n".join(map(visible, lines))
    return [Piece(safe, signal)] if safe else []
