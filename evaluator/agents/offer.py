"""What can be evaluated: an agent with its version, and a model with its provider."""

from __future__ import annotations

from typing import NamedTuple


class Offer(NamedTuple):
    """All four as manifests name them; its text is how jobs ask for it.

    >>> str(Offer("OpenCode", "1.18.33", "Sample Lab", "sample-1"))
    'OpenCode 1.18.33 with sample-1 of Sample Lab'
    """

    agent: str
    version: str
    provider: str
    model: str

    def __str__(self) -> str:
        return f"{self.agent} {self.version} with {self.model} of {self.provider}"
