"""Made-up rows in any number. They measure the software and are never shown."""

from __future__ import annotations

import random
from datetime import UTC, date, datetime

from leaderboard.models import (
    Benchmark,
    Configuration,
    Evaluation,
    EvaluationSnapshot,
    Provenance,
    Run,
    ScopeName,
    ScopeTotals,
    SnapshotScope,
    SnapshotStatus,
    Task,
    TaskResult,
    TaskSource,
    Visibility,
)

SOURCES = {
    TaskSource.NEW_FEATURE: 32,
    TaskSource.SPEC_DRIVEN: 50,
    TaskSource.BUG_FIX: 71,
}
SCOPES = {ScopeName.OVERALL: 153, **{ScopeName(k): n for k, n in SOURCES.items()}}
RUNS = 3
WHEN = datetime(2026, 11, 2, tzinfo=UTC)


def snapshot(version: str) -> EvaluationSnapshot:
    """An open snapshot of 153 tasks that nobody has written."""
    benchmark, _ = Benchmark.objects.get_or_create(
        slug="synthetic-bench", defaults={"name": "Synthetic Bench"}
    )
    made = EvaluationSnapshot.objects.create(
        benchmark=benchmark,
        version=version,
        title=f"Synthetic {version}",
        status=SnapshotStatus.OPEN,
        task_snapshot_date=date(2026, 11, 1),
        evaluation_scripts=version,
        agent_name="Synthetic agent",
        agent_version="1",
        sdk="API 23",
        toolchain="none",
        device_profile="none",
        device_profile_simulated=True,
        run_count=RUNS,
        repair_limit=5,
        comparability_key=version.ljust(64, "0"),
    )
    SnapshotScope.objects.bulk_create(
        SnapshotScope(snapshot=made, scope=scope, task_count=n, f_point_count=n)
        for scope, n in SCOPES.items()
    )
    sources = [source for source, n in SOURCES.items() for _ in range(n)]
    Task.objects.bulk_create(
        Task(
            snapshot=made,
            slug=f"synthetic-{place:03}",
            title=f"Synthetic task {place}",
            source=source,
            position=place,
        )
        for place, source in enumerate(sources)
    )
    return made


def evaluations(of: EvaluationSnapshot, count: int) -> None:
    """``count`` public evaluations with totals in every scope."""
    chance = random.Random(count)
    configurations = Configuration.objects.bulk_create(
        Configuration(
            model=f"Synthetic-{number:05}",
            provider=f"Provider {number % 12}",
            family=f"Family {number % 7}",
            agent_name=of.agent_name,
            agent_version=of.agent_version,
        )
        for number in range(count)
    )
    made = Evaluation.objects.bulk_create(
        Evaluation(
            snapshot=of,
            configuration=each,
            provenance=Provenance.OFFICIAL,
            visibility=Visibility.PUBLIC,
            comparability_key=of.comparability_key,
            run_count=RUNS,
            simulated=True,
            scored_at=WHEN,
            published_at=WHEN,
        )
        for each in configurations
    )
    ScopeTotals.objects.bulk_create(
        (totals for each in made for totals in _summary(each, chance)),
        batch_size=5_000,
    )


def _summary(evaluation: Evaluation, chance: random.Random) -> list[ScopeTotals]:
    by_scope = {}
    for source, n in SOURCES.items():
        by_scope[ScopeName(source)] = [chance.randint(0, n) for _ in range(RUNS)]
    by_scope[ScopeName.OVERALL] = [
        sum(counts) for counts in zip(*by_scope.values(), strict=True)
    ]
    return [
        ScopeTotals(
            evaluation=evaluation,
            scope=scope,
            task_count=SCOPES[scope],
            run_count=RUNS,
            completed_count=sum(counts),
            completed_by_run=counts,
            first_build_count=sum(counts),
            final_build_count=sum(counts),
            total_tokens=chance.randint(10**6, 10**9),
            agent_milliseconds=chance.randint(10**6, 10**9),
        )
        for scope, counts in by_scope.items()
    ]


def results(run: Run, tasks: list[Task], chance: random.Random) -> list[TaskResult]:
    """One unsaved result for every task of ``run``."""
    found = []
    for task in tasks:
        completed = chance.random() < 0.5
        found.append(
            TaskResult(
                run=run,
                task=task,
                completed=completed,
                reason="" if completed else "check_failed",
                first_build_ok=True,
                final_build_ok=True,
                total_tokens=chance.randint(10**4, 10**7),
                agent_milliseconds=chance.randint(10**4, 10**7),
                f_points_passed=int(completed),
                f_point_count=1,
            )
        )
    return found
