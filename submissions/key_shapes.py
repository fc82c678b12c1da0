"""Finding keys and passwords that were left in an upload.

Artifacts become public, so a bundle that holds something shaped like a key is refused.
Only well-known shapes count; a guess by randomness alone would refuse honest logs.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO, NamedTuple

from submissions.archive.limits import MIB

_WINDOW_BYTES = 4 * MIB
_LONGEST_SHAPE = 512
_VISIBLE = 6


class FoundKey(NamedTuple):
    """A likely key: its kind, the line it is on, its first characters."""

    kind: str
    line: int
    masked: str


# Each begins with a literal, which the search finds fast, and has a bounded length,
# so that no text makes it slow.
_SHAPES = {
    re.compile(pattern): kind
    for pattern, kind in {
        rb"sk-[A-Za-z0-9_-]{24,256}": "model provider key",
        rb"AKIA[0-9A-Z]{16}": "AWS access key",
        rb"ASIA[0-9A-Z]{16}": "AWS session key",
        rb"AIza[0-9A-Za-z_-]{35}": "Google API key",
        rb"LTAI[0-9A-Za-z]{16,24}": "Alibaba Cloud key",
        rb"gh[pousr]_[0-9A-Za-z]{36,255}": "GitHub token",
        rb"github_pat_[0-9A-Za-z_]{40,255}": "GitHub token",
        rb"glpat-[0-9A-Za-z_-]{20,255}": "GitLab token",
        rb"hf_[0-9A-Za-z]{30,64}": "Hugging Face token",
        rb"npm_[0-9A-Za-z]{36}": "npm token",
        rb"pypi-AgE[0-9A-Za-z_-]{40,255}": "PyPI token",
        rb"xox[bp]-[0-9]{8,14}-[0-9A-Za-z-]{16,200}": "Slack token",
        rb"ohb_[0-9a-f]{64}": "API token of this site",
        rb"-----BEGIN (?:[A-Z0-9]{1,12} ){0,3}PRIVATE KEY-----": "private key",
    }.items()
}
_LONG_PART = re.compile(rb"[A-Za-z0-9]{16}")


def find_keys(path: Path, *, limit: int = 5) -> list[FoundKey]:
    """The first ``limit`` likely keys in a file, in order; memory stays bounded."""
    found: list[FoundKey] = []
    with path.open("rb") as stream:
        for line, window, fresh in _windows(stream):
            for at, kind, key in sorted(_in_window(window, fresh)):
                found.append(
                    FoundKey(
                        kind,
                        line + window.count(b"\n", 0, at),
                        key[:_VISIBLE].decode("ascii") + "…",
                    )
                )
                if len(found) == limit:
                    return found
    return found


def _windows(stream: BinaryIO) -> Iterator[tuple[int, bytes, range]]:
    """Overlapping pieces: number of the first line, bytes, where keys may begin.

    A key that begins behind that range is found whole in the next piece.
    """
    line, begin = 1, 0
    window = stream.read(_WINDOW_BYTES)
    while window:
        more = stream.read(_WINDOW_BYTES)
        end = len(window) - _LONGEST_SHAPE if more else len(window)
        yield line, window, range(begin, end)
        if not more:
            return
        # One judged byte stays in front: it decides where a word begins.
        keep = max(end - 1, 0)
        begin = end - keep
        line += window.count(b"\n", 0, keep)
        window = window[keep:] + more


def _in_window(window: bytes, fresh: range) -> Iterator[tuple[int, str, bytes]]:
    for shape, kind in _SHAPES.items():
        for match in shape.finditer(window):
            if (
                match.start() in fresh
                and _stands_alone(window, match)
                and _looks_random(match[0])
            ):
                yield match.start(), kind, match[0]


def _stands_alone(window: bytes, match: re.Match[bytes]) -> bool:
    """Whether a word begins and ends here: "task-..." holds no key."""
    before = window[match.start() - 1 : match.start()] if match.start() else b""
    after = window[match.end() : match.end() + 1]
    return not (before.isalnum() or before == b"_" or after.isalnum())


def _looks_random(key: bytes) -> bool:
    """Words joined by hyphens have no long part with both letters and digits."""
    if key.startswith(b"-----"):
        return True
    has_digit = any(byte in b"0123456789" for byte in key)
    return has_digit and _LONG_PART.search(key) is not None
