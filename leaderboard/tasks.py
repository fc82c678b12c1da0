"""Celery's tasks of this floor. A message is a hint: it may come twice or never."""

from __future__ import annotations

import threading

from celery import shared_task

from leaderboard import shelf
from leaderboard.ranking.renewal import renew

_renewing = threading.Lock()


@shared_task(ignore_result=True)
def renew_standings() -> None:
    """Store the tables and make the pages that are old; else a few small queries.

    One at a time in each process.
    """
    if not _renewing.acquire(blocking=False):
        return
    try:
        renew()
        shelf.prepare()
    finally:
        _renewing.release()
