"""The list of tasks of a snapshot, and the page of one task."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from django.db.models import Count, Q
from django.http import QueryDict
from django.utils.safestring import SafeString

from leaderboard.forms import TaskForm
from leaderboard.models import (
    COUNTS,
    Configuration,
    EvaluationSnapshot,
    FPoint,
    Kit,
    Provenance,
    Task,
    TaskResult,
    TaskSource,
    public_now,
)
from leaderboard.outcomes import Outcome, order, outcome
from leaderboard.statement import statement_html

# Baselines prove the tasks; they say nothing about how hard a task is.
_COUNTED = public_now("run__evaluation__") & ~Q(
    run__evaluation__provenance=Provenance.BASELINE
)


class TaskRow(NamedTuple):
    """``completed`` of ``decided`` task runs of public evaluations."""

    task: Task
    kits: Sequence[str]
    f_point_count: int
    completed: int
    decided: int
    share: float


class DescribedTask(NamedTuple):
    """A task of which only a public description exists."""

    source: str
    label: str
    f_points: int
    what: str


@dataclass(frozen=True, slots=True)
class TaskListPage:
    snapshot: EvaluationSnapshot
    form: TaskForm
    task_count: int
    rows: Sequence[TaskRow]
    described: Sequence[DescribedTask]
    published_count: int


def task_list_page(snapshot: EvaluationSnapshot, query: QueryDict) -> TaskListPage:
    """Tasks with how often they were completed, in a fixed number of queries."""
    tasks = list(snapshot.tasks.prefetch_related("kits"))
    counts = _counts(snapshot)
    kits = Kit.objects.filter(tasks__snapshot=snapshot).distinct()
    form = TaskForm(query, kits=[(kit.slug, kit.name) for kit in kits])
    overall = next(
        (each for each in snapshot.scopes.all() if each.scope == "overall"), None
    )
    return TaskListPage(
        snapshot=snapshot,
        form=form,
        task_count=len(tasks),
        rows=[_row(task, counts) for task in tasks if _matches(task, form)],
        described=described_tasks(snapshot),
        published_count=overall.task_count if overall else 0,
    )


def described_tasks(snapshot: EvaluationSnapshot) -> list[DescribedTask]:
    """Tasks that a report describes; their texts are not held."""
    found: list[dict[str, Any]] = snapshot.composition.get(
        "publicly_described_tasks", []
    )
    return [
        DescribedTask(
            source=each["source"],
            label=str(TaskSource(each["source"]).label),
            f_points=each["f_points"],
            what=each["what"],
        )
        for each in found
    ]


class _TaskCounts(NamedTuple):
    f_points: int
    decided: int
    completed: int


def _counts(snapshot: EvaluationSnapshot) -> dict[int, _TaskCounts]:
    """Counts by task: F-points, and task runs of public evaluations."""
    f_points = dict(
        FPoint.objects.filter(task__snapshot=snapshot)
        .order_by()
        .values_list("task")
        .annotate(Count("pk"))
    )
    results = {
        task: (decided, completed)
        for task, decided, completed in TaskResult.objects.filter(
            _COUNTED, task__snapshot=snapshot
        )
        .order_by()
        .values_list("task")
        .annotate(decided=Count("pk"), done=Count("pk", filter=COUNTS))
    }
    return {
        task: _TaskCounts(f_points.get(task, 0), *results.get(task, (0, 0)))
        for task in f_points.keys() | results.keys()
    }


def _row(task: Task, counts: Mapping[int, _TaskCounts]) -> TaskRow:
    found = counts.get(task.pk, _TaskCounts(0, 0, 0))
    share = 100 * found.completed / found.decided if found.decided else 0.0
    return TaskRow(
        task=task,
        kits=[kit.name for kit in task.kits.all()],
        f_point_count=found.f_points,
        completed=found.completed,
        decided=found.decided,
        share=round(share, 1),
    )


def _matches(task: Task, form: TaskForm) -> bool:
    text = f"{task.slug} {task.title} {task.repository}".casefold()
    kit = form.chosen("kit")
    return (
        form.chosen("q").casefold().strip() in text
        and form.chosen("source") in {"", task.source}
        and form.chosen("difficulty") in {"", task.difficulty}
        and (not kit or kit in {each.slug for each in task.kits.all()})
    )


class Cell(NamedTuple):
    """The outcome of one run; None where it is not decided."""

    number: int
    outcome: Outcome | None
    href: str


class MatrixRow(NamedTuple):
    configuration: Configuration
    href: str
    baseline: bool
    completed: int
    cells: Sequence[Cell]


class FailedPoint(NamedTuple):
    f_point: FPoint
    failed: int
    checked: int


@dataclass(frozen=True, slots=True)
class TaskPage:
    task: Task
    statement: SafeString
    kits: Sequence[Kit]
    f_points: Sequence[FailedPoint]
    matrix: Sequence[MatrixRow]
    run_numbers: Sequence[int]
    completed: int
    decided: int
    marks: Sequence[Outcome]


def task_page(task: Task) -> TaskPage:
    """Statement, F-points and the outcomes of every public evaluation."""
    results = list(
        TaskResult.objects.filter(public_now("run__evaluation__"), task=task)
        .select_related("run__evaluation__configuration", "task", "overruling")
        .order_by("run__evaluation__configuration__model", "run__evaluation", "run")
    )
    counted = [
        each
        for each in results
        if each.run.evaluation.provenance != Provenance.BASELINE
    ]
    run_count = max(
        (each.run.number for each in results), default=task.snapshot.run_count
    )
    matrix = _matrix(results, run_count)
    marks = {cell.outcome for row in matrix for cell in row.cells if cell.outcome}
    return TaskPage(
        task=task,
        statement=statement_html(task.statement),
        kits=list(task.kits.all()),
        f_points=_f_points(task),
        matrix=matrix,
        run_numbers=list(range(1, run_count + 1)),
        completed=sum(each.counts for each in counted),
        decided=len(counted),
        marks=sorted(marks, key=order),
    )


def _matrix(results: Sequence[TaskResult], run_count: int) -> list[MatrixRow]:
    grouped: dict[int, list[TaskResult]] = {}
    for result in results:
        grouped.setdefault(result.run.evaluation_id, []).append(result)
    return sorted(
        (_matrix_row(found, run_count) for found in grouped.values()),
        key=lambda row: (row.baseline, -row.completed),
    )


def _matrix_row(results: Sequence[TaskResult], run_count: int) -> MatrixRow:
    evaluation = results[0].run.evaluation
    by_number = {each.run.number: each for each in results}
    cells = []
    for number in range(1, run_count + 1):
        found = by_number.get(number)
        cells.append(
            Cell(
                number=number,
                outcome=outcome(
                    completed=found.completed,
                    reason=found.reason,
                    overruled=found.is_overruled,
                )
                if found
                else None,
                href=found.get_absolute_url() if found else "",
            )
        )
    return MatrixRow(
        configuration=evaluation.configuration,
        href=evaluation.get_absolute_url(),
        baseline=evaluation.provenance == Provenance.BASELINE,
        completed=sum(each.counts for each in results),
        cells=cells,
    )


def _f_points(task: Task) -> list[FailedPoint]:
    """F-points with how often they failed in public, non-baseline evaluations."""
    counted = public_now("results__result__run__evaluation__") & ~Q(
        results__result__run__evaluation__provenance=Provenance.BASELINE
    )
    rows: Any = task.f_points.annotate(
        checked=Count("results", filter=counted),
        failed=Count("results", filter=counted & Q(results__passed=False)),
    )
    return [FailedPoint(each, each.failed, each.checked) for each in rows]
