"""Reading Harbor's JSON without trusting its shape.

Versions of Harbor differ in what they write, so nothing but what is used is looked at,
and a value of an unexpected kind counts as none.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from submissions.archive import Member
from submissions.archive.limits import MIB
from submissions.findings import Code, Findings

# Of a few kilobytes usually; the limit bounds the memory that a hostile one takes.
LIMIT_BYTES = 4 * MIB
MAX_CHARACTERS = 1000
_FIX = "Upload the folder as Harbor wrote it."


class Document:
    """A JSON object; every access says what it expects and gets that or None."""

    def __init__(self, value: Mapping[str, Any]) -> None:
        self.value = value

    def get(self, *path: str) -> Any:
        """The value at the end of the path, None where the path breaks off."""
        found: Any = self.value
        for name in path:
            found = found.get(name) if isinstance(found, Mapping) else None
        return found

    def part(self, *path: str) -> Document:
        found = self.get(*path)
        return Document(found if isinstance(found, Mapping) else {})

    def parts(self, *path: str) -> list[Document]:
        """The objects of a list; what is no object in it is left out."""
        found = self.get(*path)
        items = found if isinstance(found, list) else []
        return [Document(item) for item in items if isinstance(item, Mapping)]

    def text(self, *path: str) -> str | None:
        """A string of a sensible length that is not empty."""
        found = self.get(*path)
        if not isinstance(found, str) or not 0 < len(found) <= MAX_CHARACTERS:
            return None
        return found

    def count(self, *path: str) -> int | None:
        """A whole number from 0 on; True is no number."""
        found = self.get(*path)
        return found if type(found) is int and found >= 0 else None

    def number(self, *path: str) -> float | None:
        found = self.get(*path)
        return found if type(found) in (int, float) else None

    def moment(self, *path: str) -> datetime | None:
        """A time; one without a zone is taken for UTC, as in Harbor's trials."""
        found = self.text(*path)
        if found is None:
            return None
        try:
            moment = datetime.fromisoformat(found)
        except ValueError:
            return None
        return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


EMPTY = Document({})


def read_document(
    member: Member | None, *, where: str, findings: Findings
) -> Document | None:
    """The object in a file; None, with a finding, when there is no such thing in it."""
    if member is None:
        return None
    saw = f"{member.size_bytes} bytes"
    if member.size_bytes <= LIMIT_BYTES:
        value, saw = _loaded(member.read())
        if isinstance(value, dict):
            return Document(value)
    findings.error(
        Code.HARBOR_FILE,
        where,
        saw=f"{saw} where a JSON object of at most {LIMIT_BYTES} bytes belongs",
        fix=_FIX,
    )
    return None


def _loaded(data: bytes) -> tuple[Any, str]:
    """The value, and what was seen in words."""
    try:
        value = json.loads(data)
    except (ValueError, RecursionError):
        return None, "no valid JSON"
    return value, "another JSON value"
