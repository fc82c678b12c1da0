"""Failure reasons as pages show them: badges, labels with their evidence, the split."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from fractions import Fraction
from typing import Any, NamedTuple
from urllib.parse import urlencode

from django.contrib.auth.models import User
from django.core.paginator import Page, Paginator
from django.http import QueryDict
from django.urls import reverse
from django.utils.functional import Promise

from leaderboard.failures.agreement import Agreement
from leaderboard.failures.chosen import (
    BESIDE,
    DISPUTED,
    NONE,
    Narrowed,
    chosen_results,
)
from leaderboard.failures.labels import in_force
from leaderboard.failures.split import FailureSplit, split_of
from leaderboard.failures.taxonomy import (
    FailureReason,
    LabelOrigin,
    ReasonGroup,
    group_of,
)
from leaderboard.failures.words import sentence
from leaderboard.formats import MISSING, percent
from leaderboard.forms import FailureForm
from leaderboard.metrics import rounded
from leaderboard.models import Evaluation, FailureLabel, ShownReason, TaskResult
from leaderboard.outcomes import Outcome, outcome
from leaderboard.plain_text import visible
from leaderboard.sources import sources_of

ROWS = 100


class ReasonBadge(NamedTuple):
    """A reason with who says so; ``name`` is its stable name, "" without one."""

    name: str
    label: str | Promise
    origin: str
    origin_label: str | Promise
    disputed: bool
    reviewers: int


class LabelLine(NamedTuple):
    """One label as a line of text; ``holds`` until a later one takes its place."""

    label: str | Promise
    origin: str
    origin_label: str | Promise
    text: str
    quote: str
    place: str
    href: str
    at: datetime
    by: User | None
    holds: bool


class FailedRow(NamedTuple):
    """One failed task run."""

    result: TaskResult
    outcome: Outcome
    badge: ReasonBadge | None
    lines: Sequence[LabelLine]


class SplitCell(NamedTuple):
    number: int
    href: str


class SplitRow(NamedTuple):
    """``cells`` are by source, in the order of ``SplitTable.sources``."""

    label: str | Promise
    group: str | Promise
    total: SplitCell
    percent: str
    cells: Sequence[SplitCell]


class KitRow(NamedTuple):
    name: str
    slug: str
    failed: SplitCell
    cells: Sequence[SplitCell]


class PairRow(NamedTuple):
    """Two reviewers; ``kappa`` is a dash where it says nothing."""

    first: Any
    second: Any
    agreed: int
    items: int
    percent: str
    kappa: str


class AgreementTable(NamedTuple):
    items: int
    agreed: int
    compared: int
    percent: str
    pairs: Sequence[PairRow]


@dataclass(frozen=True, slots=True)
class SplitTable:
    """None of it where no task run failed; ``share`` is of all decided task runs."""

    href: str
    across: str
    failed: int
    decided: int
    sources: Sequence[tuple[str, str, int]]
    rows: Sequence[SplitRow]
    kit_heads: Sequence[str | Promise]
    kits: Sequence[KitRow]
    origins: Sequence[tuple[str | Promise, int]]
    disputed: int
    agreement: AgreementTable | None


@dataclass(frozen=True, slots=True)
class FailuresPage:
    evaluation: Evaluation
    split: SplitTable | None
    form: FailureForm
    page: Page[Any]
    rows: Sequence[FailedRow]
    query: str


def badge_of(shown: ShownReason | None) -> ReasonBadge | None:
    if shown is None:
        return None
    return ReasonBadge(
        name=shown.reason,
        label=FailureReason(shown.reason).label if shown.reason else BESIDE[DISPUTED],
        origin=shown.origin,
        origin_label=LabelOrigin(shown.origin).label,
        disputed=shown.disputed,
        reviewers=shown.reviewers,
    )


def shown_reason_of(result: TaskResult) -> ShownReason | None:
    """Select ``shown_reason`` with many rows."""
    return getattr(result, "shown_reason", None)


def label_lines(result: TaskResult) -> list[LabelLine]:
    """Every label of a task run, those that hold first, in the order of time."""
    labels = list(result.failure_labels.all())
    holding = {each.pk for each in in_force(labels)}
    lines = [_line(each, result, holds=each.pk in holding) for each in labels]
    return sorted(lines, key=lambda line: not line.holds)


def _line(label: FailureLabel, result: TaskResult, *, holds: bool) -> LabelLine:
    evidence = label.evidence
    artifact, line = str(evidence.get("artifact") or ""), evidence.get("line")
    reviewed = label.origin == LabelOrigin.REVIEWER
    text = label.note if reviewed else sentence(label.rule, evidence.get("figures", {}))
    return LabelLine(
        label=FailureReason(label.reason).label if label.reason else MISSING,
        origin=label.origin,
        origin_label=LabelOrigin(label.origin).label,
        text=text,
        quote=visible(str(evidence.get("quote") or "")),
        place=f"{artifact}:{line}" if line else artifact,
        href=_evidence_href(result, artifact, line) if artifact else "",
        at=label.at,
        by=label.by,
        holds=holds,
    )


def _evidence_href(result: TaskResult, artifact: str, line: object) -> str:
    place = {"file": artifact, **({"line": line} if line else {})}
    anchor = "" if line else "#viewer"
    return f"{result.get_absolute_url()}?{urlencode(place)}{anchor}"


def split_table(evaluation: Evaluation) -> SplitTable | None:
    """None where no decided task run failed."""
    split = split_of(evaluation)
    if not split.failed:
        return None
    href = reverse("evaluation-failures", args=[evaluation.pk])
    wanted = [(each.value, each.label) for each in split.reasons]
    sources = [(each, name, split.of(source=each)) for each, name in split.sources]
    rows = [_row(split, href, name, label) for name, label in wanted]
    if undecided := split.of("", origin=LabelOrigin.REVIEWER):
        rows.append(_beside(split, href, DISPUTED, count=undecided))
    if unlabelled := split.of("", origin=""):
        rows.append(_beside(split, href, NONE, count=unlabelled))
    origins = [
        (each.label, split.of(origin=each))
        for each in LabelOrigin
        if split.of(origin=each)
    ]
    return SplitTable(
        href=href,
        across=reverse(
            "snapshot-failures",
            args=[evaluation.snapshot.benchmark.slug, evaluation.snapshot.version],
        ),
        failed=split.failed,
        decided=split.decided,
        sources=sources,
        rows=rows,
        kit_heads=[label for _, label in wanted],
        kits=[
            KitRow(
                kit.name,
                kit.slug,
                SplitCell(kit.failed, _href(href, kit=kit.slug)),
                [
                    SplitCell(
                        kit.counts.get(name, 0), _href(href, kit=kit.slug, reason=name)
                    )
                    for name, _ in wanted
                ],
            )
            for kit in split.kits
        ],
        origins=origins,
        disputed=split.disputed,
        agreement=agreement_table(split.agreement),
    )


def agreement_table(
    found: Agreement, people: dict[Any, Any] | None = None
) -> AgreementTable | None:
    """None where no task run has two reviewers.

    Without ``people``, their names by what stands for them, they are numbered.
    """
    if not found.compared:
        return None
    names = people or _numbered(found)
    return AgreementTable(
        items=found.items,
        agreed=found.agreed,
        compared=found.compared,
        percent=percent(found.share),
        pairs=[
            PairRow(
                first=names[pair.first],
                second=names[pair.second],
                agreed=pair.agreed,
                items=pair.items,
                percent=percent(Fraction(pair.agreed, pair.items)),
                kappa=MISSING if pair.kappa is None else str(rounded(pair.kappa, 2)),
            )
            for pair in found.pairs
        ],
    )


def _numbered(found: Agreement) -> dict[Any, Any]:
    people = sorted({each for pair in found.pairs for each in pair[:2]}, key=repr)
    return {person: number for number, person in enumerate(people, start=1)}


def _row(split: FailureSplit, href: str, name: str, label: str | Promise) -> SplitRow:
    total = split.of(name)
    return SplitRow(
        label=label,
        group=ReasonGroup(group_of(name)).label,
        total=SplitCell(total, _href(href, reason=name)),
        percent=percent(Fraction(total, split.failed)),
        cells=[
            SplitCell(
                split.of(name, source=source),
                _href(href, reason=name, source=source),
            )
            for source, _name in split.sources
        ],
    )


def _beside(split: FailureSplit, href: str, name: str, *, count: int) -> SplitRow:
    origin = LabelOrigin.REVIEWER if name == DISPUTED else ""
    return SplitRow(
        label=BESIDE[name],
        group="",
        total=SplitCell(count, _href(href, reason=name)),
        percent=percent(Fraction(count, split.failed)),
        cells=[
            SplitCell(
                split.of("", source=source, origin=origin),
                _href(href, reason=name, source=source),
            )
            for source, _name in split.sources
        ],
    )


def _href(href: str, **chosen: str) -> str:
    return f"{href}?{urlencode(chosen)}"


def failures_page(evaluation: Evaluation, query: QueryDict) -> FailuresPage:
    """Failed task runs of an evaluation that fit the query, in pages."""
    split = split_table(evaluation)
    form = FailureForm(
        query,
        sources=sources_of(evaluation.snapshot),
        kits=sorted((kit.slug, kit.name) for kit in split.kits) if split else [],
        runs=[(str(run.number), str(run.number)) for run in evaluation.runs.all()],
    )
    found = chosen_results(
        evaluation, Narrowed(*(form.chosen(name) for name in Narrowed._fields))
    )
    page = Paginator(found, ROWS).get_page(query.get("page"))
    kept = {name: form.chosen(name) for name in Narrowed._fields if form.chosen(name)}
    return FailuresPage(
        evaluation=evaluation,
        split=split,
        form=form,
        page=page,
        rows=[failed_row(result, evaluation) for result in page.object_list],
        query=urlencode(kept),
    )


def failed_row(result: TaskResult, evaluation: Evaluation) -> FailedRow:
    result.run.evaluation = evaluation
    return FailedRow(
        result=result,
        outcome=outcome(
            completed=result.completed,
            reason=result.reason,
            overruled=result.is_overruled,
        ),
        badge=badge_of(shown_reason_of(result)),
        lines=[line for line in label_lines(result) if line.holds],
    )
