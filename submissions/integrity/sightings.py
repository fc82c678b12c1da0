"""What a rule reports, and how it is made fit to be shown."""

from __future__ import annotations

from dataclasses import dataclass

from leaderboard.plain_text import visible
from submissions.integrity.catalogue import Code

SHOWN_CHARACTERS = 240


@dataclass(frozen=True, slots=True)
class Sighting:
    """One thing that a rule saw. ``score`` goes from 0 to 1, ``seen`` is safe to show.

    ``position`` is the number of the record in a trajectory.
    """

    code: Code
    score: float
    seen: str
    position: int | None = None


def excerpt(text: str, *, around: int = 0) -> str:
    """A short piece of ``text`` in one line; it holds the character at ``around``."""
    begin = max(0, around - SHOWN_CHARACTERS // 3)
    piece = text[begin : begin + SHOWN_CHARACTERS]
    shown = visible(" ".join(piece.split()))
    before = "… " if begin else ""
    after = " …" if begin + SHOWN_CHARACTERS < len(text) else ""
    return f"{before}{shown}{after}"
