"""What is known of a failed task run when its reasons are looked for.

None means that the evidence is not held here, which is not the same as that it shows
nothing: a rule that needs it then says nothing at all.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple


class FailedPoint(NamedTuple):
    f_point: str
    dimension: str
    message: str


class BuildError(NamedTuple):
    """A message of the compiler; ``log_line`` is where the log of the build has it."""

    text: str
    place: str = ""
    log_line: int | None = None


class Build(NamedTuple):
    """The errors of the final build, and the artifact that holds its log."""

    errors: Sequence[BuildError]
    log: str = ""


class Patch(NamedTuple):
    """Paths that the patch of ``artifact`` changes."""

    artifact: str
    paths: Sequence[str]


class Reference(NamedTuple):
    """Paths that the reference patch changes; ``adds`` where it makes new files."""

    paths: Sequence[str]
    adds: bool


class Repeat(NamedTuple):
    """The same calls ``times`` in a row, up to the record at ``line``."""

    times: int
    line: int | None
    quote: str


class Said(NamedTuple):
    line: int | None
    quote: str


class Trajectory(NamedTuple):
    """What the trajectory in ``artifact`` shows; ``calls`` of tools in all."""

    artifact: str
    calls: int
    repeat: Repeat | None = None
    gave_up: Said | None = None


class OwnTrouble(NamedTuple):
    """How our own machines got in the way before the task run was decided."""

    times: int
    quote: str


@dataclass(frozen=True, slots=True)
class TaskRunFacts:
    """One failed task run; ``reason`` is that of its verdict.

    ``stage`` is where it was decided; empty where no job tells.
    """

    reason: str
    built: bool
    passed: int
    checked: int
    stage: str = ""
    failed_points: Sequence[FailedPoint] = ()
    overruled_because: str | None = None
    build: Build | None = None
    patch: Patch | None = None
    reference: Reference | None = None
    trajectory: Trajectory | None = None
    trouble: OwnTrouble | None = None
