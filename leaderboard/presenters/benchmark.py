"""Composition of a snapshot, as a report gives it or as the held tasks make it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, NamedTuple

from django.db.models import Count

from leaderboard.formats import percent
from leaderboard.models import Difficulty, EvaluationSnapshot, ScopeName, TaskSource
from leaderboard.presenters.tasks import DescribedTask, described_tasks

MISSING = "—"
_SHOWN = 10


class SourceFacts(NamedTuple):
    """One row of the composition table; a figure nobody gives is a dash."""

    source: str
    label: str
    repositories: str
    tasks: int
    f_points: int
    mean_f_points: str
    difficulty: Sequence[int]


class ReferenceFacts(NamedTuple):
    """Size of inputs and reference patches."""

    source: str
    label: str
    input_length: str
    input_range: str
    files: str
    lines: str


class DifficultyRow(NamedTuple):
    """One scope: (level, label, tasks, percent, start, width) of a stacked bar."""

    scope: str
    task_count: int
    shares: Sequence[tuple[str, str, int, str, float, float]]


class Concentration(NamedTuple):
    """Percent of a source's tasks that its largest repositories hold."""

    source: str
    label: str
    largest: float
    largest_three: float


class Part(NamedTuple):
    """One line of a bar list: ``width`` in percent of the longest bar."""

    label: str
    value: str
    width: float


@dataclass(frozen=True, slots=True)
class BenchmarkPage:
    snapshot: EvaluationSnapshot
    rows: Sequence[SourceFacts]
    total: SourceFacts | None
    difficulty: Sequence[DifficultyRow]
    concentration: Sequence[Concentration]
    repositories: Sequence[Part]
    f_point_counts: Sequence[Part]
    references: Sequence[ReferenceFacts]
    kits: Sequence[Part]
    kits_covered: int | None
    kits_considered: int | None
    kit_buckets: Sequence[Part]
    counting_rule: str
    described: Sequence[DescribedTask]
    source_note: str


def benchmark_page(snapshot: EvaluationSnapshot) -> BenchmarkPage:
    composition: Mapping[str, Any] = snapshot.composition
    coverage: Mapping[str, Any] = composition.get("kit_coverage", {})
    sources: Mapping[str, Any] = composition.get("task_sources", {})
    rows = _published_rows(sources) if sources else _held_rows(snapshot)
    total = _total(snapshot, rows, overall=composition.get("overall", {}))
    return BenchmarkPage(
        snapshot=snapshot,
        rows=rows,
        total=total,
        difficulty=[_difficulty(row) for row in ([total, *rows] if total else [])],
        concentration=_published_concentration(sources)
        if sources
        else _held_concentration(snapshot),
        repositories=_repositories(snapshot),
        f_point_counts=_f_point_counts(snapshot),
        references=[_reference(name, found) for name, found in sources.items()],
        kits=_published_kits(coverage) if coverage else _held_kits(snapshot),
        kits_covered=coverage.get("covered"),
        kits_considered=coverage.get("high_frequency_kits"),
        kit_buckets=_buckets(coverage.get("buckets", {})),
        counting_rule=coverage.get("counting_rule", ""),
        described=described_tasks(snapshot),
        source_note=str(composition.get("source", "")),
    )


def _published_rows(sources: Mapping[str, Any]) -> list[SourceFacts]:
    return [
        SourceFacts(
            source=name,
            label=str(TaskSource(name).label),
            repositories=str(found["repositories"]),
            tasks=found["tasks"],
            f_points=found["f_points"],
            mean_f_points=f"{found['mean_f_points']:.2f}",
            difficulty=[found["difficulty"][level] for level in Difficulty.values],
        )
        for name, found in sources.items()
    ]


def _held_rows(snapshot: EvaluationSnapshot) -> list[SourceFacts]:
    """The same facts, counted from tasks that are held."""
    levels: dict[tuple[str, str], int] = {
        (source, level): count
        for source, level, count in snapshot.tasks.order_by()
        .values_list("source", "difficulty")
        .annotate(Count("pk"))
    }
    facts = (
        snapshot.tasks.order_by()
        .values_list("source")
        .annotate(
            Count("repository", distinct=True),
            Count("pk", distinct=True),
            Count("f_points"),
        )
    )
    found = {source: numbers for source, *numbers in facts}
    return [
        SourceFacts(
            source=source.value,
            label=str(source.label),
            repositories=str(repositories),
            tasks=tasks,
            f_points=f_points,
            mean_f_points=f"{f_points / tasks:.2f}",
            difficulty=[levels.get((source.value, d), 0) for d in Difficulty.values],
        )
        for source in TaskSource
        if source.value in found
        for repositories, tasks, f_points in [found[source.value]]
    ]


def _total(
    snapshot: EvaluationSnapshot,
    rows: Sequence[SourceFacts],
    *,
    overall: Mapping[str, Any],
) -> SourceFacts | None:
    if not rows:
        return None
    tasks, f_points = sum(r.tasks for r in rows), sum(r.f_points for r in rows)
    # Sources share repositories: the union is not the sum.
    repositories = (
        overall.get("repositories")
        or (
            snapshot.tasks.order_by().aggregate(n=Count("repository", distinct=True))[
                "n"
            ]
        )
    )
    return SourceFacts(
        source=ScopeName.OVERALL.value,
        label=str(ScopeName.OVERALL.label),
        repositories=str(repositories),
        tasks=tasks,
        f_points=f_points,
        mean_f_points=f"{f_points / tasks:.2f}",
        difficulty=[
            sum(column) for column in zip(*(r.difficulty for r in rows), strict=True)
        ],
    )


def _difficulty(row: SourceFacts) -> DifficultyRow:
    shares, start = [], 0.0
    for level, count in zip(Difficulty, row.difficulty, strict=True):
        width = 100 * count / row.tasks
        shares.append(
            (
                level.value,
                str(level.label),
                count,
                percent(Fraction(count, row.tasks), 1),
                round(start, 2),
                round(width, 1),
            )
        )
        start += width
    return DifficultyRow(row.source, row.tasks, shares)


def _published_concentration(sources: Mapping[str, Any]) -> list[Concentration]:
    return [
        Concentration(
            source=name,
            label=str(TaskSource(name).label),
            largest=found["largest_repository_percent"],
            largest_three=found["top3_repositories_percent"],
        )
        for name, found in sources.items()
    ]


def _held_concentration(snapshot: EvaluationSnapshot) -> list[Concentration]:
    counts: dict[str, list[int]] = {}
    rows = (
        snapshot.tasks.order_by()
        .values_list("source", "repository")
        .annotate(count=Count("pk"))
        .order_by("-count")
    )
    for source, _repository, count in rows:
        counts.setdefault(source, []).append(count)
    return [
        Concentration(
            source=source.value,
            label=str(source.label),
            largest=round(100 * found[0] / sum(found), 1),
            largest_three=round(100 * sum(found[:3]) / sum(found), 1),
        )
        for source in TaskSource
        if (found := counts.get(source.value))
    ]


def _repositories(snapshot: EvaluationSnapshot) -> list[Part]:
    """Repositories with the most tasks, where tasks are held."""
    rows = (
        snapshot.tasks.order_by()
        .values_list("repository")
        .annotate(count=Count("pk"))
        .order_by("-count", "repository")[:_SHOWN]
    )
    return _buckets(dict(rows))


def _f_point_counts(snapshot: EvaluationSnapshot) -> list[Part]:
    """How many tasks have so many F-points, where tasks are held."""
    counts = Counter(
        snapshot.tasks.order_by()
        .annotate(count=Count("f_points"))
        .values_list("count", flat=True)
    )
    return _buckets({str(number): counts[number] for number in sorted(counts)})


def _reference(name: str, found: Mapping[str, Any]) -> ReferenceFacts:
    low, high = found["input_length_chars"]["iqr"]
    return ReferenceFacts(
        source=name,
        label=str(TaskSource(name).label),
        input_length=f"{found['input_length_chars']['median']:g}",
        input_range=f"{low:g}–{high:g}",
        files=f"{found['reference_files_median']:g}",
        lines=f"{found['reference_loc_median']:g}",
    )


def _published_kits(coverage: Mapping[str, Any]) -> list[Part]:
    kits: Mapping[str, float] = coverage.get("top_ten_percent_of_tasks", {})
    return [Part(name, f"{share:.1f}", share) for name, share in kits.items()]


def _held_kits(snapshot: EvaluationSnapshot) -> list[Part]:
    tasks = snapshot.tasks.order_by()
    total = tasks.count()
    counts = (
        tasks.exclude(kits=None)
        .values_list("kits__name")
        .annotate(count=Count("pk"))
        .order_by("-count", "kits__name")[:_SHOWN]
    )
    return [
        Part(name, f"{100 * count / total:.1f}", round(100 * count / total, 1))
        for name, count in counts
    ]


def _buckets(found: Mapping[str, int]) -> list[Part]:
    largest = max(found.values(), default=1)
    return [
        Part(name, str(count), round(100 * count / largest, 1))
        for name, count in found.items()
    ]
