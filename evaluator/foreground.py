"""Evaluating without Celery: the same queue, worked off by threads of this process."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable

from django.conf import settings
from django.db import close_old_connections, connections

from evaluator import breaker, canary, closing, queue, worker
from evaluator.models import Job, JobState
from leaderboard.models import Evaluation

logger = logging.getLogger(__name__)

PAUSE_SECONDS = 0.5


def evaluate(
    evaluation: Evaluation,
    *,
    slots: int,
    on_progress: Callable[[dict[str, int]], None] = lambda counts: None,
) -> bool:
    """Work until nothing is queued or leased; True when every job is scored.

    Ends early, with jobs still queued, when only paused pools are left and no canary
    brings them back. Other workers may help at the same time. Leases are given back on
    KeyboardInterrupt.
    """
    ended = threading.Event()

    def slot() -> None:
        try:
            while not ended.is_set():
                if not _work_once(evaluation):
                    ended.wait(PAUSE_SECONDS)
        finally:
            connections.close_all()

    threads = [
        threading.Thread(target=slot, name=f"slot-{number}") for number in range(slots)
    ]
    for thread in threads:
        thread.start()
    try:
        while True:
            queue.reap()
            counts = queue.counts(evaluation)
            on_progress(counts)
            if not counts[JobState.QUEUED] and not counts[JobState.LEASED]:
                break
            if not counts[JobState.LEASED] and _is_given_up(evaluation, stop=ended):
                break
            time.sleep(PAUSE_SECONDS)
    except KeyboardInterrupt:
        worker.draining.set()
        raise
    finally:
        ended.set()
        for thread in threads:
            thread.join()
    closing.close_left_open()
    jobs = Job.objects.filter(evaluation=evaluation)
    return not jobs.exclude(state=JobState.SCORED).exists()


def _work_once(evaluation: Evaluation) -> bool:
    """Run one stage; a slot outlives whatever goes wrong in it."""
    try:
        return worker.work_on_evaluation(evaluation)
    except Exception:
        logger.exception("evaluation %s: a slot met trouble", evaluation.pk)
        close_old_connections()
        return False


def _is_given_up(evaluation: Evaluation, *, stop: threading.Event) -> bool:
    """Whether every queued job waits for a pool that stays paused.

    Sends a canary when one is due; nobody but a person lifts a pause made by hand.
    """
    pools = set(
        Job.objects.filter(evaluation=evaluation, state=JobState.QUEUED).values_list(
            "pool", flat=True
        )
    )
    pauses = {pause.pool: pause for pause in breaker.open_pauses()}
    if not pools or pools - set(pauses):
        return False
    mine = pools & set(settings.OHB_WORKER_POOLS)
    tried = canary.send_due(mine, stop=stop)
    if tried is not None:
        return breaker.is_paused(tried)
    return all(pauses[pool].by_hand for pool in pools)
