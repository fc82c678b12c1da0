"""How alike two patches are, without reading both of every pair.

What a patch adds is taken as runs of ``WORDS`` words (space, comments and what its task
already has do not count); two patches are as alike as the share of such runs that both
have among those that either has (Jaccard). A sketch keeps the smallest digests of the
runs: they are a fair sample of the union, so most pairs are settled by them, and only
those that may reach ``NEARLY`` are compared run by run.
"""

from __future__ import annotations

import struct
from collections import deque
from collections.abc import Iterator, Set
from hashlib import blake2b
from heapq import nsmallest
from typing import NamedTuple

from submissions.integrity.brief import TaskBrief
from submissions.integrity.patches import added_code
from submissions.integrity.words import words_of

WORDS = 5
# Smaller changes have few ways to be written.
FEWEST = 60
NEARLY = 0.9
# What a sample may be wrong by: four times its deviation at NEARLY.
_MAY_REACH = 0.79
_KEPT = 128
_DIGEST = struct.Struct(">Q")


class Sketch(NamedTuple):
    """``signature`` holds the smallest of ``size`` digests, in their order."""

    size: int
    signature: bytes


def patch_shingles(patch: str, brief: TaskBrief) -> set[int]:
    """Digests of what a patch adds and has from nowhere in the open."""
    added = set(_digests(added_code(patch)))
    if added:
        for text in (brief.statement, *brief.base.values()):
            added.difference_update(_digests(text))
    return added


def sketch_of(shingles: Set[int]) -> Sketch:
    smallest = nsmallest(_KEPT, shingles)
    return Sketch(len(shingles), b"".join(map(_DIGEST.pack, smallest)))


def sizes_like(count: int) -> tuple[int, int]:
    """How many runs a patch can have that is nearly the same as one of ``count``."""
    return max(FEWEST, int(count * NEARLY)), int(count / NEARLY) + 1


def sample_of(signature: bytes) -> frozenset[int]:
    """The digests that a sketch keeps."""
    return frozenset(number for (number,) in _DIGEST.iter_unpack(signature))


def may_be_alike(one: frozenset[int], other: frozenset[int]) -> bool:
    """False only where two samples are surely, or all but surely, of patches less than
    nearly alike.
    """
    union = sorted(one | other)[:_KEPT]
    shared = len((one & other).intersection(union))
    return bool(union) and shared >= _MAY_REACH * len(union)


def likeness(one: Set[int], other: Set[int]) -> float:
    """The share of common runs, 0 to 1."""
    union = len(one | other)
    return len(one & other) / union if union else 0.0


def _digests(text: str) -> Iterator[int]:
    """Digests that are the same in every process and on every machine."""
    window: deque[str] = deque(maxlen=WORDS)
    for word in words_of(text):
        window.append(word)
        if len(window) == WORDS:
            data = "\0".join(window).encode("utf-8", "surrogatepass")
            yield _DIGEST.unpack(blake2b(data, digest_size=8).digest())[0]
