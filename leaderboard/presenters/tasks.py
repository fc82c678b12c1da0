"""The list of tasks of a snapshot."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from django.db.models import Count, F, Q
from django.http import QueryDict

from leaderboard.forms import Completion, TaskForm
from leaderboard.models import (
    COUNTS,
    EvaluationSnapshot,
    FPoint,
    Kit,
    Provenance,
    Task,
    TaskResult,
    TaskSource,
    public_now,
)
from leaderboard.presenters.ordering import href
from leaderboard.snapshots import kit_difference
from leaderboard.sources import sources_of

# Baselines prove the tasks; they say nothing about how hard a task is.
_COUNTED = public_now("run__evaluation__") & ~Q(
    run__evaluation__provenance=Provenance.BASELINE
)


class TaskRow(NamedTuple):
    """``completed`` of ``decided`` task runs of public evaluations.

    ``unstable`` means that some evaluation completed it in some of its runs only.
    """

    task: Task
    kits: Sequence[str]
    kits_differ: bool
    f_point_count: int
    completed: int
    decided: int
    share: float
    unstable: bool

    def falls_into(self, completion: str) -> bool:
        """Whether a choice of :class:`Completion` holds; nothing undecided does."""
        if not completion:
            return True
        if not self.decided:
            return False
        match completion:
            case Completion.NEVER:
                return not self.completed
            case Completion.UNSTABLE:
                return self.unstable
            case Completion.ALWAYS:
                return self.completed == self.decided
            case Completion.RARELY:
                return 2 * self.completed < self.decided
        return 2 * self.completed >= self.decided


class Preset(NamedTuple):
    """A link to a set of tasks; ``name`` is empty for all."""

    name: str
    task_count: int
    href: str
    current: bool


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
    presets: Sequence[Preset]
    rows: Sequence[TaskRow]
    described: Sequence[DescribedTask]
    published_count: int


def task_list_page(snapshot: EvaluationSnapshot, query: QueryDict) -> TaskListPage:
    """Tasks with how often they were completed, in a fixed number of queries."""
    tasks = list(snapshot.tasks.prefetch_related("kits"))
    counts = _counts(snapshot)
    kits = Kit.objects.filter(tasks__snapshot=snapshot).distinct()
    form = TaskForm(
        query,
        sources=sources_of(snapshot),
        kits=[(kit.slug, kit.name) for kit in kits],
        repositories=sorted({task.repository for task in tasks}, key=str.casefold),
    )
    rows = [_row(task, counts) for task in tasks if _matches(task, form)]
    completion = form.chosen("completed")
    overall = next(
        (each for each in snapshot.scope_rows if each.scope == "overall"), None
    )
    return TaskListPage(
        snapshot=snapshot,
        form=form,
        task_count=len(tasks),
        presets=_presets(rows, query, completion),
        rows=[row for row in rows if row.falls_into(completion)],
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


def _presets(rows: Sequence[TaskRow], query: QueryDict, current: str) -> list[Preset]:
    """Sets among the rows that the other filters leave; none before anything ran."""
    if not any(row.decided for row in rows):
        return []
    names = ("", Completion.NEVER, Completion.UNSTABLE, Completion.ALWAYS)
    return [
        Preset(
            name=name,
            task_count=sum(row.falls_into(name) for row in rows),
            href=href(query, completed=name),
            current=name == current,
        )
        for name in names
    ]


class _TaskCounts(NamedTuple):
    f_points: int
    decided: int
    completed: int
    unstable: bool


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
    unstable = _unstable(snapshot)
    return {
        task: _TaskCounts(
            f_points.get(task, 0), *results.get(task, (0, 0)), task in unstable
        )
        for task in f_points.keys() | results.keys()
    }


def _unstable(snapshot: EvaluationSnapshot) -> set[int]:
    """Tasks that some public evaluation completed in some of its runs only."""
    found = (
        TaskResult.objects.filter(_COUNTED, task__snapshot=snapshot)
        .order_by()
        .values("task", "run__evaluation")
        .annotate(decided=Count("pk"), done=Count("pk", filter=COUNTS))
        .filter(done__gt=0, done__lt=F("decided"))
    )
    return set(found.values_list("task", flat=True).distinct())


def _row(task: Task, counts: Mapping[int, _TaskCounts]) -> TaskRow:
    found = counts.get(task.pk, _TaskCounts(0, 0, 0, unstable=False))
    share = 100 * found.completed / found.decided if found.decided else 0.0
    return TaskRow(
        task=task,
        kits=[kit.name for kit in task.kits.all()],
        kits_differ=kit_difference(task) is not None,
        f_point_count=found.f_points,
        completed=found.completed,
        decided=found.decided,
        share=round(share, 1),
        unstable=found.unstable,
    )


def _matches(task: Task, form: TaskForm) -> bool:
    text = f"{task.slug} {task.title} {task.repository}".casefold()
    kit = form.chosen("kit")
    return (
        form.chosen("q").casefold().strip() in text
        and form.chosen("source") in {"", task.source}
        and form.chosen("difficulty") in {"", task.difficulty}
        and form.chosen("repository") in {"", task.repository}
        and (not kit or kit in {each.slug for each in task.kits.all()})
    )
