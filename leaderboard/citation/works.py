"""What can be cited, and what is known of it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date

from leaderboard.models import Evaluation, EvaluationSnapshot


@dataclass(frozen=True, slots=True, kw_only=True)
class Work:
    """``authors`` are organizations; ``accessed`` is None where the text is fixed."""

    key: str
    title: str
    authors: tuple[str, ...]
    published: date
    url: str
    arxiv: str = ""
    version: str = ""
    note: str = ""
    license: str = ""
    accessed: date | None = None


def benchmark_work(snapshot: EvaluationSnapshot, *, home: str) -> Work:
    """The report on the benchmark where one is known, else the site ``home``."""
    name = snapshot.benchmark.name
    report = snapshot.composition.get("report")
    if report is None:
        return Work(
            key=_key(name),
            title=name,
            authors=(name,),
            published=snapshot.task_snapshot_date,
            url=home,
        )
    published = date.fromisoformat(report["published_on"])
    return Work(
        key=_key(f"{name} {published.year}"),
        title=report["title"],
        authors=tuple(report["authors"]),
        published=published,
        url=f"https://arxiv.org/abs/{report['arxiv']}",
        arxiv=report["arxiv"],
    )


def snapshot_work(
    snapshot: EvaluationSnapshot, *, url: str, day: date, accessed: date, license: str
) -> Work:
    """The standings of ``snapshot`` at the end of ``day``; ``url`` is their own."""
    name = snapshot.benchmark.name
    return Work(
        key=_key(f"{snapshot} {day}"),
        title=f"{name} leaderboard: snapshot {snapshot.version}, standings of {day}",
        authors=(name,),
        published=day,
        url=url,
        version=snapshot.version,
        note=f"Task snapshot of {snapshot.task_snapshot_date}",
        license=license,
        accessed=accessed,
    )


def entry_work(
    evaluation: Evaluation,
    *,
    result: str,
    url: str,
    accessed: date,
    license: str,
) -> Work:
    """One evaluation with its ``result`` in words; its day is that it was published."""
    snapshot, configuration = evaluation.snapshot, evaluation.configuration
    simulated = ", simulated device" if evaluation.simulated else ""
    published = evaluation.published_at or evaluation.created_at
    return Work(
        key=_key(f"{snapshot} {configuration.model} {evaluation.pk}"),
        title=f"{configuration.model} with {configuration.agent_name} "
        f"{configuration.agent_version} on {snapshot}",
        authors=(snapshot.benchmark.name,),
        published=published.date(),
        url=url,
        version=snapshot.version,
        note=f"{result}; {evaluation.provenance}{simulated}",
        license=license,
        accessed=accessed,
    )


def _key(text: str) -> str:
    """A key of BibTeX: letters, digits and hyphens."""
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")
