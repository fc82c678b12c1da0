"""Keeping a lease while its stage runs, and bearing with a database that is away."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeVar

from django.conf import settings
from django.db import (
    InterfaceError,
    OperationalError,
    close_old_connections,
    connections,
)
from django.utils import timezone

from evaluator import queue
from evaluator.queue import DEADLINE_GRACE, Lease, LeaseLostError

logger = logging.getLogger(__name__)

# What a restart of the database looks like from here.
DATABASE_AWAY = (OperationalError, InterfaceError)
_LONGEST_PAUSE = 5.0

T = TypeVar("T")


@contextmanager
def heartbeat(
    lease: Lease, *, stop: threading.Event, draining: threading.Event
) -> Iterator[None]:
    """Renew ``lease`` in the background.

    Sets ``stop`` when the lease is lost or ``draining`` is set.
    """
    ended = threading.Event()
    pause = settings.OHB_LEASE_SECONDS / 4.5

    def beat() -> None:
        due = time.monotonic() + pause
        try:
            while not ended.wait(0.2):
                if draining.is_set():
                    stop.set()
                if time.monotonic() >= due:
                    due = time.monotonic() + pause
                    _renew(lease, stop)
        finally:
            connections.close_all()

    thread = threading.Thread(
        target=beat, name=f"heartbeat-{lease.job_id}", daemon=True
    )
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()


def _renew(lease: Lease, stop: threading.Event) -> None:
    try:
        queue.renew(lease)
    except LeaseLostError as error:
        logger.warning("%s", error)
        stop.set()
    except DATABASE_AWAY as error:
        # It may come back before the lease ends.
        logger.warning("job %s: heartbeat failed: %s", lease.job_id, error)
        close_old_connections()


def until_the_database_answers(lease: Lease, act: Callable[[], T]) -> T | None:
    """Call ``act`` until it gets through; None if the lease ends before that.

    ``act`` is fenced: where an answer was lost on its way, the next call is refused.
    """
    pause = 0.5
    while timezone.now() < lease.deadline + DEADLINE_GRACE:
        try:
            return act()
        except DATABASE_AWAY as error:
            logger.warning("job %s: the database is away: %s", lease.job_id, error)
            close_old_connections()
            time.sleep(pause)
            pause = min(pause * 2, _LONGEST_PAUSE)
    return None
