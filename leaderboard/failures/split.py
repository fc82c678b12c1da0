"""How the failed task runs of an evaluation split into reasons, in counts."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from django.db.models import Count

from leaderboard.failures.agreement import Agreement, Opinion, agreement
from leaderboard.failures.chosen import failed_results
from leaderboard.failures.taxonomy import FailureReason, LabelOrigin
from leaderboard.models import Evaluation, FailureLabel
from leaderboard.sources import sources_of


class KitSplit(NamedTuple):
    """``counts`` by reason, "" for none; a task run counts for each Kit of its task."""

    name: str
    slug: str
    failed: int
    counts: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class FailureSplit:
    """``counts`` has (source, reason, origin); without a label the last two are "".

    ``failed`` is the denominator, ``decided`` all task runs that have an outcome.
    ``sources`` are those that occur, by slug and name in the order of pages.
    """

    decided: int
    sources: Sequence[tuple[str, str]]
    counts: Mapping[tuple[str, str, str], int]
    disputed: int
    kits: Sequence[KitSplit]
    agreement: Agreement

    @property
    def failed(self) -> int:
        return sum(self.counts.values())

    def of(
        self,
        reason: str | None = None,
        *,
        source: str | None = None,
        origin: str | None = None,
    ) -> int:
        """Failed task runs that fit; None means whatever it is."""
        return sum(
            count
            for (in_source, why, whose), count in self.counts.items()
            if reason in {None, why}
            and source in {None, in_source}
            and origin in {None, whose}
        )

    @property
    def reasons(self) -> list[FailureReason]:
        """Those that occur, in the order of the taxonomy."""
        return [each for each in FailureReason if self.of(each)]


def split_of(evaluation: Evaluation) -> FailureSplit:
    """Five queries, and one where there are streams, for any number of task runs."""
    failed = failed_results(evaluation).order_by()
    counts: Counter[tuple[str, str, str]] = Counter()
    disputed = 0
    fields = ("task__source", "shown_reason__reason", "shown_reason__origin")
    for source, reason, origin, in_dispute, count in failed.values_list(
        *fields, "shown_reason__disputed"
    ).annotate(Count("pk")):
        counts[source, reason or "", origin or ""] += count
        disputed += count if in_dispute else 0
    found = {source for source, _, _ in counts}
    return FailureSplit(
        decided=evaluation.runs.aggregate(found=Count("results"))["found"],
        sources=[each for each in sources_of(evaluation.snapshot) if each[0] in found],
        counts=counts,
        disputed=disputed,
        kits=_kits(evaluation),
        agreement=agreement_of(evaluation),
    )


def agreement_of(evaluation: Evaluation | None = None) -> Agreement:
    """How far reviewers agree in one evaluation, or in all; by their latest labels."""
    labels = FailureLabel.objects.filter(origin=LabelOrigin.REVIEWER)
    if evaluation is not None:
        labels = labels.filter(result__run__evaluation=evaluation)
    latest = {
        (result, by): reason
        for result, by, reason in labels.order_by("pk").values_list(
            "result", "by", "reason"
        )
    }
    return agreement(
        Opinion(result, by, reason) for (result, by), reason in latest.items() if reason
    )


def _kits(evaluation: Evaluation) -> list[KitSplit]:
    """The Kits with the most failed task runs first."""
    rows = (
        failed_results(evaluation)
        .exclude(task__kits=None)
        .order_by()
        .values_list("task__kits__name", "task__kits__slug", "shown_reason__reason")
        .annotate(Count("pk"))
    )
    found: dict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    for name, slug, reason, count in rows:
        found[name, slug][reason or ""] += count
    kits = [
        KitSplit(name, slug, counts.total(), counts)
        for (name, slug), counts in found.items()
    ]
    return sorted(kits, key=lambda kit: (-kit.failed, kit.name))
