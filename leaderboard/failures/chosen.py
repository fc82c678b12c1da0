"""Failed task runs of one evaluation, all or those with a certain reason."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from django.db.models import Prefetch, Q, QuerySet
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from leaderboard.failures.taxonomy import FailureReason
from leaderboard.models import (
    COUNTS,
    Evaluation,
    FailureLabel,
    ShownReason,
    TaskResult,
)

# Stand beside the reasons wherever one can be chosen.
NONE, DISPUTED = "none", "disputed"
BESIDE: Mapping[str, str | Promise] = {
    NONE: _("No reason yet"),
    DISPUTED: _("Reviewers disagree"),
}
CHOICES: list[tuple[str, Any]] = [*FailureReason.choices, *BESIDE.items()]


class Narrowed(NamedTuple):
    """What is asked for; empty means all."""

    reason: str = ""
    source: str = ""
    kit: str = ""
    run: str = ""


def failed_results(evaluation: Evaluation) -> QuerySet[TaskResult]:
    """Decided task runs that do not count as completed: the denominator of a split."""
    return TaskResult.objects.filter(run__evaluation=evaluation).exclude(COUNTS)


def chosen_results(evaluation: Evaluation, narrowed: Narrowed) -> QuerySet[TaskResult]:
    """Those that fit, with their labels; a fixed number of queries."""
    found = failed_results(evaluation)
    if narrowed.reason:
        found = found.filter(reason_is(narrowed.reason))
    if narrowed.source:
        found = found.filter(task__source=narrowed.source)
    if narrowed.kit:
        found = found.filter(task__kits__slug=narrowed.kit)
    if narrowed.run:
        found = found.filter(run__number=int(narrowed.run))
    return with_labels(found).order_by(
        "task__position", "task__slug", "run__number", "pk"
    )


def with_labels(results: QuerySet[TaskResult]) -> QuerySet[TaskResult]:
    labels = FailureLabel.objects.order_by("pk").select_related("by")
    return results.select_related(
        "task", "run", "overruling", "shown_reason"
    ).prefetch_related(Prefetch("failure_labels", queryset=labels))


def reason_is(reason: str) -> Q:
    """The condition on a task result for one of ``CHOICES``."""
    if reason == NONE:
        return Q(shown_reason=None)
    if reason == DISPUTED:
        return Q(shown_reason__reason="")
    return Q(shown_reason__reason=reason)


def fits(shown: ShownReason | None, reason: str) -> bool:
    """The same condition on a row that is read already."""
    if reason == NONE:
        return shown is None
    if shown is None:
        return False
    return shown.reason == ("" if reason == DISPUTED else reason)
