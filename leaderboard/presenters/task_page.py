"""The page of one task: what is asked, what must work, and how it went."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import groupby
from typing import Any, NamedTuple

from django.db.models import Count, Q, prefetch_related_objects
from django.http import QueryDict
from django.utils.functional import Promise
from django.utils.safestring import SafeString

from leaderboard.failures.chosen import CHOICES, fits
from leaderboard.forms import ReasonForm
from leaderboard.models import (
    UNLISTED,
    Configuration,
    Erratum,
    FPoint,
    Kit,
    Provenance,
    Task,
    TaskResult,
    public_now,
)
from leaderboard.outcomes import Outcome, order, outcome
from leaderboard.presenters.failures import ReasonBadge, badge_of, shown_reason_of
from leaderboard.presenters.hidden import (
    CheckFile,
    Reference,
    check_files,
    reference_patch,
)
from leaderboard.snapshots import (
    KitDifference,
    kit_difference,
)
from leaderboard.snapshots.diff import is_same
from leaderboard.statement import statement_html


class Cell(NamedTuple):
    """The outcome of one run; None where it is not decided."""

    number: int
    outcome: Outcome | None
    badge: ReasonBadge | None
    href: str
    result: TaskResult | None


class ReasonCount(NamedTuple):
    """How many failed task runs have a reason; ``name`` as in ``?reason=``."""

    name: str
    label: str | Promise
    number: int


class MatrixRow(NamedTuple):
    configuration: Configuration
    href: str
    baseline: bool
    completed: int
    cells: Sequence[Cell]

    def has(self, reason: str) -> bool:
        """Whether a task run of the row failed for ``reason``."""
        return any(
            not cell.result.counts and fits(shown_reason_of(cell.result), reason)
            for cell in self.cells
            if cell.result is not None
        )


class FailedPoint(NamedTuple):
    f_point: FPoint
    failed: int
    checked: int


class Version(NamedTuple):
    """The task of the same name in another public snapshot."""

    task: Task
    same: bool


@dataclass(frozen=True, slots=True)
class TaskPage:
    task: Task
    statement: SafeString
    kits: Sequence[Kit]
    kit_difference: KitDifference | None
    f_points: Sequence[FailedPoint]
    scenarios: Sequence[tuple[str, Sequence[FailedPoint]]]
    matrix: Sequence[MatrixRow]
    form: ReasonForm | None
    reasons: Sequence[ReasonCount]
    failed: int
    run_numbers: Sequence[int]
    completed: int
    decided: int
    marks: Sequence[Outcome]
    most_failed: FailedPoint | None
    versions: Sequence[Version]
    reference: Reference | None
    checks: Sequence[CheckFile]
    errata: Sequence[Erratum]

    @property
    def has_optional(self) -> bool:
        """Whether the task can be completed without one of its F-points."""
        return not all(each.f_point.required for each in self.f_points)


def task_page(task: Task, query: QueryDict) -> TaskPage:
    """Statement, F-points and the outcomes of every public evaluation.

    ``?reason=`` leaves the rows that have a task run with that failure reason.
    """
    results = list(
        TaskResult.objects.filter(public_now("run__evaluation__"), task=task)
        .select_related(
            *("run__evaluation__configuration", "task", "overruling", "shown_reason")
        )
        .order_by("run__evaluation__configuration__model", "run__evaluation", "run")
    )
    counted = [
        each
        for each in results
        if each.run.evaluation.provenance != Provenance.BASELINE
    ]
    prefetch_related_objects([task], "kits")
    run_count = max(
        (each.run.number for each in results), default=task.snapshot.run_count
    )
    form = ReasonForm(query)
    reason = form.chosen("reason")
    rows = _matrix(results, run_count)
    matrix = [row for row in rows if not reason or row.has(reason)]
    f_points = _f_points(task)
    marks = {cell.outcome for row in matrix for cell in row.cells if cell.outcome}
    return TaskPage(
        task=task,
        statement=statement_html(task.statement),
        kits=list(task.kits.all()),
        kit_difference=kit_difference(task),
        f_points=f_points,
        scenarios=[
            (scenario, list(group))
            for scenario, group in groupby(
                f_points, key=lambda each: each.f_point.scenario
            )
        ],
        matrix=matrix,
        form=form if any(not each.counts for each in results) else None,
        reasons=_reasons(counted),
        failed=sum(not each.counts for each in counted),
        run_numbers=list(range(1, run_count + 1)),
        completed=sum(each.counts for each in counted),
        decided=len(counted),
        marks=sorted(marks, key=order),
        most_failed=_most_failed(f_points),
        versions=_versions(task),
        reference=reference_patch(task) if task.snapshot.shows_references else None,
        checks=check_files(task) if task.snapshot.artifacts_released_at else [],
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
        .exclude(snapshot__status__in=UNLISTED)
        .select_related("snapshot")
        .prefetch_related("f_points", "kits")
        .order_by("-snapshot__task_snapshot_date")
    )
    found = list(others)
    if not found:
        return []
    return [Version(each, is_same(task, each)) for each in found]


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
                badge=badge_of(shown_reason_of(found)) if found else None,
                href=found.get_absolute_url() if found else "",
                result=found,
            )
        )
    return MatrixRow(
        configuration=evaluation.configuration,
        href=evaluation.get_absolute_url(),
        baseline=evaluation.provenance == Provenance.BASELINE,
        completed=sum(each.counts for each in results),
        cells=cells,
    )


def _reasons(results: Sequence[TaskResult]) -> list[ReasonCount]:
    """The reasons of the failed ones that occur, in the order of the taxonomy."""
    shown = [shown_reason_of(each) for each in results if not each.counts]
    found = [
        ReasonCount(name, label, sum(fits(each, name) for each in shown))
        for name, label in CHOICES
    ]
    return [each for each in found if each.number]


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
