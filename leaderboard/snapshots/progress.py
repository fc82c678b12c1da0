"""How far a long reading or copying has come, told to whoever wants to know."""

from __future__ import annotations

from typing import Protocol


class Progress(Protocol):
    """Called after each of ``total`` parts of a step; ``step`` is English."""

    def __call__(self, step: str, done: int, total: int) -> None: ...


def silent(step: str, done: int, total: int) -> None:
    """For callers that nobody watches."""
