"""Texts as words, and runs of words as digests: what two texts have in common."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Collection, Iterator

_WORD = re.compile(r"\w+|[^\w\s]")
_NAME = re.compile(r"\w{2,}")


def words_of(text: str) -> Iterator[str]:
    """Words and signs, one by one; space and its amount do not count."""
    for found in _WORD.finditer(text):
        yield found[0]


def distinct_words(text: str) -> set[str]:
    """The words of two letters and more, in lower case."""
    return {found[0].casefold() for found in _NAME.finditer(text)}


def shingles(text: str, size: int) -> set[int]:
    """Digests of every run of ``size`` words; empty for a shorter text.

    They hold within one process only.
    """
    return {digest for digest, _ in placed_shingles(text, size)}


def placed_shingles(text: str, size: int) -> Iterator[tuple[int, int]]:
    """The digests with the place in ``text`` where each run begins."""
    window: deque[tuple[str, int]] = deque(maxlen=size)
    for found in _WORD.finditer(text):
        window.append((found[0], found.start()))
        if len(window) == size:
            yield hash(tuple(word for word, _ in window)), window[0][1]


def share_of(part: Collection[int], whole: Collection[int]) -> float:
    """How much of ``part`` is in ``whole``: 0 to 1, and 0 where there is no part."""
    return sum(each in whole for each in part) / len(part) if part else 0.0
