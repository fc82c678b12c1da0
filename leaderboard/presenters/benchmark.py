"""Composition of a snapshot, as a report gives it or as the held tasks make it."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, NamedTuple

from leaderboard.formats import MISSING, percent
from leaderboard.kit_names import KitListError
from leaderboard.metrics import rounded
from leaderboard.models import Difficulty, EvaluationSnapshot, ScopeName, TaskSource
from leaderboard.presenters.coverage import Coverage, Part, kit_coverage, parts
from leaderboard.presenters.tasks import DescribedTask, described_tasks
from leaderboard.snapshots import computed_statistics
from leaderboard.statistics import Document

logger = logging.getLogger(__name__)


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
    label: str
    task_count: int
    shares: Sequence[tuple[str, str, int, str, float, float]]


class Concentration(NamedTuple):
    """Percent of a source's tasks that its largest repositories hold."""

    source: str
    label: str
    largest: str
    largest_three: str
    width: float
    width_three: float


@dataclass(frozen=True, slots=True)
class BenchmarkPage:
    """``published`` says that a report gives the figures; else they are counted."""

    snapshot: EvaluationSnapshot
    published: bool
    rows: Sequence[SourceFacts]
    total: SourceFacts | None
    difficulty: Sequence[DifficultyRow]
    concentration: Sequence[Concentration]
    repositories: Sequence[Part]
    f_point_counts: Sequence[Part]
    references: Sequence[ReferenceFacts]
    kits: Sequence[Part]
    coverage: Coverage | None
    described: Sequence[DescribedTask]
    source_note: str


def benchmark_page(snapshot: EvaluationSnapshot) -> BenchmarkPage:
    """The composition as published where a report gives it, else as counted.

    What is counted was stored when the package was imported.
    """
    composition: Mapping[str, Any] = snapshot.composition
    sources: Mapping[str, Any] = composition.get("task_sources", {})
    counted = snapshot.statistics or _computed(snapshot)
    scopes: list[Document] = counted.get("scopes", [])
    total: SourceFacts | None
    if sources:
        rows, total = _published_rows(sources), _published_total(composition)
        references = [_published_reference(*each) for each in sources.items()]
        concentration = [_published_concentration(*each) for each in sources.items()]
    else:
        facts = [_counted_row(found) for found in scopes]
        total, rows = (facts[0], facts[1:]) if facts else (None, [])
        references = [_counted_reference(found) for found in scopes[1:]]
        concentration = [_counted_concentration(found) for found in scopes[1:]]
    kits, coverage = kit_coverage(
        composition.get("kit_coverage", {}), counted.get("kits")
    )
    return BenchmarkPage(
        snapshot=snapshot,
        published=bool(sources),
        rows=rows,
        total=total,
        difficulty=[_difficulty(row) for row in ([total, *rows] if total else [])],
        concentration=concentration,
        repositories=parts(
            (each["name"], each["inputs"]) for each in counted.get("repositories", [])
        ),
        f_point_counts=parts(
            (str(each["f_points"]), each["inputs"])
            for each in counted.get("f_points_per_input", [])
        ),
        references=references,
        kits=kits,
        coverage=coverage,
        described=described_tasks(snapshot),
        source_note=str(composition.get("source", "")),
    )


def _computed(snapshot: EvaluationSnapshot) -> Document:
    """For a snapshot that an earlier release imported; nothing without a Kit list."""
    try:
        return computed_statistics(snapshot)
    except KitListError as error:
        logger.error("No statistics of %s: %s", snapshot, error)
        return {}


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


def _published_total(composition: Mapping[str, Any]) -> SourceFacts:
    """Sums over the sources, but for repositories: sources share some of them."""
    rows = _published_rows(composition["task_sources"])
    tasks, f_points = sum(r.tasks for r in rows), sum(r.f_points for r in rows)
    return SourceFacts(
        source=ScopeName.OVERALL.value,
        label=str(ScopeName.OVERALL.label),
        repositories=str(composition.get("overall", {}).get("repositories", MISSING)),
        tasks=tasks,
        f_points=f_points,
        mean_f_points=str(rounded(Fraction(f_points, tasks))),
        difficulty=[
            sum(column) for column in zip(*(r.difficulty for r in rows), strict=True)
        ],
    )


def _counted_row(found: Document) -> SourceFacts:
    return SourceFacts(
        source=found["scope"],
        label=str(ScopeName(found["scope"]).label),
        repositories=str(found["repositories"]),
        tasks=found["inputs"],
        f_points=found["f_points"],
        mean_f_points=str(rounded(Fraction(found["f_points"], found["inputs"]))),
        difficulty=[found["difficulty"][level] for level in Difficulty.values],
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
    return DifficultyRow(row.source, row.label, row.tasks, shares)


def _published_concentration(name: str, found: Mapping[str, Any]) -> Concentration:
    """Figures as they were printed."""
    largest = found["largest_repository_percent"]
    three = found["top3_repositories_percent"]
    return Concentration(
        source=name,
        label=str(TaskSource(name).label),
        largest=f"{largest:.1f}",
        largest_three=f"{three:.1f}",
        width=largest,
        width_three=three,
    )


def _counted_concentration(found: Document) -> Concentration:
    largest, three = (
        Fraction(found[name]["inputs"], found["inputs"])
        for name in ("largest_repository", "top3_repositories")
    )
    return Concentration(
        source=found["scope"],
        label=str(ScopeName(found["scope"]).label),
        largest=percent(largest, 1),
        largest_three=percent(three, 1),
        width=round(float(100 * largest), 1),
        width_three=round(float(100 * three), 1),
    )


def _published_reference(name: str, found: Mapping[str, Any]) -> ReferenceFacts:
    low, high = found["input_length_chars"]["iqr"]
    return ReferenceFacts(
        source=name,
        label=str(TaskSource(name).label),
        input_length=f"{found['input_length_chars']['median']:g}",
        input_range=f"{low:g}–{high:g}",
        files=f"{found['reference_files_median']:g}",
        lines=f"{found['reference_loc_median']:g}",
    )


def _counted_reference(found: Document) -> ReferenceFacts:
    """Medians and quartiles in full: they end in quarters at most."""
    length: Mapping[str, float] = found["input_length"]
    return ReferenceFacts(
        source=found["scope"],
        label=str(ScopeName(found["scope"]).label),
        input_length=_plain(length["median"]),
        input_range=f"{_plain(length['low'])}–{_plain(length['high'])}",
        files=_plain(found["reference_files_median"]),
        lines=_plain(found["reference_lines_median"]),
    )


def _plain(value: float) -> str:
    return f"{value:.2f}".rstrip("0").removesuffix(".")
