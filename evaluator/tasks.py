"""Celery's tasks. A message is a hint: it may come twice, late or never."""

from __future__ import annotations

from typing import Any

from celery import shared_task
from celery.signals import worker_ready, worker_shutdown, worker_shutting_down

from evaluator import closing, hints, queue, registration, worker

# How many queued jobs are rung for at each beat: enough to wake every idle slot.
RING_LIMIT = 16


@shared_task(ignore_result=True)
def run_stage(job_id: int) -> None:
    """Work on a job if it is still to be had. Safe to deliver twice."""
    worker.work_on(job_id)


@shared_task(ignore_result=True)
def reap() -> None:
    """Take back expired leases, close what was left open, ring for queued jobs."""
    queue.reap()
    closing.close_left_open()
    for job_id, pool in queue.queued_ids(RING_LIMIT):
        hints.ring(job_id, pool)


@worker_ready.connect
def _register(**_: Any) -> None:
    registration.register()


@worker_shutting_down.connect
def _drain(**_: Any) -> None:
    registration.drain()


@worker_shutdown.connect
def _leave(**_: Any) -> None:
    registration.leave()
