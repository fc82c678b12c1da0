"""The outbox: what is told outside is written in the transaction of the change itself.

A change that is rolled back tells nothing, and one that is committed is not forgotten,
whatever is down at that moment. Sending is at least once: a row is taken with one
conditional update and marked when its receiver has it, so a sender that is killed in
between sends again, with the same key. Which function sends through which channel is
said by the setting ``OHB_OUTBOX_CHANNELS``; upper floors provide them.
"""

from __future__ import annotations

import logging
import random
import threading
from collections.abc import Callable, Collection, Iterable, Mapping
from datetime import datetime, timedelta
from typing import Any, NamedTuple

from django.conf import settings
from django.contrib.auth.models import AbstractBaseUser
from django.db import connection, transaction
from django.db.models import Count, F, QuerySet
from django.utils import timezone
from django.utils.module_loading import import_string

from leaderboard.models import MessageState, OutboxMessage, record

logger = logging.getLogger(__name__)

# Sends one message and says in a few words what came of it; raises where it failed.
Sender = Callable[[OutboxMessage], str]

EVENT = "event"
# Longer than any try may take: mail and webhooks end theirs after some seconds.
LEASE = timedelta(minutes=2)
# One, three, nine ... minutes, half a day at most: about 18 hours in all.
TRIES = 8
FIRST_WAIT_SECONDS = 60.0
LONGEST_WAIT_SECONDS = 12 * 3600.0


class NotDeliveredError(Exception):
    """The receiver did not take it; the text alone says why, in words for its owner."""


class Recipient(NamedTuple):
    """Who gets an event through which channel, and what the message will need."""

    channel: str
    target: str
    data: Mapping[str, Any]


class Delivered(NamedTuple):
    sent: int
    failed: int


def tell(kind: str, *, key: str, data: Mapping[str, Any]) -> None:
    """Write down an event; call inside the transaction of what it tells of.

    The same ``key`` a second time changes nothing.
    """
    if not connection.in_atomic_block:
        raise RuntimeError(
            f"{key!r} would be told apart from its change. Call tell() inside the "
            "transaction that makes the change."
        )
    now = timezone.now()
    OutboxMessage.objects.bulk_create(
        [
            OutboxMessage(
                key=key,
                channel=EVENT,
                kind=kind,
                data=dict(data),
                available_at=now,
                created_at=now,
            )
        ],
        ignore_conflicts=True,
    )


def address(event: OutboxMessage, recipients: Iterable[Recipient]) -> None:
    """Write one message for each recipient of ``event``; twice is as good as once."""
    now = timezone.now()
    OutboxMessage.objects.bulk_create(
        [
            OutboxMessage(
                key=f"{event.key}/{each.channel}/{each.target}",
                channel=each.channel,
                kind=event.kind,
                target=each.target,
                parent=event,
                data=dict(each.data),
                available_at=now,
                created_at=now,
            )
            for each in recipients
        ],
        ignore_conflicts=True,
    )


def channels() -> list[str]:
    """The channels that this installation sends through."""
    return list(settings.OHB_OUTBOX_CHANNELS)


def deliver_due(
    only: Collection[str] | None = None, *, stop: threading.Event | None = None
) -> Delivered:
    """Send what is due, until nothing is left or ``stop`` is set.

    Events come first in ``OHB_OUTBOX_CHANNELS``, so one call also sends what they lead
    to. Any number of processes may do this at the same time.
    """
    counted = {True: 0, False: 0}
    for channel in channels():
        while only is None or channel in only:
            message = None if stop and stop.is_set() else claim(channel)
            if message is None:
                break
            counted[send(message)] += 1
    return Delivered(sent=counted[True], failed=counted[False])


def claim(channel: str) -> OutboxMessage | None:
    """Take the oldest message of ``channel`` that is due; nobody else gets it now."""
    now = timezone.now()
    due = OutboxMessage.objects.due(now).filter(channel=channel)
    # A handful of candidates: others may take the first ones at the same moment.
    for message in due[:8]:
        mine = due.order_by().filter(pk=message.pk, fence=message.fence)
        if message.tries >= TRIES:
            mine.update(
                state=MessageState.DEAD,
                lease_until=None,
                last_error="Every sender was lost before it could tell the end.",
            )
        elif mine.update(
            state=MessageState.SENDING,
            fence=F("fence") + 1,
            tries=F("tries") + 1,
            lease_until=now + LEASE,
        ):
            message.fence += 1
            message.tries += 1
            return message
    return None


def send(message: OutboxMessage) -> bool:
    """Try once to send a message that was claimed; whether it went well."""
    try:
        sender: Sender = import_string(settings.OHB_OUTBOX_CHANNELS[message.channel])
        answer = sender(message)
    except NotDeliveredError as error:
        _mark_failed(message, str(error))
        return False
    except Exception as error:  # noqa: BLE001 - every channel has errors of its own
        _mark_failed(message, f"{type(error).__name__}: {error}")
        return False
    mark_sent(message, answer)
    return True


def mark_sent(message: OutboxMessage, answer: str) -> None:
    _end(
        message,
        state=MessageState.SENT,
        sent_at=timezone.now(),
        answer=answer[:200],
    )


def _mark_failed(message: OutboxMessage, error: str) -> None:
    logger.warning("%s: try %s failed: %s", message, message.tries, error)
    given_up = message.tries >= TRIES
    _end(
        message,
        state=MessageState.DEAD if given_up else MessageState.WAITING,
        available_at=timezone.now() + _wait_after(message.tries),
        last_error=error.replace("\x00", "")[:500],
    )


def _wait_after(tries: int) -> timedelta:
    # Jitter keeps what failed together from coming back together.
    jitter = random.uniform(0.8, 1.2)  # noqa: S311 - no secret
    wait = min(FIRST_WAIT_SECONDS * 3.0 ** (tries - 1), LONGEST_WAIT_SECONDS)
    return timedelta(seconds=wait * jitter * settings.OHB_BACKOFF_FACTOR)


def _end(message: OutboxMessage, **changes: Any) -> None:
    """Give a message up; nothing changes when somebody else has taken it meanwhile."""
    OutboxMessage.objects.filter(
        pk=message.pk, state=MessageState.SENDING, fence=message.fence
    ).update(lease_until=None, **changes)


def dead_messages() -> QuerySet[OutboxMessage]:
    """What nobody tries to send any more, until an operator says so."""
    return OutboxMessage.objects.filter(state=MessageState.DEAD)


def send_again(
    messages: QuerySet[OutboxMessage],
    *,
    by: AbstractBaseUser | None = None,
    reason: str = "",
) -> int:
    """Let those of ``messages`` that are dead be tried anew; an operator's act.

    Returns how many they are. Their keys stay, so whoever has a copy can tell.
    """
    with transaction.atomic():
        keys = list(
            messages.filter(state=MessageState.DEAD)
            .select_for_update()
            .order_by("pk")
            .values_list("key", flat=True)
        )
        OutboxMessage.objects.filter(key__in=keys, state=MessageState.DEAD).update(
            state=MessageState.WAITING, tries=0, available_at=timezone.now()
        )
        if keys:
            record(
                "send again",
                f"outbox: {len(keys)} messages",
                by=by,
                reason=reason,
                before={"keys": keys},
            )
    return len(keys)


class Waiting(NamedTuple):
    """How much is in the outbox: to be sent, and given up."""

    waiting: int
    dead: int


def waiting() -> Waiting:
    """One query, whatever was sent before."""
    unsent = (MessageState.WAITING, MessageState.SENDING, MessageState.DEAD)
    counts = _counts(OutboxMessage.objects.filter(state__in=unsent))
    dead = counts.pop(MessageState.DEAD, 0)
    return Waiting(sum(counts.values()), dead)


class Backlog(NamedTuple):
    """The whole outbox; ``sent`` are kept until a sweep removes them."""

    waiting: int
    dead: int
    sent: int
    oldest_waiting: datetime | None


def backlog() -> Backlog:
    """How much is in the outbox, and since when the oldest message is due."""
    counts = _counts(OutboxMessage.objects.all())
    oldest = OutboxMessage.objects.due(timezone.now()).first()
    return Backlog(
        waiting=counts.get(MessageState.WAITING, 0)
        + counts.get(MessageState.SENDING, 0),
        dead=counts.get(MessageState.DEAD, 0),
        sent=counts.get(MessageState.SENT, 0),
        oldest_waiting=None if oldest is None else oldest.available_at,
    )


def _counts(messages: QuerySet[OutboxMessage]) -> dict[str, int]:
    rows = messages.order_by().values_list("state").annotate(Count("pk"))
    return dict(rows)


def is_due(channel: str, now: datetime | None = None) -> bool:
    due = OutboxMessage.objects.due(now or timezone.now())
    return due.filter(channel=channel).exists()
