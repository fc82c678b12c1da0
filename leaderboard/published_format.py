"""The files of published figures: what they may hold."""

from __future__ import annotations

from datetime import date

from pydantic import BaseModel, ConfigDict, Field, model_validator

from leaderboard.metrics import Scope
from leaderboard.models import TaskSource
from leaderboard.snapshots.format import (
    Agent,
    BenchmarkName,
    DeviceProfile,
    FormatModel,
)


class Source(FormatModel):
    title: str
    identifier: str
    published_on: date
    tables: str


class Denominator(FormatModel):
    tasks: int = Field(ge=1)
    f_points: int = Field(ge=1)


class PublishedSnapshot(FormatModel):
    benchmark: BenchmarkName
    version: str
    title: str
    task_snapshot_date: date
    evaluation_scripts: str
    agent: Agent
    prompt_template: list[str]
    run_parameters: dict[str, int]
    sdk: str
    toolchain: str
    device_profile: DeviceProfile
    runs: int = Field(ge=1)
    repair_limit: int = Field(ge=0)
    scopes: dict[Scope, Denominator]


class PrintedFigures(FormatModel):
    """The figures digit by digit: percent, million tokens, seconds."""

    task_completion_mean: str
    task_completion_min: str
    task_completion_max: str
    first_build: str
    final_build: str
    tokens_per_task_millions: str
    seconds_per_task: str


class PublishedFigures(FormatModel):
    completed_by_run: list[int]
    first_build_count: int = Field(ge=0)
    final_build_count: int = Field(ge=0)
    printed: PrintedFigures


class PublishedConfiguration(FormatModel):
    model: str
    provider: str
    family: str
    scopes: dict[Scope, PublishedFigures]


class PublishedResults(FormatModel):
    source: Source
    note: str
    snapshot: PublishedSnapshot
    configurations: list[PublishedConfiguration]

    @model_validator(mode="after")
    def every_row_has_every_scope(self) -> PublishedResults:
        wanted = set(self.snapshot.scopes)
        for configuration in self.configurations:
            if set(configuration.scopes) != wanted:
                raise ValueError(
                    f"{configuration.model} needs the scopes "
                    f"{', '.join(sorted(wanted))} and no others"
                )
        return self


class Baseline(BaseModel):
    model_config = ConfigDict(extra="allow")

    completed: int


class Composition(BaseModel):
    """The composition; only the part that has columns of its own is checked."""

    model_config = ConfigDict(extra="allow")

    floor: Baseline
    ceiling: Baseline
    contamination: dict[TaskSource, str] = {}
