"""Loads the figures of the v1.0 report: whole counts, with the printed digits beside.

No runs are made: the report gives neither the order of the runs nor which run had
which count of each task source.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, time
from decimal import Decimal
from pathlib import Path
from typing import TypeVar

from django.db import transaction
from pydantic import BaseModel, ValidationError

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
from leaderboard.published_format import (
    Composition,
    PublishedConfiguration,
    PublishedFigures,
    PublishedResults,
    PublishedSnapshot,
)

RESULTS = "results-v1.0.json"
COMPOSITION = "benchmark-v1.0.json"


class PublishedFiguresError(ValueError):
    """The files with the published figures cannot be loaded."""


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
    results = read_checked(folder / RESULTS, PublishedResults)
    composition = read_checked(folder / COMPOSITION, Composition)
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


def read_checked(path: Path, model: type[Checked]) -> Checked:
    """The content of ``path``; PublishedFiguresError names the first thing wrong."""
    try:
        return model.model_validate_json(_read(path))
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(str(part) for part in first["loc"])
        raise PublishedFiguresError(
            f"{path}, {place or 'the file'}: {first['msg']}; "
            f"saw {first['input']!r:.80}."
        ) from None


def _save_snapshot(
    found: PublishedSnapshot, composition: Composition
) -> EvaluationSnapshot:
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
            "composition": composition.model_dump(exclude={"contamination"}),
            "contamination": dict(composition.contamination),
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
    snapshot: EvaluationSnapshot,
    found: PublishedConfiguration,
    *,
    results: PublishedResults,
) -> bool:
    """Write one row of the report; True when it was not there before."""
    configuration = _configuration(snapshot, found)
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


def _configuration(
    snapshot: EvaluationSnapshot, found: PublishedConfiguration
) -> Configuration:
    """The configuration of an earlier loading, else one that is the same, else new."""
    same = {
        "model": found.model,
        "provider": found.provider,
        "agent_name": snapshot.agent_name,
        "agent_version": snapshot.agent_version,
    }
    earlier = Configuration.objects.filter(
        **same,
        evaluations__snapshot=snapshot,
        evaluations__provenance=Provenance.PUBLISHED,
    ).first()
    if earlier is not None:
        return earlier
    facts = {
        **same,
        "family": found.family,
        "run_parameters": snapshot.run_parameters,
    }
    known = Configuration.objects.filter(**facts).order_by("pk").first()
    return known or Configuration.objects.create(**facts)


def _save_totals(
    evaluation: Evaluation, scope: Scope, *, figures: PublishedFigures, task_count: int
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
