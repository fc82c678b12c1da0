"""What writing costs: closing a run, counting everything again, bulk import."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import NamedTuple

from django.db import transaction

from leaderboard.models import (
    Configuration,
    Evaluation,
    EvaluationSnapshot,
    Provenance,
    Run,
    TaskResult,
)
from leaderboard.recount import differences
from leaderboard.totals import write_run_totals, write_summary
from tests.benchmarks import data
from tests.benchmarks.measure import wall_milliseconds


class Cost(NamedTuple):
    what: str
    milliseconds: float
    count: int


def costs(snapshot: EvaluationSnapshot, *, evaluation_count: int) -> Iterator[Cost]:
    """Close one run after another; then check every stored total against its rows."""
    chance = random.Random(1)
    tasks = list(snapshot.tasks.all())
    made = [_evaluation(snapshot, number) for number in range(evaluation_count)]
    closings, imports = [], []
    for evaluation in made:
        for number in range(1, data.RUNS + 1):
            run = Run.objects.create(evaluation=evaluation, number=number)
            rows = data.results(run, tasks, chance)
            closing, importing = _close(run, rows)
            closings.append(closing)
            imports.append(importing)
        write_summary(evaluation)
    run_count = len(closings)
    yield Cost("153 results and the totals of a run", sum(closings) / run_count, 153)
    yield Cost("of which the results", sum(imports) / run_count, 153)
    wrong: list[object] = []
    took = wall_milliseconds(lambda: [wrong.extend(differences(each)) for each in made])
    if wrong:
        raise RuntimeError(f"Stored totals differ from their rows: {wrong[:3]}")
    yield Cost("every total compared with its rows", took, 153 * run_count)


def _evaluation(snapshot: EvaluationSnapshot, number: int) -> Evaluation:
    configuration = Configuration.objects.create(
        model=f"Ingested-{number}",
        provider="Provider",
        agent_name=snapshot.agent_name,
        agent_version=snapshot.agent_version,
    )
    return Evaluation.objects.create(
        snapshot=snapshot,
        configuration=configuration,
        provenance=Provenance.OFFICIAL,
        comparability_key=snapshot.comparability_key,
        run_count=data.RUNS,
        simulated=True,
    )


def _close(run: Run, rows: list[TaskResult]) -> tuple[float, float]:
    importing = 0.0

    def close() -> None:
        nonlocal importing
        with transaction.atomic():
            importing = wall_milliseconds(lambda: TaskResult.objects.bulk_create(rows))
            write_run_totals(run)

    return wall_milliseconds(close), importing
