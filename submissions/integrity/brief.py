"""What the rules know about a task run beside its trajectory."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class TaskBrief:
    """One task: what everybody may know, and what is hidden from the agent.

    ``base`` holds the text files of the base project by path; it is empty where the
    task package is not held here. ``checks`` are the texts of the check scripts,
    ``scripts`` their file names and ``methods`` the names of their methods. ``hosts``
    are names of this site, from which no agent has anything to fetch.
    """

    slug: str
    title: str = ""
    statement: str = ""
    repository: str = ""
    build_paths: frozenset[str] = frozenset()
    base: Mapping[str, str] = field(default_factory=dict)
    base_paths: frozenset[str] = frozenset()
    reference: str = ""
    checks: tuple[str, ...] = ()
    methods: frozenset[str] = frozenset()
    scripts: frozenset[str] = frozenset()
    repair_limit: int = 5
    hosts: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class RunBrief:
    """What was submitted beside the trajectory; None where it was not reported."""

    final_patch: str = ""
    first_patch: str | None = None
    total_tokens: int | None = None
    first_build_ok: bool | None = None
