"""What happened in public: publications, strikes, strikes taken back, openings."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import NamedTuple

from django.db.models import Q

from leaderboard.models import (
    UNLISTED,
    AuditEvent,
    Evaluation,
    EvaluationSnapshot,
)
from leaderboard.models.audit import subject_of
from leaderboard.passing.standings import with_pass_totals

LIMIT = 60


class News(NamedTuple):
    """One event; ``key`` names it for good. ``evaluation`` is None for openings."""

    key: str
    kind: str
    at: datetime
    snapshot: EvaluationSnapshot
    evaluation: Evaluation | None = None
    reason: str = ""


def latest_news() -> list[News]:
    """The latest events, the newest first; three queries and two for the totals."""
    evaluations = _evaluations()
    events = [
        event for evaluation in evaluations for event in _of_evaluation(evaluation)
    ]
    events += _openings()
    return sorted(events, key=lambda event: (event.at, event.key), reverse=True)[:LIMIT]


def _evaluations() -> Iterable[Evaluation]:
    """Those that were published last, and every one that was ever struck out."""
    rows = (
        Evaluation.objects.on_record()
        .filter(published_at__isnull=False)
        .select_related("configuration", "snapshot__benchmark")
        .order_by("-published_at", "-pk")
    )
    latest = list(rows.values_list("pk", flat=True)[:LIMIT])
    struck = Q(struck_out_at__isnull=False) | ~Q(past_strikes=[])
    return with_pass_totals(rows.filter(Q(pk__in=latest) | struck).with_totals())


def _of_evaluation(evaluation: Evaluation) -> Iterable[News]:
    def event(kind: str, at: datetime, reason: str = "") -> News:
        key = f"evaluation-{evaluation.pk}/{kind}/{at:%Y%m%dT%H%M%S}"
        return News(key, kind, at, evaluation.snapshot, evaluation, reason)

    if evaluation.published_at is not None:
        yield event("published", evaluation.published_at)
    for strike in evaluation.strikes():
        if strike.start is not None:
            yield event(strike.kind, strike.start, strike.reason)
        if strike.end is not None:
            yield event("reinstated", strike.end)


def _openings() -> list[News]:
    snapshots = {
        subject_of(snapshot): snapshot
        for snapshot in EvaluationSnapshot.objects.select_related("benchmark").exclude(
            status__in=UNLISTED
        )
    }
    opened = AuditEvent.objects.filter(act="open snapshot", subject__in=snapshots)
    return [
        News(
            key=f"snapshot-{snapshots[event.subject].pk}/opened/{event.pk}",
            kind="opened",
            at=event.at,
            snapshot=snapshots[event.subject],
        )
        for event in opened
    ]
