"""Celery's tasks. A message is a hint: it may come twice, late or never."""

from __future__ import annotations

from typing import Any

from celery import shared_task
from celery.concurrency import get_implementation
from celery.concurrency.solo import TaskPool as SoloPool
from celery.concurrency.thread import TaskPool as ThreadPool
from celery.signals import worker_init, worker_shutdown, worker_shutting_down

from evaluator import closing, hints, queue, registration, worker
from evaluator.patrol import Patrol

# Their jobs run in the process that gets the signal, so that they hear of it. Children
# of the prefork pool do not, and their leases would have to run out.
DRAINING_POOLS = (ThreadPool, SoloPool)

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
    pool = get_implementation(sender.pool_cls)
    if not issubclass(pool, DRAINING_POOLS):
        raise SystemExit(
            f"The pool {pool.__module__} cannot give leases back when the worker is "
            "told to stop. Start the worker with --pool threads, or leave --pool out."
        )
    _patrols.append(Patrol(int(sender.concurrency)))
    _patrols[-1].start()


@worker_shutting_down.connect
def _drain(**_: Any) -> None:
    registration.drain()


@worker_shutdown.connect
def _leave(**_: Any) -> None:
    for patrol in _patrols:
        patrol.stop()
    registration.leave()
