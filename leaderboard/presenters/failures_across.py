"""Failure reasons of the configurations on one snapshot, side by side."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, NamedTuple
from urllib.parse import urlencode

from django.core.paginator import Page, Paginator
from django.db.models import Count, Exists, OuterRef, Subquery
from django.http import QueryDict
from django.urls import reverse
from django.utils.functional import Promise

from leaderboard.failures.chosen import BESIDE, DISPUTED, NONE
from leaderboard.failures.taxonomy import FailureReason
from leaderboard.formats import MISSING, percent
from leaderboard.forms import AcrossForm
from leaderboard.models import (
    COUNTS,
    Evaluation,
    EvaluationSnapshot,
    Kit,
    Provenance,
    ScopeName,
    ScopeTotals,
    TaskResult,
)
from leaderboard.sources import sources_of

ROWS = 50


class AcrossCell(NamedTuple):
    """``percent`` is of the failed task runs of the row."""

    number: int
    percent: str
    href: str


class AcrossRow(NamedTuple):
    """One evaluation; counts are of what the form leaves."""

    evaluation: Evaluation
    failed: int
    decided: int
    cells: Sequence[AcrossCell]


@dataclass(frozen=True, slots=True)
class AcrossPage:
    snapshot: EvaluationSnapshot
    form: AcrossForm
    page: Page[Any]
    heads: Sequence[str | Promise]
    rows: Sequence[AcrossRow]
    query: str


class _Counts(NamedTuple):
    decided: int
    failed: Counter[str]


def across_page(snapshot: EvaluationSnapshot, query: QueryDict) -> AcrossPage:
    """One page of configurations; a fixed number of queries."""
    kits = Kit.objects.filter(tasks__snapshot=snapshot).distinct().order_by("name")
    form = AcrossForm(
        query,
        sources=sources_of(snapshot),
        kits=list(kits.values_list("slug", "name")),
    )
    chosen = {
        name: form.chosen(name) for name in ("source", "kit") if form.chosen(name)
    }
    page = Paginator(_evaluations(snapshot), ROWS).get_page(query.get("page"))
    evaluations = list(page.object_list)
    counts = _counts(evaluations, chosen)
    present = {name for each in counts.values() for name, n in each.failed.items() if n}
    heads = [
        (name, label)
        for name, label in [*FailureReason.choices, *BESIDE.items()]
        if name in present
    ]
    return AcrossPage(
        snapshot=snapshot,
        form=form,
        page=page,
        heads=[label for _, label in heads],
        rows=[
            _row(each, counts[each.pk], [name for name, _ in heads], chosen)
            for each in evaluations
        ],
        query=urlencode(chosen),
    )


def _evaluations(snapshot: EvaluationSnapshot) -> Any:
    """Public ones with outcomes of single tasks, in the order of completion."""
    completed = ScopeTotals.objects.filter(
        evaluation=OuterRef("pk"), run=None, scope=ScopeName.OVERALL
    ).values("completed_count")[:1]
    held = TaskResult.objects.filter(run__evaluation=OuterRef("pk"))
    return (
        Evaluation.objects.published_on(snapshot)
        .exclude(provenance=Provenance.BASELINE)
        .filter(Exists(held))
        .annotate(completed=Subquery(completed))
        .order_by("-completed", "configuration__model", "pk")
    )


def _counts(
    evaluations: Sequence[Evaluation], chosen: dict[str, str]
) -> dict[int, _Counts]:
    found = TaskResult.objects.filter(
        run__evaluation__in=[each.pk for each in evaluations]
    )
    if source := chosen.get("source"):
        found = found.filter(task__source=source)
    if kit := chosen.get("kit"):
        found = found.filter(task__kits__slug=kit)
    decided: Counter[int] = Counter()
    failed: dict[int, Counter[str]] = defaultdict(Counter)
    rows = (
        found.order_by()
        .values_list("run__evaluation", "shown_reason__reason")
        .annotate(every=Count("pk"), done=Count("pk", filter=COUNTS))
    )
    for evaluation, reason, every, done in rows:
        name = NONE if reason is None else reason or DISPUTED
        decided[evaluation] += every
        failed[evaluation][name] += every - done
    return {each.pk: _Counts(decided[each.pk], failed[each.pk]) for each in evaluations}


def _row(
    evaluation: Evaluation,
    counts: _Counts,
    names: Sequence[str],
    chosen: dict[str, str],
) -> AcrossRow:
    href = reverse("evaluation-failures", args=[evaluation.pk])
    total = counts.failed.total()
    return AcrossRow(
        evaluation=evaluation,
        failed=total,
        decided=counts.decided,
        cells=[
            AcrossCell(
                counts.failed[name],
                percent(Fraction(counts.failed[name], total)) if total else MISSING,
                f"{href}?{urlencode({**chosen, 'reason': name})}",
            )
            for name in names
        ],
    )
