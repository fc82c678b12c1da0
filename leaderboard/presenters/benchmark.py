"""Composition of a snapshot, as a report gives it or as the held tasks make it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from django.db.models import Count

from leaderboard.models import Difficulty, EvaluationSnapshot, ScopeName, TaskSource
from leaderboard.presenters.tasks import DescribedTask, described_tasks

MISSING = "—"


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
    """Size of inputs and reference patches, and how concentrated a source is."""

    source: str
    label: str
    input_length: str
    input_range: str
    files: str
    lines: str
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
    difficulty_shares: Sequence[tuple[str, str, int, float, float]]
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
        difficulty_shares=_difficulty_shares(total) if total else [],
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


def _difficulty_shares(
    total: SourceFacts,
) -> list[tuple[str, str, int, float, float]]:
    """(level, label, tasks, start, width) of one stacked bar, in percent."""
    shares, start = [], 0.0
    for level, count in zip(Difficulty, total.difficulty, strict=True):
        width = 100 * count / total.tasks
        shares.append(
            (level.value, str(level.label), count, round(start, 2), round(width, 1))
        )
        start += width
    return shares


def _reference(name: str, found: Mapping[str, Any]) -> ReferenceFacts:
    low, high = found["input_length_chars"]["iqr"]
    return ReferenceFacts(
        source=name,
        label=str(TaskSource(name).label),
        input_length=f"{found['input_length_chars']['median']:g}",
        input_range=f"{low:g}–{high:g}",
        files=f"{found['reference_files_median']:g}",
        lines=f"{found['reference_loc_median']:g}",
        largest=found["largest_repository_percent"],
        largest_three=found["top3_repositories_percent"],
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
        .order_by("-count", "kits__name")[:10]
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
