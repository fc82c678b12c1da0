"""Messages that were sent long ago.

A delivery goes for good. Of an event its key stays: whoever tells of the same occasion
once more, as the embargoes and the queue do, must go on telling nothing twice.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta

from django.conf import settings
from django.db.models import Exists, OuterRef, QuerySet

from leaderboard.models import MessageState, OutboxMessage
from leaderboard.outbox import EVENT
from submissions.retention.freed import Freed

# A receiver may ask for a delivery of last week, and a page of a webhook shows them.
LEAST_DAYS = 14
_BATCH = 1000


def remove_sent(now: datetime, *, dry_run: bool) -> Iterator[Freed]:
    """Remove sent deliveries, and empty events whose deliveries are all gone."""
    days: int = settings.OHB_MESSAGE_DAYS
    if not days:
        return
    before = now - timedelta(days=max(days, LEAST_DAYS))
    old = OutboxMessage.objects.filter(
        state=MessageState.SENT, sent_at__lt=before
    ).order_by()
    deliveries = old.exclude(channel=EVENT)
    count = deliveries.count() if dry_run else _delete(deliveries)
    if count:
        yield Freed("sent messages", f"{count} older than {before:%Y-%m-%d}", 0)
    if not dry_run:
        left = OutboxMessage.objects.filter(parent=OuterRef("pk"))
        old.filter(~Exists(left), channel=EVENT).exclude(data={}).update(data={})


def _delete(messages: QuerySet[OutboxMessage]) -> int:
    """In batches, so that nobody who sends has to wait."""
    count = 0
    while keys := list(messages.values_list("pk", flat=True)[:_BATCH]):
        deleted, _ = messages.filter(pk__in=keys).delete()
        if not deleted:
            break
        count += deleted
    return count
