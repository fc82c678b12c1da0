"""How far the task runs of an evaluation got, from their F-points; ranks nothing."""

from __future__ import annotations

import logging
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, NamedTuple, TypeAlias

from django.db.models import Count, Sum

from leaderboard.benchmark_files import benchmark_file
from leaderboard.completion_rate import (
    Dimension,
    DimensionScore,
    MultiplierError,
    Penalty,
    completion_rate,
    read_multipliers,
)
from leaderboard.metrics import RunRange, Scope, run_range, scopes_among
from leaderboard.models import CheckResult, Evaluation, FPoint, TaskResult
from leaderboard.visual import mean_scores

logger = logging.getLogger(__name__)


class _Sum(NamedTuple):
    """Weight and number of F-points."""

    weight: int
    f_points: int


_NOTHING = _Sum(0, 0)
_Sums: TypeAlias = Mapping[str, _Sum]


class DimensionPart(NamedTuple):
    """``passed`` of ``f_points`` of one dimension; ``score`` knows their weights."""

    passed: int
    f_points: int
    score: Fraction


class TaskRunProgress(NamedTuple):
    """``passed`` of ``f_points``; ``rate`` also knows weights and multipliers.

    ``parts`` are by dimension, and count also what a task may be completed without.
    """

    source: str
    run: int
    passed: int
    f_points: int
    rate: Fraction
    parts: Mapping[str, DimensionPart]
    unjudged: bool = False


@dataclass(frozen=True, slots=True)
class DimensionProgress:
    """Over all runs of the tasks that have it; ``score`` is a mean over these tasks.

    ``unjudged`` task runs should have had a visual score and have none: their rate is
    over their other dimensions.
    """

    dimension: str
    task_runs: int
    passed_count: int
    f_point_count: int
    score: RunRange
    unjudged: int = 0


@dataclass(frozen=True, slots=True)
class ScopeProgress:
    """Over all runs; ``passed`` and ``rate`` are means over runs with their range."""

    scope: str
    task_runs: int
    passed_count: int
    f_point_count: int
    passed: RunRange
    rate: RunRange
    dimensions: Sequence[DimensionProgress]


@dataclass(frozen=True, slots=True)
class Progress:
    """``f_point_count`` of a scope is that of one run times the number of runs."""

    scopes: Sequence[ScopeProgress]
    task_runs: Sequence[TaskRunProgress]
    multipliers: Mapping[str, Fraction]


class Rates(NamedTuple):
    """Rates and parts by the key of the task result, and the rules behind them.

    ``perfect`` results passed every check without a penalty; how their screens were
    judged has no say, since two pictures are hardly ever equal.
    """

    by_result: Mapping[int, Fraction]
    perfect: Mapping[int, bool]
    parts: Mapping[int, Mapping[str, DimensionPart]]
    multipliers: Mapping[str, Fraction]


def progress_of(evaluation: Evaluation) -> Progress | None:
    """None until every run of every task is decided, or without rules.

    Three queries, and one more where tasks have screens that are judged.
    """
    results = list(
        TaskResult.objects.filter(run__evaluation=evaluation)
        .select_related("task", "overruling")
        .order_by("run", "task__position")
    )
    weights = _weights(evaluation)
    decided = {result.task_id for result in results} == weights.keys()
    if not decided or len(results) != len(weights) * evaluation.run_count:
        return None
    rates = rates_of(evaluation, results, weights=weights)
    if rates is None:
        return None
    found = [
        TaskRunProgress(
            source=result.task.source,
            run=result.run_id,
            passed=_counted(result),
            f_points=result.f_point_count,
            rate=rates.by_result[result.pk],
            parts=rates.parts[result.pk],
            unjudged=bool(result.task.visual)
            and Dimension.VISUAL not in rates.parts[result.pk],
        )
        for result in results
    ]
    scopes = [
        _scope(scope, [each for each in found if scope in {Scope.OVERALL, each.source}])
        for scope in (scopes_among(each.source for each in found) if found else ())
    ]
    return Progress(scopes, found, rates.multipliers)


def rates_of(
    evaluation: Evaluation,
    results: Sequence[TaskResult],
    *,
    weights: Mapping[int, _Sums] | None = None,
) -> Rates | None:
    """The completion rates of ``results``, which have ``overruling`` selected.

    None without rules. ``results`` have their ``task`` selected as well. One query,
    and one more where the ``weights`` are not given, or where screens are judged.
    """
    by_task = _weights(evaluation) if weights is None else weights
    passed = _passed_weights(evaluation)
    try:
        multipliers = read_multipliers(
            benchmark_file(evaluation.snapshot.benchmark.slug, "multipliers.json")
        )
    except MultiplierError as error:
        # No figure rather than one by other rules than the operator's.
        logger.error("No completion rates: %s", error)
        return None
    screens = (
        mean_scores(evaluation) if any(each.task.visual for each in results) else {}
    )
    found: dict[int, Fraction] = {}
    perfect: dict[int, bool] = {}
    parts: dict[int, dict[str, DimensionPart]] = {}
    for result in results:
        of_task = by_task[result.task_id]
        # A report may say that a task is completed and hold no verdict of its checks.
        done = passed.get(result.pk) or (of_task if result.completed else {})
        scores, penalties = _scores(of_task, done), _penalties(result)
        rate = completion_rate(scores, penalties, multipliers=multipliers)
        perfect[result.pk] = rate == 1
        of_result = _parts(of_task, done if _gets_anywhere(result) else {})
        seen = _visual(result, screens)
        if seen is not None:
            scores.append(seen)
            rate = completion_rate(scores, penalties, multipliers=multipliers)
            looks = seen.score if _gets_anywhere(result) else Fraction(0)
            of_result[seen.dimension] = DimensionPart(0, 0, looks)
        found[result.pk] = rate
        parts[result.pk] = of_result
    return Rates(found, perfect, parts, multipliers)


def progress_as_dict(found: Progress) -> dict[str, Any]:
    """For the API: fractions of 1 with the counts beside them."""
    return {
        "multipliers": {
            name: float(value) for name, value in found.multipliers.items()
        },
        "scopes": {
            each.scope: {
                "task_runs": each.task_runs,
                "f_points_passed": each.passed_count,
                "f_points": each.f_point_count,
                "passed": _range_as_dict(each.passed),
                "completion_rate": _range_as_dict(each.rate),
                "dimensions": {
                    part.dimension: {
                        "task_runs": part.task_runs,
                        "f_points_passed": part.passed_count,
                        "f_points": part.f_point_count,
                        "score": _range_as_dict(part.score),
                        "unjudged": part.unjudged,
                    }
                    for part in each.dimensions
                },
            }
            for each in found.scopes
        },
    }


def _range_as_dict(found: RunRange) -> dict[str, float]:
    return {
        "mean": float(found.mean),
        "min": float(found.low),
        "max": float(found.high),
    }


def _counted(result: TaskResult) -> int:
    return result.f_points_passed if _gets_anywhere(result) else 0


def _gets_anywhere(result: TaskResult) -> bool:
    """Nothing is passed by what was not built or counts 0."""
    return result.final_build_ok and not result.is_overruled


def _penalties(result: TaskResult) -> list[str]:
    """A run that maintainers let count 0 counts 0 here as well."""
    # What follows the name of a flag is its evidence.
    found = [str(flag).partition(" ")[0] for flag in result.flags]
    if not result.final_build_ok:
        found.append(Penalty.BUILD_FAILED)
    if result.is_overruled:
        found.append(Penalty.CHEATING)
    return found


def _visual(
    result: TaskResult, screens: Mapping[int, Fraction | None]
) -> DimensionScore | None:
    """What the screens look like; None where nobody said, or there is none to judge."""
    if not result.task.visual:
        return None
    # What was not built was never to be seen.
    score = screens.get(result.pk) if result.final_build_ok else Fraction(0)
    if score is None:
        return None
    weight = Fraction(result.task.visual["weight"])
    return DimensionScore(Dimension.VISUAL, score, weight)


def _scores(of_task: _Sums, passed: _Sums) -> list[DimensionScore]:
    """A dimension weighs as much as its F-points together."""
    return [
        DimensionScore(name, part.score, Fraction(of_task[name].weight))
        for name, part in _parts(of_task, passed).items()
    ]


def _parts(of_task: _Sums, passed: _Sums) -> dict[str, DimensionPart]:
    found = {}
    for name, (weight, count) in of_task.items():
        done = passed.get(name, _NOTHING)
        found[name] = DimensionPart(done.f_points, count, Fraction(done.weight, weight))
    return found


def _weights(evaluation: Evaluation) -> dict[int, dict[str, _Sum]]:
    """By task: what a run has to do, also where no check of it was ever made."""
    rows = (
        FPoint.objects.filter(task__snapshot=evaluation.snapshot_id)
        .order_by()
        .values_list("task", "dimension")
        .annotate(Sum("weight"), Count("pk"))
    )
    return _by_key(rows)


def _passed_weights(evaluation: Evaluation) -> dict[int, dict[str, _Sum]]:
    """By task result, for the F-points that passed."""
    rows = (
        CheckResult.objects.filter(result__run__evaluation=evaluation, passed=True)
        .order_by()
        .values_list("result", "f_point__dimension")
        .annotate(Sum("f_point__weight"), Count("pk"))
    )
    return _by_key(rows)


def _by_key(rows: Iterable[tuple[int, str, int, int]]) -> dict[int, dict[str, _Sum]]:
    found: defaultdict[int, dict[str, _Sum]] = defaultdict(dict)
    for key, dimension, weight, count in rows:
        found[key][dimension] = _Sum(weight, count)
    return dict(found)


def _scope(scope: str, found: Sequence[TaskRunProgress]) -> ScopeProgress:
    by_run: defaultdict[int, list[TaskRunProgress]] = defaultdict(list)
    for each in found:
        by_run[each.run].append(each)
    runs = list(by_run.values())
    rates = [sum((each.rate for each in run), Fraction(0)) / len(run) for run in runs]
    f_points = sum(each.f_points for each in runs[0])
    passed = [sum(each.passed for each in run) for run in runs]
    return ScopeProgress(
        scope=scope,
        task_runs=len(found),
        passed_count=sum(passed),
        f_point_count=f_points * len(runs),
        passed=run_range(passed, f_points),
        rate=_over_runs(rates),
        dimensions=_dimensions(runs),
    )


def _over_runs(values: Sequence[Fraction]) -> RunRange:
    return RunRange(sum(values, Fraction(0)) / len(values), min(values), max(values))


def _dimensions(runs: Sequence[Sequence[TaskRunProgress]]) -> list[DimensionProgress]:
    """In the order of the methodology, then those that a package named itself."""
    names = {name for run in runs for each in run for name in each.parts}
    known = [name for name in Dimension if name in names]
    return [_dimension(name, runs) for name in (*known, *sorted(names - {*known}))]


def _dimension(
    name: str, runs: Sequence[Sequence[TaskRunProgress]]
) -> DimensionProgress:
    parts = [[each.parts[name] for each in run if name in each.parts] for run in runs]
    every = [part for run in parts for part in run]
    unjudged = name == Dimension.VISUAL
    return DimensionProgress(
        unjudged=sum(each.unjudged for run in runs for each in run) if unjudged else 0,
        dimension=name,
        task_runs=len(every),
        passed_count=sum(part.passed for part in every),
        f_point_count=sum(part.f_points for part in every),
        score=_over_runs(
            [
                sum((part.score for part in run), Fraction(0)) / len(run)
                for run in parts
                if run
            ]
        ),
    )
