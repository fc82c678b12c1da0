"""The circuit breaker of a pool: trouble of ours in a row must not use up budgets.

A pool is paused when more than a fifth of its last 25 attempts ended in our own
trouble. Nobody claims from a paused pool. The pause is lifted by a person, or by a
canary that passed: a task whose answer is known (``evaluator/canary.py``).
"""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime, timedelta

from django.conf import settings
from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Max, Q, QuerySet
from django.utils import timezone

from evaluator import news
from evaluator.errors import NotPossibleError
from evaluator.models import Attempt, AttemptOutcome, PoolPause
from evaluator.sentences import POOL_IN_TROUBLE
from evaluator.verdicts import InfraReason
from leaderboard.models import record

WINDOW = 25
MOST_TROUBLED = 5
# Below so many attempts a share says little.
LEAST_ATTEMPTS = 10
CANARY_AFTER = timedelta(minutes=1)
CANARY_EVERY = timedelta(minutes=10)

_TROUBLED = (AttemptOutcome.INFRASTRUCTURE, AttemptOutcome.LOST)
_COUNTED = (*_TROUBLED, AttemptOutcome.PASSED, AttemptOutcome.MODEL)
# These tell of one task or one submission, whichever worker it meets.
_NOT_THE_POOLS = (InfraReason.NOT_SIMULATED, InfraReason.CHECK_BROKEN)


def open_pauses() -> QuerySet[PoolPause]:
    """Pauses that hold now, the newest first."""
    return PoolPause.objects.filter(lifted_at=None)


def is_paused(pool: str) -> bool:
    return open_pauses().filter(pool=pool).exists()


def note_trouble(pool: str, now: datetime) -> bool:
    """Look at a pool after an attempt ended in trouble; True if it is paused now.

    Call inside the transaction that ended the attempt.
    """
    if is_paused(pool):
        return True
    troubled, attempts = _last_attempts(pool)
    if attempts < LEAST_ATTEMPTS or troubled <= MOST_TROUBLED:
        return False
    _pause(pool, now, reason=POOL_IN_TROUBLE(troubled=troubled, attempts=attempts))
    return True


def pause(pool: str, *, reason: str, by: User | None = None) -> None:
    """Stop a pool by hand, for maintenance; leases that are running go on."""
    if not reason.strip():
        raise NotPossibleError("Give a reason for the pause; it stays on record.")
    with transaction.atomic():
        if is_paused(pool):
            raise NotPossibleError(f"The pool {pool} is paused already.")
        _pause(pool, timezone.now(), reason=reason, by_hand=True, by=by)


def resume(pool: str, *, reason: str, by: User | None = None) -> None:
    """Lift a pause. What happened before it no longer counts for the next one."""
    if not reason.strip():
        raise NotPossibleError("Say why the pool is well again; it stays on record.")
    with transaction.atomic():
        found = open_pauses().select_for_update().filter(pool=pool).first()
        if found is None:
            names = ", ".join(open_pauses().values_list("pool", flat=True)) or "none"
            raise NotPossibleError(
                f"The pool {pool} is not paused. Paused pools: {names}."
            )
        found.lifted_at = timezone.now()
        found.lifted_reason = reason
        found.save(update_fields=["lifted_at", "lifted_reason"])
        record(
            "resume pool",
            f"pool {pool}",
            by=by,
            reason=reason,
            before={"paused_for": found.reason},
        )


def take_canary(pools: Collection[str]) -> str | None:
    """A paused pool of ``pools`` that is due for a canary; only one asker gets it."""
    now, factor = timezone.now(), settings.OHB_BACKOFF_FACTOR
    due = open_pauses().filter(
        Q(canary_at=None, since__lte=now - CANARY_AFTER * factor)
        | Q(canary_at__lte=now - CANARY_EVERY * factor),
        pool__in=list(pools),
        by_hand=False,
    )
    for found in due.order_by("since"):
        if due.filter(pk=found.pk).update(canary_at=now):
            return found.pool
    return None


def _last_attempts(pool: str) -> tuple[int, int]:
    """How many of the last attempts ended in our trouble, and how many there are."""
    attempts = Attempt.objects.filter(pool=pool, outcome__in=_COUNTED).exclude(
        reason__in=_NOT_THE_POOLS
    )
    lifted = PoolPause.objects.filter(pool=pool).aggregate(at=Max("lifted_at"))["at"]
    if lifted is not None:
        attempts = attempts.filter(ended_at__gt=lifted)
    last = list(
        attempts.order_by("-ended_at", "-pk").values_list("outcome", flat=True)[:WINDOW]
    )
    return sum(outcome in _TROUBLED for outcome in last), len(last)


def _pause(
    pool: str,
    now: datetime,
    *,
    reason: str,
    by_hand: bool = False,
    by: User | None = None,
) -> None:
    found, created = PoolPause.objects.get_or_create(
        pool=pool,
        lifted_at=None,
        defaults={"since": now, "reason": reason, "by_hand": by_hand},
    )
    if created:
        record("pause pool", f"pool {pool}", by=by, reason=reason)
        news.pool_paused(found)
