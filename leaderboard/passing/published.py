"""Loads published pass rates: rates as they were printed, and no counts.

Which task runs passed was not published, so none are made, and no run either.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, time
from pathlib import Path

from django.db import transaction

from leaderboard.comparability import comparability_key, conditions_of
from leaderboard.models import (
    Benchmark,
    Configuration,
    Evaluation,
    EvaluationSnapshot,
    PassTotals,
    Provenance,
    ScoringPolicy,
    SnapshotStatus,
    Stream,
    Visibility,
)
from leaderboard.passing.published_format import (
    PassResults,
    PassSnapshot,
    RatedConfiguration,
)
from leaderboard.published import Loaded, PublishedFiguresError, read_checked

# Beside the files of v1.0, which are named after what they hold.
PATTERN = "*-bench-*.json"


@dataclass(frozen=True, slots=True)
class _Row:
    """A row of a source, and where and when it stands."""

    snapshot: EvaluationSnapshot
    published_at: datetime
    configuration: RatedConfiguration


def load_guests(folder: Path) -> list[Loaded]:
    """Load each file of another benchmark in ``folder``, in the order of their names.

    Loading twice changes nothing; what maintainers have withdrawn stays withdrawn.
    """
    return [load_guest(path) for path in sorted(folder.glob(PATTERN))]


@transaction.atomic
def load_guest(path: Path) -> Loaded:
    """Load one file of published pass rates."""
    results = read_checked(path, PassResults)
    snapshot = _save_snapshot(results, path)
    dated = results.source.dated
    if results.configurations and dated is None:
        raise PublishedFiguresError(
            f"{path}, source.dated: null; rows need the day of their publication."
        )
    created_count = 0
    for configuration in results.configurations:
        assert dated is not None  # noqa: S101 - refused above
        at = datetime.combine(dated, time(), tzinfo=UTC)
        created_count += _save_evaluation(_Row(snapshot, at, configuration))
    return Loaded(snapshot, len(results.configurations), created_count)


def _save_snapshot(results: PassResults, path: Path) -> EvaluationSnapshot:
    found = results.snapshot
    benchmark = _benchmark(found, path)
    run_counts = {each.rates.runs for each in results.configurations}
    fixed = found.runs_per_task
    if fixed is None and not run_counts:
        raise PublishedFiguresError(
            f"{path}, snapshot.runs_per_task: null; without rows nothing else says it."
        )
    snapshot, _ = EvaluationSnapshot.objects.update_or_create(
        benchmark=benchmark,
        version=found.version,
        defaults={
            "title": found.title,
            "status": SnapshotStatus.FROZEN,
            "task_snapshot_date": found.date,
            "date_of": found.date_of,
            "agent_name": found.agent or "",
            "run_count": fixed or min(run_counts),
            "runs_differ": fixed is None,
            "repair_limit": 0,
            "composition": {
                "source": results.source.model_dump(mode="json"),
                "note": results.note,
                "tasks": found.tasks,
                "quoted": [each.model_dump(mode="json") for each in results.quoted],
            },
        },
    )
    snapshot.comparability_key = comparability_key(conditions_of(snapshot))
    snapshot.save(update_fields=["comparability_key"])
    for position, stream in enumerate(found.streams):
        facts = stream.model_dump(mode="json", include={"focus", "lines", "files"})
        Stream.objects.update_or_create(
            snapshot=snapshot,
            slug=stream.slug,
            defaults={
                "names": stream.names,
                "task_count": stream.tasks,
                "position": position,
                "facts": facts,
            },
        )
    return snapshot


def _benchmark(found: PassSnapshot, path: Path) -> Benchmark:
    """A guest of this policy; refused where the site knows it as something else."""
    benchmark, _ = Benchmark.objects.get_or_create(
        slug=found.benchmark.slug,
        defaults={
            "name": found.benchmark.name,
            "policy": ScoringPolicy.PASS_AND_COMPLETION,
            "guest": True,
        },
    )
    if benchmark.policy != ScoringPolicy.PASS_AND_COMPLETION:
        raise PublishedFiguresError(
            f"{path}, snapshot.benchmark.slug: {benchmark.slug!r} is a benchmark with "
            f"the policy {benchmark.policy}. Pass rates cannot stand in its tables; "
            "name another benchmark."
        )
    return benchmark


def _save_evaluation(row: _Row) -> bool:
    """Write one row; True when it was not there before."""
    snapshot, rates = row.snapshot, row.configuration.rates
    configuration, _ = Configuration.objects.get_or_create(
        model=row.configuration.model,
        provider=row.configuration.provider,
        agent_name=snapshot.agent_name,
        agent_version="",
        run_parameters={},
    )
    facts = {
        "comparability_key": snapshot.comparability_key,
        "run_count": rates.runs,
        "runs_in_order": False,
        "scored_at": row.published_at,
        "published_at": row.published_at,
    }
    evaluation, created = Evaluation.objects.update_or_create(
        snapshot=snapshot,
        configuration=configuration,
        provenance=Provenance.PUBLISHED,
        defaults=facts,
        create_defaults={**facts, "visibility": Visibility.PUBLIC},
    )
    PassTotals.objects.update_or_create(
        evaluation=evaluation,
        stream=None,
        defaults={"run_count": rates.runs, "printed": rates.model_dump(mode="json")},
    )
    return created
