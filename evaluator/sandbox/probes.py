"""Trying a sandbox out from inside."""

from __future__ import annotations

from dataclasses import dataclass

from evaluator.sandbox.base import Sandbox


@dataclass(frozen=True, slots=True)
class ProbeResult:
    """One attempt to get out; ``ok`` when the sandbox held."""

    name: str
    ok: bool
    detail: str


def probe(sandbox: Sandbox) -> list[ProbeResult]:
    return []
