"""Logs of results that the public does not see."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta

from django.conf import settings
from django.db.models import Count, Exists, OuterRef, Sum

from evaluator.models import Job, JobState
from leaderboard.models import Absence, Artifact, Evaluation, Visibility
from submissions.retention.freed import Freed

LOG_KINDS = ("log", "submitted-log", "diagnostics")
_UNSEEN = (Visibility.PRIVATE, Visibility.WITHDRAWN)
_DECIDED = (JobState.SCORED, JobState.CANCELLED)


def expire_logs(now: datetime, *, dry_run: bool) -> Iterator[Freed]:
    """Stop keeping old logs of private and withdrawn evaluations, one by one.

    Their rows stay, with digest and size; the bytes go as unused ones do. What is
    public, under embargo or still at work keeps everything.
    """
    days: int = settings.OHB_LOG_DAYS
    if not days:
        return
    open_jobs = Job.objects.filter(evaluation=OuterRef("pk")).exclude(
        state__in=_DECIDED
    )
    unseen = Evaluation.objects.filter(
        ~Exists(open_jobs), visibility__in=_UNSEEN
    ).order_by("pk")
    for evaluation in unseen.iterator():
        old = Artifact.objects.kept().filter(
            run__evaluation=evaluation,
            kind__in=LOG_KINDS,
            created_at__lt=now - timedelta(days=days),
        )
        sums = old.aggregate(count=Count("pk"), size=Sum("size_bytes"))
        if not sums["count"]:
            continue
        if not dry_run:
            # Asked again in the same statement: it may have been published meanwhile.
            old.filter(run__evaluation__visibility__in=_UNSEEN).update(
                absence=Absence.EXPIRED
            )
        name = f"evaluation {evaluation.pk}, {sums['count']} logs"
        yield Freed("old logs", name, sums["size"])
