"""What an upload may look like inside: bundle, prediction files, Harbor jobs."""

from __future__ import annotations

from collections.abc import Iterable

from submissions.archive import Member
from submissions.archive.shapes import Shape, shape_of

__all__ = ["Shape", "detect"]


def detect(members: Iterable[Member]) -> Shape:
    """The format of an upload, by what is in it. The one place that decides."""
    return shape_of(member.name for member in members)
