"""Celery's tasks. A message is a hint: it may come twice, late or never."""

from __future__ import annotations

from typing import Any

from celery import shared_task
from celery.signals import (
    worker_init,
    worker_process_init,
    worker_shutdown,
    worker_shutting_down,
)

from evaluator import closing, hints, queue, registration, worker
from evaluator.patrol import Patrol

_patrols: list[Patrol] = []


@shared_task(ignore_result=True)
def run_stage(job_id: int) -> None:
    """Work on a job if it is still to be had. Safe to deliver twice."""
    worker.work_on(job_id)


@shared_task(ignore_result=True)
def reap() -> None:
    """Take back expired leases, close what was left open, ring for queued jobs."""
    queue.reap()
    closing.close_left_open()
    hints.ring_all(queue.queued_ids(hints.RING_LIMIT))


@worker_init.connect
def _patrol(sender: Any, **_: Any) -> None:
    """Begin to work before the broker is reached, which may be never."""
    _patrols.append(Patrol(int(sender.concurrency)))
    _patrols[-1].start()


@worker_process_init.connect
def _forked(**_: Any) -> None:
    """In a child process of Celery's the pool itself counts the jobs."""
    worker.close_slots()


@worker_shutting_down.connect
def _drain(**_: Any) -> None:
    registration.drain()


@worker_shutdown.connect
def _leave(**_: Any) -> None:
    for patrol in _patrols:
        patrol.stop()
    registration.leave()
