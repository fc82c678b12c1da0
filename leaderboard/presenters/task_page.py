"""The page of one task: what is asked, what must work, and how it went."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, NamedTuple

from django.db.models import Count, Q
from django.utils.safestring import SafeString

from leaderboard.models import (
    Configuration,
    Erratum,
    FPoint,
    Kit,
    Provenance,
    SnapshotStatus,
    Task,
    TaskResult,
    public_now,
)
from leaderboard.outcomes import Outcome, order, outcome
from leaderboard.presenters.viewer import ShownFile, shown_files
from leaderboard.snapshots import PackageNotHeldError, task_folder
from leaderboard.snapshots.diff import task_digest
from leaderboard.statement import statement_html


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


class Version(NamedTuple):
    """The task of the same name in another public snapshot."""

    task: Task
    same: bool


@dataclass(frozen=True, slots=True)
class Reference:
    """The reference patch; without ``files`` it is not held on this machine."""

    files: Sequence[ShownFile]
    cut: bool


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
    most_failed: FailedPoint | None
    versions: Sequence[Version]
    reference: Reference | None
    errata: Sequence[Erratum]


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
    f_points = _f_points(task)
    marks = {cell.outcome for row in matrix for cell in row.cells if cell.outcome}
    return TaskPage(
        task=task,
        statement=statement_html(task.statement),
        kits=list(task.kits.all()),
        f_points=f_points,
        matrix=matrix,
        run_numbers=list(range(1, run_count + 1)),
        completed=sum(each.counts for each in counted),
        decided=len(counted),
        marks=sorted(marks, key=order),
        most_failed=_most_failed(f_points),
        versions=_versions(task),
        reference=_reference(task) if task.snapshot.references_public else None,
        errata=list(task.errata.all()),
    )


def _most_failed(points: Sequence[FailedPoint]) -> FailedPoint | None:
    """The F-point that failed most often, where there are several to choose from."""
    failing = [each for each in points if each.failed]
    if len(points) < 2 or not failing:
        return None
    return max(failing, key=lambda each: Fraction(each.failed, each.checked))


def _versions(task: Task) -> list[Version]:
    """The task in other public snapshots of its benchmark, the newest first."""
    others = (
        Task.objects.filter(
            slug=task.slug, snapshot__benchmark=task.snapshot.benchmark_id
        )
        .exclude(snapshot=task.snapshot)
        .exclude(snapshot__status=SnapshotStatus.DRAFT)
        .select_related("snapshot")
        .prefetch_related("f_points", "kits")
        .order_by("-snapshot__task_snapshot_date")
    )
    found = list(others)
    if not found:
        return []
    mine = task_digest(task)
    return [Version(each, task_digest(each) == mine) for each in found]


def _reference(task: Task) -> Reference:
    try:
        with (task_folder(task) / "reference.patch").open("rb") as handle:
            files, text = shown_files(handle)
    except (PackageNotHeldError, FileNotFoundError):
        return Reference([], cut=False)
    return Reference(files, cut=text.bytes_cut or text.page_count > 1)


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
