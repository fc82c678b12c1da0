"""The only place that sends Celery messages. A message is a hint and may get lost."""

from __future__ import annotations

import logging
from collections.abc import Iterable
from functools import partial

from django.db import transaction
from kombu.exceptions import OperationalError

logger = logging.getLogger(__name__)


def ring_after_commit(jobs: Iterable[tuple[int, str]]) -> None:
    """Tell the workers of each (job id, pool), once the rows are visible to them."""
    for job_id, pool in jobs:
        transaction.on_commit(partial(ring, job_id, pool), robust=True)


def ring(job_id: int, pool: str) -> None:
    """Send one hint. A broker that is down costs nothing: the reaper rings again."""
    from evaluator.tasks import run_stage

    try:
        run_stage.apply_async(args=[job_id], queue=pool, retry=False)
    except (OperationalError, OSError) as error:
        logger.warning("no hint for job %s: %s", job_id, error)
