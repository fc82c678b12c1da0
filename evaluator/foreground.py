"""Evaluating without Celery: the same queue, worked off by threads of this process."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

from django.db import connections

from evaluator import closing, queue, worker
from evaluator.models import Job, JobState
from leaderboard.models import Evaluation

PAUSE_SECONDS = 0.5


def evaluate(
    evaluation: Evaluation,
    *,
    slots: int,
    on_progress: Callable[[dict[str, int]], None] = lambda counts: None,
) -> bool:
    """Work until nothing is queued or leased; True when every job is scored.

    Other workers may help at the same time. Leases are given back on KeyboardInterrupt.
    """
    ended = threading.Event()

    def slot() -> None:
        try:
            while not ended.is_set():
                if not worker.work_on_evaluation(evaluation):
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
