"""Loads the figures of the v1.0 report: whole counts, with the printed digits beside.

No runs are made: the report gives neither the order of the runs nor which run had
which count of each task source.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, date, datetime, time
from decimal import Decimal
from pathlib import Path
from typing import TypeVar

from django.db import transaction
from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from leaderboard.comparability import comparability_key, conditions_of
from leaderboard.metrics import Scope
from leaderboard.models import (
    Benchmark,
    Configuration,
    Evaluation,
    EvaluationSnapshot,
    Provenance,
    ScopeTotals,
    SnapshotScope,
    SnapshotStatus,
    Visibility,
)
from leaderboard.snapshots.format import (
    Agent,
    BenchmarkName,
    DeviceProfile,
    FormatModel,
)

RESULTS = "results-v1.0.json"
COMPOSITION = "benchmark-v1.0.json"


class PublishedFiguresError(ValueError):
    """The files with the published figures cannot be loaded."""


class _Source(FormatModel):
    title: str
    identifier: str
    published_on: date
    tables: str


class _Denominator(FormatModel):
    tasks: int = Field(ge=1)
    f_points: int = Field(ge=1)


class _Snapshot(FormatModel):
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
    scopes: dict[Scope, _Denominator]


class _Printed(FormatModel):
    """The figures digit by digit: percent, million tokens, seconds."""

    task_completion_mean: str
    task_completion_min: str
    task_completion_max: str
    first_build: str
    final_build: str
    tokens_per_task_millions: str
    seconds_per_task: str


class _Figures(FormatModel):
    completed_by_run: list[int]
    first_build_count: int = Field(ge=0)
    final_build_count: int = Field(ge=0)
    printed: _Printed


class _Configuration(FormatModel):
    model: str
    provider: str
    family: str
    scopes: dict[Scope, _Figures]


class _Results(FormatModel):
    source: _Source
    note: str
    snapshot: _Snapshot
    configurations: list[_Configuration]

    @model_validator(mode="after")
    def every_row_has_every_scope(self) -> _Results:
        wanted = set(self.snapshot.scopes)
        for configuration in self.configurations:
            if set(configuration.scopes) != wanted:
                raise ValueError(
                    f"{configuration.model} needs the scopes "
                    f"{', '.join(sorted(wanted))} and no others"
                )
        return self


class _Baseline(BaseModel):
    model_config = ConfigDict(extra="allow")

    completed: int


class _Composition(BaseModel):
    """The composition; only the part that has columns of its own is checked."""

    model_config = ConfigDict(extra="allow")

    floor: _Baseline
    ceiling: _Baseline


@dataclass(frozen=True, slots=True)
class Loaded:
    """What one loading did."""

    snapshot: EvaluationSnapshot
    evaluation_count: int
    created_count: int


@transaction.atomic
def load_published(folder: Path) -> Loaded:
    """Load the published figures of ``folder``; loading twice changes nothing.

    An evaluation that a maintainer has withdrawn since stays withdrawn.
    """
    results = _read_checked(folder / RESULTS, _Results)
    composition = _read_checked(folder / COMPOSITION, _Composition)
    snapshot = _save_snapshot(results.snapshot, composition)
    created_count = sum(
        _save_evaluation(snapshot, configuration, results=results)
        for configuration in results.configurations
    )
    return Loaded(snapshot, len(results.configurations), created_count)


def _read(path: Path) -> str:
    try:
        return path.read_text("utf-8")
    except OSError as error:
        raise PublishedFiguresError(
            f"{path} cannot be read: {error.strerror}. "
            "Name the folder that holds the published figures."
        ) from None


Checked = TypeVar("Checked", bound=BaseModel)


def _read_checked(path: Path, model: type[Checked]) -> Checked:
    try:
        return model.model_validate_json(_read(path))
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(str(part) for part in first["loc"])
        raise PublishedFiguresError(
            f"{path}, {place or 'the file'}: {first['msg']}; "
            f"saw {first['input']!r:.80}."
        ) from None


def _save_snapshot(found: _Snapshot, composition: _Composition) -> EvaluationSnapshot:
    benchmark, _ = Benchmark.objects.get_or_create(
        slug=found.benchmark.slug, defaults={"name": found.benchmark.name}
    )
    snapshot, _ = EvaluationSnapshot.objects.update_or_create(
        benchmark=benchmark,
        version=found.version,
        defaults={
            "title": found.title,
            "status": SnapshotStatus.FROZEN,
            "task_snapshot_date": found.task_snapshot_date,
            "evaluation_scripts": found.evaluation_scripts,
            "agent_name": found.agent.name,
            "agent_version": found.agent.version,
            "sdk": found.sdk,
            "toolchain": found.toolchain,
            "device_profile": found.device_profile.name,
            "device_profile_simulated": found.device_profile.simulated,
            "device_facts": found.device_profile.facts(),
            "prompt_template": found.prompt_template,
            "run_parameters": found.run_parameters,
            "run_count": found.runs,
            "repair_limit": found.repair_limit,
            "composition": composition.model_dump(),
            "floor_completed": composition.floor.completed,
            "ceiling_completed": composition.ceiling.completed,
        },
    )
    snapshot.comparability_key = comparability_key(conditions_of(snapshot))
    snapshot.save(update_fields=["comparability_key"])
    for scope, denominator in found.scopes.items():
        SnapshotScope.objects.update_or_create(
            snapshot=snapshot,
            scope=scope,
            defaults={
                "task_count": denominator.tasks,
                "f_point_count": denominator.f_points,
            },
        )
    return snapshot


def _save_evaluation(
    snapshot: EvaluationSnapshot, found: _Configuration, *, results: _Results
) -> bool:
    """Write one row of the report; True when it was not there before."""
    configuration, _ = Configuration.objects.update_or_create(
        model=found.model,
        provider=found.provider,
        agent_name=snapshot.agent_name,
        agent_version=snapshot.agent_version,
        run_parameters=snapshot.run_parameters,
        defaults={"family": found.family},
    )
    published_at = datetime.combine(results.source.published_on, time(), tzinfo=UTC)
    facts = {
        "comparability_key": snapshot.comparability_key,
        "run_count": snapshot.run_count,
        "simulated": snapshot.device_profile_simulated,
        "runs_in_order": False,
        "scored_at": published_at,
        "published_at": published_at,
    }
    evaluation, created = Evaluation.objects.update_or_create(
        snapshot=snapshot,
        configuration=configuration,
        provenance=Provenance.PUBLISHED,
        defaults=facts,
        create_defaults={**facts, "visibility": Visibility.PUBLIC},
    )
    for scope, figures in found.scopes.items():
        _save_totals(
            evaluation,
            scope,
            figures=figures,
            task_count=results.snapshot.scopes[scope].tasks,
        )
    return created


def _save_totals(
    evaluation: Evaluation, scope: Scope, *, figures: _Figures, task_count: int
) -> None:
    task_runs = task_count * evaluation.run_count
    printed = figures.printed
    ScopeTotals.objects.update_or_create(
        evaluation=evaluation,
        run=None,
        scope=scope,
        defaults={
            "task_count": task_count,
            "run_count": evaluation.run_count,
            "completed_count": sum(figures.completed_by_run),
            "completed_by_run": sorted(figures.completed_by_run),
            "first_build_count": figures.first_build_count,
            "final_build_count": figures.final_build_count,
            "total_tokens": _whole(
                Decimal(printed.tokens_per_task_millions) * 1_000_000 * task_runs
            ),
            "agent_milliseconds": _whole(
                Decimal(printed.seconds_per_task) * 1000 * task_runs
            ),
            "printed": printed.model_dump(),
        },
    )


def _whole(value: Decimal) -> int:
    if value != value.to_integral_value():
        raise PublishedFiguresError(
            f"{value} is not a whole number. Printed figures have at most 6 decimals "
            "for million tokens and 3 for seconds."
        )
    return int(value)
