"""The names that a submitter knows for the files that a conversion made."""

from __future__ import annotations

import re

_BREAK = re.compile(r"[:/]")


class Places:
    """Translates places in the native bundle back to those in the upload."""

    def __init__(self) -> None:
        self._originals: dict[str, str] = {}

    def note(self, native: str, original: str) -> None:
        """Say what stood where ``native``, a file or folder of the bundle, is now."""
        self._originals[native] = original

    def original(self, where: str) -> str:
        """The place in the words of the upload; unchanged where nothing is known.

        >>> places = Places()
        >>> places.note("runs/1/chat/final.patch", "run-1.jsonl:3: model_patch")
        >>> places.original("runs/1/chat/final.patch:12")
        'run-1.jsonl:3: model_patch, line 12'
        """
        ends = [len(where), *(match.start() for match in _BREAK.finditer(where))]
        for end in sorted(ends, reverse=True):
            known = self._originals.get(where[:end])
            if known is not None:
                return known + _rest(where[end:])
        return where


def _rest(rest: str) -> str:
    """What follows the known part: a line, a field or a file below a folder."""
    if rest.startswith(":") and rest[1:].isdecimal():
        return f", line {rest[1:]}"
    return rest.replace(":", ",", 1) if rest.startswith(":") else rest
