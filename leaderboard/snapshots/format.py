"""The task-package format: what ``snapshot.json`` and ``task.json`` may hold."""

from __future__ import annotations

from datetime import date
from typing import Annotated, Literal, TypeAlias

from pydantic import BaseModel, ConfigDict, Field

from leaderboard.models import Difficulty, TaskSource

# One name of a folder or file: no separators, nothing that a shell or URL must escape.
SLUG = r"^[a-z0-9]+(-[a-z0-9]+)*$"
VERSION = r"^[A-Za-z0-9][A-Za-z0-9._-]*$"
IDENTIFIER = r"^[A-Za-z_][A-Za-z0-9_]*$"
KIT = r"^[A-Za-z0-9][A-Za-z0-9 ._-]*$"
BUNDLE_NAME = r"^[A-Za-z][A-Za-z0-9_]*(\.[A-Za-z][A-Za-z0-9_]*)+$"

Line: TypeAlias = Annotated[str, Field(min_length=1, pattern=r"^[^\x00-\x1f\x7f]+$")]


class FormatModel(BaseModel):
    """Every field is known, typed and required unless it has a default."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


class BenchmarkName(FormatModel):
    slug: str = Field(pattern=SLUG, max_length=50)
    name: Line = Field(max_length=100)


class Agent(FormatModel):
    name: Line = Field(max_length=80)
    version: Line = Field(max_length=40)


class DeviceProfile(FormatModel):
    name: Line = Field(max_length=120)
    simulated: bool
    resolution_px: list[int] | None = Field(default=None, min_length=2, max_length=2)
    screen_inches: float | None = Field(default=None, gt=0)

    def facts(self) -> dict[str, object]:
        """What is recorded of the device beside its name."""
        return self.model_dump(exclude={"name", "simulated"}, exclude_none=True)


class SnapshotFile(FormatModel):
    """``snapshot.json``.

    Where it ``asks_for_trajectories``, an evaluation with a completed task run without
    one is unverified and not ranked.
    """

    format: Literal[1]
    benchmark: BenchmarkName
    version: str = Field(pattern=VERSION, max_length=40)
    title: Line = Field(max_length=100)
    task_snapshot_date: date
    evaluation_scripts: Line = Field(max_length=80)
    agent: Agent
    prompt_template: list[Line]
    run_parameters: dict[str, int | float | str | bool]
    sdk: Line = Field(max_length=40)
    toolchain: Line = Field(max_length=80)
    device_profile: DeviceProfile
    runs: int = Field(ge=1, le=100)
    repair_limit: int = Field(ge=0, le=100)
    asks_for_trajectories: bool = False
    publish_references: bool = False


class FPointEntry(FormatModel):
    """One F-point: the method of a Hypium case that decides it."""

    id: str = Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]*$", max_length=40)
    scenario: Line = Field(max_length=200)
    description: str = Field(min_length=1)
    case: str = Field(pattern=IDENTIFIER, max_length=80)
    method: str = Field(pattern=IDENTIFIER, max_length=80)
    dimension: str = Field(default="functional", pattern=SLUG, max_length=20)
    weight: int = Field(default=1, ge=1, le=1000)


class TaskFile(FormatModel):
    """``tasks/<slug>/task.json``."""

    slug: str = Field(pattern=SLUG, max_length=80)
    source: TaskSource
    title: Line = Field(max_length=160)
    difficulty: Difficulty
    repository: Line = Field(max_length=200)
    base_commit: str = Field(pattern=r"^[0-9a-f]{7,64}$")
    bundle_name: str = Field(pattern=BUNDLE_NAME, max_length=120)
    kits: list[Annotated[str, Field(pattern=KIT, max_length=50)]]
    build_paths: list[Line]
    f_points: list[FPointEntry] = Field(min_length=1)
