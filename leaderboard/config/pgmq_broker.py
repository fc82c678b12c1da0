"""Kombu's PGMQ transport, made safe for processes that start at the same moment.

Asking for notifications drops and makes a trigger anew, and PGMQ takes no lock for it:
of two that ask at once one fails, and kombu would end that worker. The trigger is there
then all the same.
"""

from __future__ import annotations

from kombu.transport import pgmq
from psycopg import errors

SOMEBODY_ELSE_DID_IT = (
    errors.DuplicateObject,
    errors.UndefinedObject,
    errors.UniqueViolation,
    errors.DeadlockDetected,
    errors.InternalError_,  # "tuple concurrently updated"
)


class Channel(pgmq.Channel):
    def _maybe_enable_notify(self, queue: str, queue_name: str | None = None) -> None:
        try:
            super()._maybe_enable_notify(queue, queue_name=queue_name)
        except SOMEBODY_ELSE_DID_IT:
            name = queue_name or self._queue_name(queue)
            self.connection._register_notify_queue(name)


class Transport(pgmq.Transport):
    Channel = Channel
