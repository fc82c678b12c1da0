"""What the compiler said about a task run, with the way to each line it speaks of."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple
from urllib.parse import urlencode

from leaderboard.blobs import BlobMissingError, open_blob
from leaderboard.models import Artifact
from leaderboard.plain_text import visible
from leaderboard.presenters.viewer import shown_files

MESSAGES_SHOWN = 50
_MAX_BYTES = 4 * 1024 * 1024
_MESSAGE_LENGTH = 500
# The build, and what it was given: the patch before and after compile repair.
_BUILDS = (("final", "final.patch"), ("first", "first.patch"))


class CompilerMessage(NamedTuple):
    """One message; an address is empty where there is nothing to lead to."""

    is_error: bool
    code: str
    place: str
    text: str
    diff_href: str
    log_href: str


@dataclass(frozen=True, slots=True)
class BuildMessages:
    """The messages of one build, errors first; ``build`` is first or final."""

    build: str
    errors: int
    warnings: int
    shown: Sequence[CompilerMessage]

    @property
    def is_cut(self) -> bool:
        return len(self.shown) < self.errors + self.warnings


def build_messages(artifacts: Sequence[Artifact]) -> list[BuildMessages]:
    """Messages of the final build, and of the first one where it had others."""
    kept = {each.name: each for each in artifacts if not each.absence}
    found: list[BuildMessages] = []
    seen: set[str] = set()
    for build, patch in _BUILDS:
        told = kept.get(f"build_{build}.diagnostics.json")
        if told is None or told.sha256 in seen:
            continue
        seen.add(told.sha256)
        messages = stored_messages(told)
        if messages:
            found.append(_of_build(build, messages, kept, patch=patch))
    return found


def _of_build(
    build: str,
    messages: Sequence[dict[str, Any]],
    kept: dict[str, Artifact],
    *,
    patch: str,
) -> BuildMessages:
    errors = [each for each in messages if each.get("severity") != "warning"]
    warnings = [each for each in messages if each.get("severity") == "warning"]
    patches = [each for name, each in kept.items() if name.rpartition("/")[2] == patch]
    lines = _lines_of(patches[0]) if patches else {}
    log = kept.get(f"build_{build}.log")
    shown = []
    for each in [*errors, *warnings][:MESSAGES_SHOWN]:
        file, line = _text(each.get("file")), _whole(each.get("line"))
        anchor = lines.get((file, line))
        shown.append(
            CompilerMessage(
                is_error=each.get("severity") != "warning",
                code=_text(each.get("code")),
                place=_place(file, line, _whole(each.get("column"))),
                text=_text(each.get("message")),
                diff_href=_href(patches[0], anchor=anchor) if anchor else "",
                log_href=_log_href(log, _whole(each.get("log_line"))),
            )
        )
    return BuildMessages(build, len(errors), len(warnings), shown)


def _lines_of(patch: Artifact) -> dict[tuple[str, int | None], str]:
    """The anchor of every new line that the viewer shows of a patch."""
    try:
        with open_blob(patch.sha256) as handle:
            files, _ = shown_files(handle)
    except BlobMissingError:
        return {}
    return {
        (each.file.path, line.new): f"d{number}-{line.new}"
        for number, each in enumerate(files, start=1)
        for line in each.file.lines
        if line.new is not None
    }


def stored_messages(artifact: Artifact) -> list[dict[str, Any]]:
    """The stored messages; what is not of their form is left out."""
    try:
        with open_blob(artifact.sha256) as handle:
            data = json.loads(handle.read(_MAX_BYTES))
    except (BlobMissingError, ValueError, RecursionError):
        return []
    if not isinstance(data, list):
        return []
    return [each for each in data if isinstance(each, dict)]


def _href(artifact: Artifact, *, anchor: str) -> str:
    return f"?{urlencode({'file': artifact.name})}#{anchor}"


def _log_href(log: Artifact | None, line: int | None) -> str:
    if log is None or line is None:
        return ""
    return f"?{urlencode({'file': log.name, 'line': line})}"


def _place(file: str, line: int | None, column: int | None) -> str:
    return ":".join(str(part) for part in (file, line, column) if part)


def _text(value: object) -> str:
    return visible(str(value)[:_MESSAGE_LENGTH]) if value else ""


def _whole(value: object) -> int | None:
    whole = isinstance(value, int) and not isinstance(value, bool) and value > 0
    return value if whole and isinstance(value, int) else None
