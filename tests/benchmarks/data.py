"""Made-up rows in any number. They measure the software and are never shown."""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, date, datetime
from typing import Any

from leaderboard import bulk
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
TOTALS_COLUMNS = (
    *("evaluation_id", "run_id", "scope", "task_count", "run_count"),
    *("completed_count", "completed_by_run", "first_build_count"),
    *("final_build_count", "total_tokens", "agent_milliseconds"),
)


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
    bulk.insert(
        ScopeTotals,
        TOTALS_COLUMNS,
        (row for each in made for row in _summary(each.pk, chance)),
    )


def _summary(evaluation: int, chance: random.Random) -> Iterator[tuple[object, ...]]:
    """Values of TOTALS_COLUMNS over all runs, in every scope."""
    by_scope = {}
    for source, n in SOURCES.items():
        by_scope[ScopeName(source)] = [chance.randint(0, n) for _ in range(RUNS)]
    by_scope[ScopeName.OVERALL] = [
        sum(counts) for counts in zip(*by_scope.values(), strict=True)
    ]
    for scope, counts in by_scope.items():
        done = sum(counts)
        yield (
            *(evaluation, None, scope.value, SCOPES[scope], RUNS, done, counts),
            *(done, done, chance.randint(10**6, 10**9), chance.randint(10**6, 10**9)),
        )


RESULT_COLUMNS = (
    *("run_id", "task_id", "completed", "reason", "first_build_ok", "final_build_ok"),
    *("total_tokens", "agent_milliseconds", "f_points_passed", "f_point_count"),
)


def results(
    run: int, tasks: Sequence[Task], chance: random.Random
) -> Iterator[tuple[object, ...]]:
    """Values of RESULT_COLUMNS of one result for every task of the run of that key."""
    for task in tasks:
        completed = chance.random() < 0.5
        yield (
            *(run, task.pk, completed, "" if completed else "check_failed", True, True),
            *(chance.randint(10**4, 10**7), chance.randint(10**4, 10**7)),
            *(int(completed), 1),
        )


def measured(of: EvaluationSnapshot, count: int) -> list[Run]:
    """The runs of ``count`` private evaluations without any results."""
    configurations = Configuration.objects.bulk_create(
        Configuration(
            model=f"Measured-{number:05}",
            provider="Provider",
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
            comparability_key=of.comparability_key,
            run_count=RUNS,
            simulated=True,
        )
        for each in configurations
    )
    numbers = range(1, RUNS + 1)
    bulk.insert(
        Run,
        ("evaluation_id", "number"),
        ((each.pk, number) for each in made for number in numbers),
    )
    found = Run.objects.filter(evaluation__in=made).select_related("evaluation")
    return list(found.order_by("pk"))


def totals(
    runs: Sequence[Run], tasks: Sequence[Task], rows: Iterable[tuple[Any, ...]]
) -> Iterator[tuple[object, ...]]:
    """Values of TOTALS_COLUMNS of every run and evaluation, counted row by row here."""
    sources = {task.pk: task.source for task in tasks}
    counted: defaultdict[tuple[int, str], list[int]] = defaultdict(lambda: [0, 0, 0])
    for run, task, completed, _, _, _, tokens, milliseconds, *_ in rows:
        for scope in (sources[task], ScopeName.OVERALL.value):
            counts = counted[run, scope]
            counts[0] += completed
            counts[1] += tokens
            counts[2] += milliseconds
    by_evaluation: defaultdict[int, list[int]] = defaultdict(list)
    for run in runs:
        by_evaluation[run.evaluation_id].append(run.pk)
    for evaluation, keys in by_evaluation.items():
        for scope, task_count in SCOPES.items():
            for of_run, parts in [(None, keys), *((key, [key]) for key in keys)]:
                counts = [counted[key, scope.value] for key in parts]
                completed, tokens, milliseconds = map(sum, zip(*counts, strict=True))
                built = task_count * len(parts)
                yield (
                    *(evaluation, of_run, scope.value, task_count, len(parts)),
                    *(completed, [each[0] for each in counts], built),
                    *(built, tokens, milliseconds),
                )
