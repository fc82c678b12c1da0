"""Labels the failed task runs of a closed run; doing it twice gives the same rows."""

from __future__ import annotations

from django.db.models import Q, QuerySet

from leaderboard.failures.labels import label_run
from leaderboard.failures.rules import RULES_VERSION, findings
from leaderboard.models import Run
from submissions.failures.evidence import facts_of


def labelled() -> QuerySet[Run]:
    """Closed runs of submissions. What proves a snapshot fails on purpose."""
    return (
        Run.objects.filter(
            finished_at__isnull=False, evaluation__submission__isnull=False
        )
        .select_related("evaluation")
        .order_by("finished_at", "pk")
    )


def due() -> QuerySet[Run]:
    """Closed runs that the rules of today have not looked at, the oldest first."""
    return labelled().filter(
        Q(label_pass=None) | Q(label_pass__rules__lt=RULES_VERSION)
    )


def label(run: Run) -> int:
    """Keep what the rules see in ``run``; how many labels that changed."""
    found = {result.pk: findings(facts) for result, facts in facts_of(run)}
    return label_run(run, found)
