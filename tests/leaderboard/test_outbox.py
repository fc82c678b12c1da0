"""What is told outside: not without its change, not forgotten, once for each key."""

from __future__ import annotations

from datetime import timedelta
from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from django.db import transaction
from django.utils import timezone

from leaderboard import outbox
from leaderboard.models import AuditEvent, MessageState, OutboxMessage
from tests import outbox as channel
from tests.outbox import Receiver, ReceiverDownError

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def receiver(settings, monkeypatch) -> Receiver:
    settings.OHB_OUTBOX_CHANNELS = channel.CHANNELS
    fresh = Receiver()
    monkeypatch.setattr(channel, "receiver", fresh)
    return fresh


def tell(key: str = "thing.done/1") -> None:
    with transaction.atomic():
        outbox.tell("thing.done", key=key, data={"thing": 1})


def time_passes() -> None:
    """Every wait and every lease is over."""
    past = timezone.now() - timedelta(seconds=1)
    OutboxMessage.objects.filter(state="waiting").update(available_at=past)
    OutboxMessage.objects.filter(state="sending").update(lease_until=past)


def notes(receiver: Receiver) -> dict[str, int]:
    """How many copies of each message its recipient got."""
    return {key: n for key, n in receiver.copies.items() if "/note/" in key}


def states() -> dict[str, str]:
    return dict(OutboxMessage.objects.values_list("key", "state"))


def test_an_event_reaches_each_of_its_recipients_once(receiver):
    tell()

    assert outbox.deliver_due() == (3, 0)

    assert notes(receiver) == {
        "thing.done/1/note/ann": 1,
        "thing.done/1/note/bob": 1,
    }
    assert set(states().values()) == {MessageState.SENT}
    assert outbox.deliver_due() == (0, 0)


def test_a_change_that_is_rolled_back_tells_nothing(receiver):
    with pytest.raises(ZeroDivisionError), transaction.atomic():
        outbox.tell("thing.done", key="thing.done/1", data={})
        raise ZeroDivisionError

    outbox.deliver_due()

    assert not receiver.copies
    assert not OutboxMessage.objects.exists()


@pytest.mark.usefixtures("transactional_db")
def test_telling_outside_a_transaction_is_refused():
    with pytest.raises(RuntimeError, match="inside the transaction"):
        outbox.tell("thing.done", key="thing.done/1", data={})


def test_the_same_key_told_twice_is_one_event(receiver):
    tell()
    tell()

    outbox.deliver_due()

    assert len(notes(receiver)) == 2


def test_an_event_that_is_expanded_twice_has_one_message_for_each_recipient(receiver):
    tell()
    event = outbox.claim("event")

    channel.expand(event)  # The sender is killed here, before it can mark the event.
    time_passes()
    outbox.deliver_due()

    assert sorted(notes(receiver).values()) == [1, 1]


def test_a_sender_killed_before_it_marks_sends_again_and_the_effect_is_one(receiver):
    tell()
    outbox.deliver_due(["event"])
    message = outbox.claim("note")
    channel.note(message)
    assert outbox.claim("note").key != message.key  # It is leased, not lost.

    time_passes()
    outbox.deliver_due()

    assert receiver.copies[message.key] == 2
    assert sorted(receiver.effects) == sorted(
        each.public_id for each in OutboxMessage.objects.all()
    )
    assert set(states().values()) == {MessageState.SENT}


def test_a_sender_that_was_thought_lost_marks_nothing(receiver):
    tell()
    outbox.deliver_due(["event"])
    OutboxMessage.objects.filter(target="bob").delete()
    slow = outbox.claim("note")
    time_passes()
    second = outbox.claim("note")
    assert slow.pk == second.pk

    outbox.mark_sent(slow, "late")

    assert OutboxMessage.objects.get(pk=slow.pk).state == MessageState.SENDING
    outbox.mark_sent(second, "in time")
    assert OutboxMessage.objects.get(pk=slow.pk).answer == "in time"


def test_a_receiver_that_is_down_gets_it_later(receiver):
    tell()
    outbox.deliver_due(["event"])
    receiver.down = True
    assert outbox.deliver_due() == (0, 2)
    row = OutboxMessage.objects.get(target="ann")
    assert row.last_error == "ReceiverDownError: no route to host"
    assert outbox.deliver_due() == (0, 0), "it waits before it tries again"

    receiver.down = False
    time_passes()

    assert outbox.deliver_due() == (2, 0)
    assert len(receiver.effects) == 3


def test_each_wait_is_longer_and_after_the_last_try_nobody_tries(receiver):
    tell()
    outbox.deliver_due(["event"])
    receiver.down = True
    outbox.deliver_due()
    waits = []
    for _ in range(outbox.TRIES):
        row = OutboxMessage.objects.get(target="ann")
        waits.append(row.available_at - timezone.now())
        time_passes()
        outbox.deliver_due()

    row = OutboxMessage.objects.get(target="ann")
    assert (row.state, row.tries) == (MessageState.DEAD, outbox.TRIES)
    assert row.last_error.startswith("ReceiverDownError")
    seconds = [wait.total_seconds() for wait in waits[: outbox.TRIES - 2]]
    assert seconds == sorted(seconds)
    assert outbox.waiting() == (0, 2)


def test_senders_that_are_killed_each_time_end_as_well():
    tell()
    for _ in range(outbox.TRIES):
        assert outbox.claim("event") is not None
        time_passes()

    assert outbox.claim("event") is None
    row = OutboxMessage.objects.get()
    assert row.state == MessageState.DEAD
    assert "lost" in row.last_error


def kill_all() -> None:
    OutboxMessage.objects.filter(channel="note").update(state="dead", tries=8)


def test_an_operator_sends_again_what_was_given_up_and_it_is_on_record(receiver):
    tell()
    outbox.deliver_due(["event"])
    kill_all()
    key = OutboxMessage.objects.get(target="bob").key
    out = StringIO()
    call_command("deliver", "--dead", stdout=out)
    assert key in out.getvalue()
    assert "2 given up" in out.getvalue()

    call_command("deliver", "--again", key, "--reason", "mail is up", stdout=out)

    assert notes(receiver) == {key: 1}
    assert "1 sent, 0 failed; 0 waiting, 1 given up." in out.getvalue()
    act = AuditEvent.objects.get(act="send again")
    assert (act.reason, act.before) == ("mail is up", {"keys": [key]})
    call_command("deliver", "--again", "all", "--reason", "mail is up", stdout=out)
    assert len(notes(receiver)) == 2


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--again", "nothing", "--reason", "r"], "'nothing' was given up"),
        (["--again", "all"], "--reason"),
    ],
)
def test_the_command_says_what_is_wrong(arguments, said):
    with pytest.raises(CommandError, match=said):
        call_command("deliver", *arguments)


def test_a_floor_without_senders_keeps_what_is_told(settings):
    settings.OHB_OUTBOX_CHANNELS = {}
    tell()

    assert outbox.deliver_due() == (0, 0)
    assert states() == {"thing.done/1": MessageState.WAITING}


def test_the_id_that_receivers_see_is_stable_and_short():
    first, other = OutboxMessage(key="a/1"), OutboxMessage(key="a/2")

    assert first.public_id == OutboxMessage(key="a/1").public_id != other.public_id
    assert len(first.public_id) == 36


def test_an_error_fits_its_column(receiver, monkeypatch):
    def fail(message):
        raise ReceiverDownError("x\x00" * 4000)

    monkeypatch.setattr(channel, "note", fail)
    tell()

    outbox.deliver_due()

    assert len(OutboxMessage.objects.get(target="ann").last_error) == 500


def test_a_superuser_sends_again_from_the_admin(client, receiver, maintainer):
    tell()
    outbox.deliver_due(["event"])
    kill_all()
    client.force_login(maintainer)
    rows = "/admin/leaderboard/outboxmessage/"
    assert "Given up" in client.get(rows).content.decode()
    chosen = OutboxMessage.objects.values_list("pk", flat=True)

    answer = client.post(
        rows, {"action": "send_again", "_selected_action": list(chosen)}, follow=True
    )

    assert "2 messages will be sent again." in answer.content.decode()
    assert outbox.deliver_due() == (2, 0)
    assert AuditEvent.objects.get(act="send again").actor == maintainer


def test_the_status_page_tells_how_much_waits_and_was_given_up(client):
    tell()
    outbox.deliver_due(["event"])
    OutboxMessage.objects.filter(target="bob").update(state="dead", tries=8)

    assert client.get("/api/v1/status/").json()["outbox"] == {"waiting": 1, "dead": 1}
    assert "+ 1 given up" in client.get("/status/").content.decode()
