"""The only place that sends Celery messages. A message is a hint and may get lost.

Whoever rings waits a moment at most: a broker that is down, slow or full of silence
holds up no request and no stage. Workers find queued jobs without any hint too.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Iterable
from functools import partial
from itertools import islice

from celery import current_app
from django.db import transaction

logger = logging.getLogger(__name__)

# Enough to wake every idle slot: a worker that was woken goes on by itself.
RING_LIMIT = 16
PATIENCE_SECONDS = 0.5

_ringing = threading.Lock()


def ring_after_commit(jobs: Iterable[tuple[int, str]]) -> None:
    """Tell the workers of some (job id, pool), once the rows are visible to them."""
    first = list(islice(jobs, RING_LIMIT))
    transaction.on_commit(partial(ring_all, first), robust=True)


def ring_all(jobs: list[tuple[int, str]]) -> None:
    """Send a hint for each of ``jobs``, in the background where the broker is slow."""
    if not jobs:
        return
    if not _ringing.acquire(timeout=PATIENCE_SECONDS):
        logger.warning("no hints for %s jobs: the broker does not answer", len(jobs))
        return
    thread = threading.Thread(
        target=_ring_in_turn, args=(jobs,), name="hints", daemon=True
    )
    thread.start()
    thread.join(PATIENCE_SECONDS)


def call_after_commit(task: str) -> None:
    """Have Celery's ``task`` of that name run soon; its schedule has it run anyway."""
    transaction.on_commit(partial(_call, task), robust=True)


def _call(task: str) -> None:
    if not _ringing.acquire(timeout=PATIENCE_SECONDS):
        logger.warning("no hint for %s: the broker does not answer", task)
        return
    thread = threading.Thread(
        target=_call_once, args=(task,), name="hints", daemon=True
    )
    thread.start()
    thread.join(PATIENCE_SECONDS)


def _call_once(task: str) -> None:
    try:
        current_app.send_task(task, retry=False)
    except Exception as error:  # noqa: BLE001 - each broker has errors of its own
        logger.warning("no hint for %s: %s", task, error)
    finally:
        _ringing.release()


def _ring_in_turn(jobs: list[tuple[int, str]]) -> None:
    try:
        for job_id, pool in jobs:
            if not ring(job_id, pool):
                return
    finally:
        _ringing.release()


def ring(job_id: int, pool: str) -> bool:
    """Send one hint; False when the broker did not take it."""
    from evaluator.tasks import run_stage

    try:
        run_stage.apply_async(args=[job_id], queue=pool, retry=False)
    except Exception as error:  # noqa: BLE001 - each broker has errors of its own
        logger.warning("no hint for job %s: %s", job_id, error)
        return False
    return True
