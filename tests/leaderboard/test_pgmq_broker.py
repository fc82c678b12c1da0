"""Workers that start at the same moment on PGMQ: none of them ends for it."""

from __future__ import annotations

import pytest
from psycopg import errors

from leaderboard.config.pgmq_broker import Channel


class NotifyTaken:
    """PGMQ as it is for the second of two processes that ask at once."""

    def __init__(self, error: Exception) -> None:
        self.error = error

    def enable_notify(self, *_: object, **__: object) -> None:
        raise self.error


class Listening:
    def __init__(self) -> None:
        self.queues: list[str] = []

    def _register_notify_queue(self, name: str) -> None:
        self.queues.append(name)


class StartedChannel(Channel):
    """A channel without a connection, about to ask for notifications."""

    use_notify = True
    notify_throttle_interval_ms = 250

    def __init__(self, error: Exception) -> None:
        self._pgmq, self.connection = NotifyTaken(error), Listening()

    @property
    def pgmq(self) -> NotifyTaken:
        return self._pgmq


def test_a_trigger_that_another_process_made_is_listened_to():
    channel = StartedChannel(errors.DuplicateObject("already exists"))

    channel._maybe_enable_notify("agent", queue_name="agent")

    assert channel.connection.queues == ["agent"]


def test_other_trouble_is_not_hidden():
    channel = StartedChannel(errors.InsufficientPrivilege("no"))

    with pytest.raises(errors.InsufficientPrivilege):
        channel._maybe_enable_notify("agent", queue_name="agent")
