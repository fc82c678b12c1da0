"""What the evaluator has to tell, written in the transaction in which it happens.

Whom it is told to is the upper floor's business (``leaderboard/outbox.py``).
"""

from __future__ import annotations

from evaluator.models import Job, PoolPause, SuspectDevice
from leaderboard.models import Evaluation
from leaderboard.outbox import tell

BEGAN = "evaluation.began"
SCORED = "evaluation.scored"
STUCK = "evaluation.stuck"
POOL_PAUSED = "pool.paused"
DEVICE_SUSPECT = "device.suspect"


def began(evaluation_id: int) -> None:
    """A worker took up a task run; only the first one of an evaluation is news."""
    _tell_of(evaluation_id, BEGAN, key=f"{BEGAN}/{evaluation_id}")


def scored(evaluation: Evaluation) -> None:
    _tell_of(evaluation.pk, SCORED, key=f"{SCORED}/{evaluation.pk}")


def stuck(job: Job, *, requeued: int) -> None:
    """A task run waits for a person: news once, until somebody has run one again.

    ``requeued`` counts how often that was done in this evaluation.
    """
    key = f"{STUCK}/{job.evaluation_id}/{requeued}"
    _tell_of(job.evaluation_id, STUCK, key=key)


def pool_paused(pause: PoolPause) -> None:
    data = {"pool": pause.pool, "reason": pause.reason}
    tell(POOL_PAUSED, key=f"{POOL_PAUSED}/{pause.pk}", data=data)


def device_suspect(device: SuspectDevice) -> None:
    data = {"device": device.serial, "reason": device.reason}
    tell(DEVICE_SUSPECT, key=f"{DEVICE_SUSPECT}/{device.pk}", data=data)


def _tell_of(evaluation_id: int, kind: str, *, key: str) -> None:
    tell(kind, key=key, data={"evaluation": evaluation_id})
