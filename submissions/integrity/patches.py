"""Rules on a submitted patch: how near it is to the reference and to the checks."""

from __future__ import annotations

import re
from collections.abc import Iterator

from submissions.integrity.brief import TaskBrief
from submissions.integrity.catalogue import Code
from submissions.integrity.diffs import added_lines
from submissions.integrity.sightings import Sighting, excerpt
from submissions.integrity.words import share_of, shingles

# A small change has few ways to be written; two authors may well agree on it.
_WORDS = 5
_FEWEST_SHINGLES = 60
_NEARLY = 0.9
_LONG_COMMENT = 40
_COMMENT = re.compile(r"(?://|/?\*+)\s?(.{1,400}?)\s*(?:\*/)?\s*$")
_WORD = re.compile(r"\w{1,200}")
_SPACE = re.compile(r"\s+")


def patch_sightings(patch: str, brief: TaskBrief) -> Iterator[Sighting]:
    """What ``patch`` shares with checks and reference and has from nowhere else."""
    yield from _check_names(patch, brief)
    if not brief.reference:
        return
    yield from _similarity(patch, brief)
    yield from _comments(patch, brief)


def _check_names(patch: str, brief: TaskBrief) -> Iterator[Sighting]:
    """Names of check methods and scripts, which no work on the task comes to know."""
    # A name of one word, such as "chat", may be anybody's.
    names = brief.methods | {name.removesuffix(".py") for name in brief.scripts}
    hidden = {name for name in names if "_" in name}
    told = [
        (word, line)
        for line in added_lines(patch)
        for word in _WORD.findall(line)
        if word in hidden
    ]
    if told:
        in_the_open = "\n".join((brief.statement, *brief.base, *brief.base.values()))
        known = set(_WORD.findall(in_the_open))
        for word, line in told:
            if word not in known:
                yield Sighting(Code.CHECK_NAMES, 0.9, excerpt(line))


def _similarity(patch: str, brief: TaskBrief) -> Iterator[Sighting]:
    reference = shingles(added_code(brief.reference), _WORDS)
    submitted = shingles(added_code(patch), _WORDS)
    if len(reference) < _FEWEST_SHINGLES:
        return
    share = share_of(reference, submitted)
    if share >= _NEARLY:
        seen = f"{share:.0%} of the reference's runs of {_WORDS} words are in the patch"
        yield Sighting(Code.REFERENCE_SIMILAR, share, seen)


def _comments(patch: str, brief: TaskBrief) -> Iterator[Sighting]:
    shared = _long_comments(patch) & _long_comments(brief.reference)
    if not shared:
        return
    open_texts = (brief.statement, *brief.base.values())
    known = _SPACE.sub(" ", "\n".join(open_texts)).casefold()
    for comment in sorted(shared):
        if comment not in known:
            yield Sighting(Code.REFERENCE_COMMENT, 0.9, excerpt(comment))


def added_code(patch: str) -> str:
    """What a patch adds, without the lines that are comments alone."""
    lines = (line.strip() for line in added_lines(patch))
    return "\n".join(line for line in lines if not line.startswith(("//", "/*", "*")))


def _long_comments(patch: str) -> set[str]:
    found = set()
    for line in added_lines(patch):
        comment = _COMMENT.search(line.strip())
        if comment and len(comment[1]) >= _LONG_COMMENT:
            found.add(_SPACE.sub(" ", comment[1]).casefold().strip())
    return found
