"""The outbox in random histories: I15.

Each event is written with its change or not at all, is sent at least once, and has its
effect once for each key, whoever dies when. The evaluator tells, a receiver of tests
listens (``tests/outbox.py``).
"""

from __future__ import annotations

from contextlib import suppress
from datetime import datetime, timedelta
from unittest import mock

from django.test import override_settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from evaluator.models import JobEvent, PoolPause, SuspectDevice
from evaluator.transitions import STUCK
from leaderboard import outbox
from leaderboard.models import Evaluation, MessageState, OutboxMessage
from tests import outbox as channel
from tests.outbox import Receiver, SenderKilled


class TwoSendersAtOnce(BaseException):
    """One message was given to two senders at the same moment."""


class OutboxMachine(RuleBasedStateMachine):
    now: datetime
    evaluation: Evaluation

    def __init__(self) -> None:
        super().__init__()
        self.receiver = Receiver()
        self.taken_until: dict[str, datetime] = {}
        self._listening = [
            override_settings(OHB_OUTBOX_CHANNELS=channel.CHANNELS),
            mock.patch.object(channel, "receiver", self.receiver),
        ]
        self._listening[0].enable()
        self._listening[1].start()

    def stop_listening(self) -> None:
        self._listening[0].disable()
        self._listening[1].stop()

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

    def _take(self, name: str) -> OutboxMessage | None:
        message = outbox.claim(name)
        if message is not None:
            alive = self.taken_until.get(message.key, self.now)
            # Not an exception of the kind that a sender's own trouble is.
            if alive > self.now:
                raise TwoSendersAtOnce(message.key)
            self.taken_until[message.key] = self.now + outbox.LEASE
        return message

    @invariant()
    def what_happened_is_told_and_nothing_else(self) -> None:
        events = OutboxMessage.objects.filter(channel=outbox.EVENT)
        assert set(events.values_list("key", flat=True)) == self._expected()

    @invariant()
    def what_is_marked_as_sent_was_heard(self) -> None:
        ids = {each.public_id for each in OutboxMessage.objects.all()}
        sent = OutboxMessage.objects.filter(state=MessageState.SENT)
        assert {each.public_id for each in sent} <= set(self.receiver.effects) <= ids

    def everything_is_heard_once_the_receiver_is_well(self) -> None:
        for _ in range(2 * outbox.TRIES):
            outbox.send_again(outbox.dead_messages(), reason="well again")
            outbox.deliver_due()
            self.now += timedelta(hours=15)
            if not any(outbox.waiting()):
                break
        messages = OutboxMessage.objects.all()
        assert {each.state for each in messages} <= {MessageState.SENT.value}
        assert set(self.receiver.effects) == {each.public_id for each in messages}
        assert set(self.receiver.copies) == {each.key for each in messages}
        names = [each.target for each in messages.exclude(parent=None)]
        assert sorted(names) == sorted(["ann", "bob"] * len(self._expected()))

    def _expected(self) -> set[str]:
        """The keys that follow from what the tables say has happened."""
        evaluation = self.evaluation.pk
        found: set[str] = set()
        requeued = 0
        steps = JobEvent.objects.filter(job__evaluation=evaluation).order_by("pk")
        for before, after in steps.values_list("from_state", "to_state"):
            if after == "leased":
                found.add(f"evaluation.began/{evaluation}")
            if after in STUCK:
                found.add(f"evaluation.stuck/{evaluation}/{requeued}")
            requeued += before in STUCK and after == "queued"
        if Evaluation.objects.get(pk=evaluation).scored_at is not None:
            found.add(f"evaluation.scored/{evaluation}")
        found |= {f"pool.paused/{each.pk}" for each in PoolPause.objects.all()}
        found |= {f"device.suspect/{each.pk}" for each in SuspectDevice.objects.all()}
        return found
