"""Files of a task run shown as text: logs in pages, patches by file."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import BinaryIO, NamedTuple

from django.http import QueryDict

from leaderboard.blobs import BlobMissingError, open_blob
from leaderboard.diffs import DiffFile, diff_files
from leaderboard.models import Artifact
from leaderboard.plain_text import PAGE_LINES, TextPage, text_page
from leaderboard.presenters.ordering import href

_DIFF_SUFFIXES = (".patch", ".diff")
_TEXT_SUFFIXES = (
    *_DIFF_SUFFIXES,
    ".log",
    ".txt",
    ".json",
    ".jsonl",
    ".json5",
    ".xml",
    ".md",
    ".csv",
    ".html",
)
# A patch is shown as one: its files would not survive being cut into pages.
_DIFF_LINES = 5_000
_FOLDED_FROM = 200
_MAX_DIGITS = 9


class PageLink(NamedTuple):
    """Lines ``first`` to ``last`` of a text."""

    first: int
    last: int
    href: str
    current: bool


class ShownFile(NamedTuple):
    """One file of a patch, closed at first where it is long."""

    file: DiffFile
    folded: bool


@dataclass(frozen=True, slots=True)
class Viewer:
    """The file that is shown: numbered lines or files of a patch, or why neither."""

    artifact: Artifact
    missing: bool = False
    text: TextPage | None = None
    numbered: Sequence[tuple[int, str]] = ()
    pages: Sequence[PageLink] = ()
    files: Sequence[ShownFile] = ()
    added: int = 0
    deleted: int = 0

    @property
    def is_diff(self) -> bool:
        return bool(self.files)

    @property
    def diff_cut(self) -> bool:
        """Whether a patch goes on behind what is shown."""
        found = self.text
        return found is not None and (found.bytes_cut or found.page_count > 1)


def is_text(name: str) -> bool:
    """Whether a file is shown as text; everything else is only offered for download."""
    return name.casefold().endswith(_TEXT_SUFFIXES)


def file_to_show(
    artifacts: Sequence[Artifact], wanted: str, *, reason: str
) -> Artifact | None:
    """The file that was asked for, else the one that explains the outcome best."""
    viewable = {
        each.name: each for each in artifacts if is_text(each.name) and not each.absence
    }
    if wanted in viewable:
        return viewable[wanted]
    preferred = [r"final\.patch", r"first\.patch", r".*\.patch", r".*\.log"]
    if reason == "build_failed":
        preferred = [r"(?=.*final).*build.*\.log", r".*build.*\.log", *preferred]
    for pattern in preferred:
        for name, artifact in viewable.items():
            if re.fullmatch(pattern, name):
                return artifact
    return next(iter(viewable.values()), None)


def viewer_of(artifact: Artifact, query: QueryDict) -> Viewer:
    """``?page=`` chooses the part of a log; the last one if it is too large."""
    try:
        if artifact.name.casefold().endswith(_DIFF_SUFFIXES):
            return _diff_viewer(artifact)
        return _text_viewer(artifact, query)
    except BlobMissingError:
        return Viewer(artifact, missing=True)


def line_href(query: QueryDict) -> str:
    """Where ``?line=`` leads: its page of the same file, and there to the line."""
    line = _number(query.get("line", ""))
    if not line:
        return ""
    page = (line - 1) // PAGE_LINES + 1
    return f"{href(query, line=None, page=str(page))}#L{line}"


def _diff_viewer(artifact: Artifact) -> Viewer:
    with open_blob(artifact.sha256) as handle:
        files, text = shown_files(handle)
    return Viewer(
        artifact,
        text=text,
        files=files,
        added=sum(each.file.added for each in files),
        deleted=sum(each.file.deleted for each in files),
    )


def shown_files(handle: BinaryIO) -> tuple[list[ShownFile], TextPage]:
    """The files of a patch, and the text as far as it was read."""
    text = text_page(handle, 1, size=_DIFF_LINES)
    files = diff_files(text.lines)
    return [ShownFile(each, len(each.lines) > _FOLDED_FROM) for each in files], text


def _text_viewer(artifact: Artifact, query: QueryDict) -> Viewer:
    page = _number(query.get("page", "")) or 1
    with open_blob(artifact.sha256) as handle:
        text = text_page(handle, page)
        if page > text.page_count:
            page = text.page_count
            handle.seek(0)
            text = text_page(handle, page)
    return Viewer(
        artifact,
        text=text,
        numbered=list(enumerate(text.lines, start=text.first)),
        pages=_pages(artifact, text, page) if text.page_count > 1 else [],
    )


def _pages(artifact: Artifact, text: TextPage, current: int) -> list[PageLink]:
    """The first and the last page, and those around the current one."""
    near = {1, text.page_count, *range(current - 2, current + 3)}
    base = QueryDict(mutable=True)
    base["file"] = artifact.name
    return [
        PageLink(
            first=(page - 1) * PAGE_LINES + 1,
            last=min(page * PAGE_LINES, text.line_count),
            href=href(base, page=str(page)) + "#viewer",
            current=page == current,
        )
        for page in sorted(near)
        if 1 <= page <= text.page_count
    ]


def _number(text: str) -> int:
    """A number from 1 as an address may carry it; 0 for anything else."""
    if text.isascii() and text.isdecimal() and len(text) <= _MAX_DIGITS:
        return int(text)
    return 0
