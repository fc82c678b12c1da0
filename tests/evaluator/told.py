"""What the evaluator must have told, by what its tables say: the first half of I15."""

from __future__ import annotations

from evaluator.models import JobEvent, PoolPause, SuspectDevice
from evaluator.transitions import STUCK
from leaderboard import outbox
from leaderboard.models import Evaluation, OutboxMessage


def told() -> set[str]:
    """The keys of all events in the outbox."""
    events = OutboxMessage.objects.filter(channel=outbox.EVENT)
    return set(events.values_list("key", flat=True))


def happened(evaluation: Evaluation) -> set[str]:
    """The keys of what has happened to ``evaluation``, to pools and to devices."""
    number = evaluation.pk
    found: set[str] = set()
    requeued = 0
    steps = JobEvent.objects.filter(job__evaluation=number).order_by("pk")
    rows = steps.values_list("from_state", "to_state", "job__evaluation__scored_at")
    for before, after, scored_at in rows:
        if after == "leased":
            found.add(f"evaluation.began/{number}")
        if after in STUCK:
            found.add(f"evaluation.stuck/{number}/{requeued}")
        if scored_at is not None:
            found.add(f"evaluation.scored/{number}")
        requeued += before in STUCK and after == "queued"
    found |= {f"pool.paused/{each.pk}" for each in PoolPause.objects.all()}
    found |= {f"device.suspect/{each.pk}" for each in SuspectDevice.objects.all()}
    return found
