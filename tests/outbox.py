"""A channel of tests: a receiver that can be down, and knows every copy by its key."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

from leaderboard.models import OutboxMessage
from leaderboard.outbox import Recipient, address

CHANNELS = {"event": "tests.outbox.expand", "note": "tests.outbox.note"}


class ReceiverDownError(Exception):
    pass


class SenderKilled(BaseException):
    """The sender is gone, at this very place."""


class Receiver:
    """``copies`` counts what arrived; ``effects`` what came of it, once for each id.

    ``kills`` says when the next sender dies: ``before`` or ``after`` it was heard.
    """

    def __init__(self) -> None:
        self.copies = Counter[str]()
        self.effects: dict[str, str] = {}
        self.down = False
        self.kills = ""
        self.meanwhile: Callable[[], object] = lambda: None

    def take(self, message: OutboxMessage) -> None:
        kills, self.kills = self.kills, ""
        if kills == "before":
            raise SenderKilled
        if self.down:
            raise ReceiverDownError("no route to host")
        self.copies[message.key] += 1
        self.effects.setdefault(message.public_id, message.kind)
        self.meanwhile()
        if kills == "after":
            raise SenderKilled


receiver = Receiver()


def expand(event: OutboxMessage) -> str:
    """Two recipients for every event."""
    names = ("ann", "bob")
    address(event, [Recipient("note", name, {"about": event.kind}) for name in names])
    receiver.take(event)
    return "2 recipients"


def note(message: OutboxMessage) -> str:
    receiver.take(message)
    return "taken"
