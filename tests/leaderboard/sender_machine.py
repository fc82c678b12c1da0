"""A stateful model of the outbox's senders: random histories, one effect for each key.

The second half of I15: what was told is sent at least once and has its effect once,
whoever dies when. That everything that happens is told, and nothing else, is checked
where it happens (``tests/evaluator/queue_machine.py``).
"""

from __future__ import annotations

import sys
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from unittest import mock

from django.db import transaction
from django.test import override_settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from leaderboard import outbox
from leaderboard.models import MessageState, OutboxMessage
from tests import outbox as channel
from tests.outbox import Receiver, SenderKilled


class TwoSendersAtOnce(BaseException):
    """One message was given to two senders at the same moment."""


class SenderMachine(RuleBasedStateMachine):
    """Works inside a transaction that is rolled back at the end of each example."""

    def __init__(self) -> None:
        super().__init__()
        self.now = datetime(2026, 11, 30, tzinfo=UTC)
        self.receiver = Receiver()
        self.told: set[str] = set()
        self.taken_until: dict[str, datetime] = {}
        self._patches = [
            mock.patch("leaderboard.outbox.timezone.now", lambda: self.now),
            mock.patch.object(channel, "receiver", self.receiver),
        ]
        for patch in self._patches:
            patch.start()
        self._settings = override_settings(OHB_OUTBOX_CHANNELS=channel.CHANNELS)
        self._settings.enable()
        self._transaction = transaction.atomic()
        self._transaction.__enter__()

    def teardown(self) -> None:
        try:
            if sys.exc_info()[0] is None:
                self.everything_is_heard_once_the_receiver_is_well()
        finally:
            transaction.set_rollback(True)
            self._transaction.__exit__(None, None, None)
            self._settings.disable()
            for patch in self._patches:
                patch.stop()

    # What may happen

    @rule(number=st.integers(1, 3))
    def something_happens(self, number: int) -> None:
        key = f"thing.done/{number}"
        with transaction.atomic():
            outbox.tell("thing.done", key=key, data={"thing": number})
        self.told.add(key)

    @rule(seconds=st.sampled_from([1, 100, 130, 5000]))
    def time_passes(self, seconds: int) -> None:
        self.now += timedelta(seconds=seconds)

    @rule(
        name=st.sampled_from(sorted(channel.CHANNELS)),
        end=st.sampled_from(["well", "met", "down", "before", "after"]),
    )
    def a_sender_tries(self, name: str, end: str) -> None:
        """It may be killed before its receiver hears it, or before it marks the row.

        ``met``: another sender comes while it is at it, takes the next one and dies.
        """
        message = self._take(name)
        if message is None:
            return
        self.receiver.down = end == "down"
        self.receiver.kills = end if end in {"before", "after"} else ""
        if end == "met":
            self.receiver.meanwhile = lambda: self._take(name)
        with suppress(SenderKilled):
            outbox.send(message)
            del self.taken_until[message.key]
        self.receiver.kills, self.receiver.down = "", False
        self.receiver.meanwhile = lambda: None

    @rule()
    def an_operator_sends_again(self) -> None:
        outbox.send_again(outbox.dead_messages(), reason="looked at it")

    # What must hold

    @invariant()
    def what_is_marked_as_sent_was_heard(self) -> None:
        messages = list(OutboxMessage.objects.all())
        events = {each.key for each in messages if each.channel == outbox.EVENT}
        assert events == self.told
        ids = {each.public_id for each in messages}
        sent = {each.public_id for each in messages if each.state == MessageState.SENT}
        assert sent <= set(self.receiver.effects) <= ids

    def everything_is_heard_once_the_receiver_is_well(self) -> None:
        for _ in range(outbox.TRIES):
            self.an_operator_sends_again()
            outbox.deliver_due()
            self.now += timedelta(hours=15)
            if not any(outbox.waiting()):
                break
        messages = list(OutboxMessage.objects.all())
        assert {each.state for each in messages} <= {MessageState.SENT.value}
        assert set(self.receiver.effects) == {each.public_id for each in messages}
        assert set(self.receiver.copies) == {each.key for each in messages}
        names = [each.target for each in messages if each.parent_id is not None]
        assert sorted(names) == sorted(["ann", "bob"] * len(self.told))

    def _take(self, name: str) -> OutboxMessage | None:
        message = outbox.claim(name)
        if message is not None:
            alive = self.taken_until.get(message.key, self.now)
            # Not an exception of the kind that a sender's own trouble is.
            if alive > self.now:
                raise TwoSendersAtOnce(message.key)
            self.taken_until[message.key] = self.now + outbox.LEASE
        return message
