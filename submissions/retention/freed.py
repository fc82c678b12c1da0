"""What a sweep reports."""

from __future__ import annotations

from typing import NamedTuple


class Freed(NamedTuple):
    """One thing that was, or would be, removed. ``what`` is its kind in a few words."""

    what: str
    name: str
    size_bytes: int
