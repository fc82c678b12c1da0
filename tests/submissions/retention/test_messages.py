"""Messages that were sent long ago go; what is not sent, and every key, stays."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.db import transaction
from django.utils import timezone

from leaderboard import outbox
from leaderboard.models import MessageState, OutboxMessage
from submissions.retention.messages import remove_sent

pytestmark = pytest.mark.django_db

NOW = timezone.now()


def message(
    key: str,
    *,
    days: int,
    channel: str = "email",
    state: str = MessageState.SENT,
    parent: OutboxMessage | None = None,
) -> OutboxMessage:
    at = NOW - timedelta(days=days)
    return OutboxMessage.objects.create(
        key=key,
        channel=channel,
        kind="thing.done",
        parent=parent,
        target=key if parent else "",
        data={"thing": 1},
        state=state,
        available_at=at,
        created_at=at,
        sent_at=at if state == MessageState.SENT else None,
    )


def sweep(*, dry_run: bool = False) -> list[str]:
    return [each.name for each in remove_sent(NOW, dry_run=dry_run)]


def keys() -> set[str]:
    return set(OutboxMessage.objects.values_list("key", flat=True))


def test_only_old_messages_that_were_sent_go():
    message("old", days=91)
    message("young", days=89)
    message("dead", days=91, state=MessageState.DEAD)
    message("waiting", days=91, state=MessageState.WAITING)

    (said,) = sweep()

    assert said.startswith("1 older than ")
    assert keys() == {"young", "dead", "waiting"}
    assert sweep() == []


def test_an_event_keeps_its_key_so_that_nothing_is_told_twice():
    event = message("event", days=91, channel=outbox.EVENT)
    message("event/mail", days=91, parent=event)

    sweep()
    with transaction.atomic():
        outbox.tell("thing.done", key="event", data={"thing": 1})

    kept = OutboxMessage.objects.get()
    assert (kept.key, kept.state, kept.data) == ("event", MessageState.SENT, {})


def test_an_event_with_a_delivery_that_is_not_sent_keeps_what_it_tells():
    event = message("event", days=91, channel=outbox.EVENT)
    message("event/mail", days=91, parent=event, state=MessageState.DEAD)

    sweep()

    assert keys() == {"event", "event/mail"}
    assert OutboxMessage.objects.get(key="event").data == {"thing": 1}


@pytest.mark.parametrize(
    ("days", "left"),
    [(0, {"a", "b", "c"}), (1, {"c"}), (30, {"b", "c"})],
    ids=["for ever", "two weeks at least", "a month"],
)
def test_how_long_they_stay_is_a_setting(settings, days: int, left: set[str]):
    settings.OHB_MESSAGE_DAYS = days
    message("a", days=200)
    message("b", days=20)
    message("c", days=10)

    sweep()

    assert keys() == left


def test_a_dry_run_only_tells():
    message("old", days=91)

    assert len(sweep(dry_run=True)) == 1
    assert keys() == {"old"}


def test_the_backlog_counts_what_waits_what_was_given_up_and_what_is_kept():
    message("sent", days=1)
    message("dead", days=1, state=MessageState.DEAD)
    due = message("waiting", days=1, state=MessageState.WAITING)

    assert outbox.backlog() == (1, 1, 1, due.available_at)
