"""Which differences from a snapshot are refused: decided by maintainers, on record."""

from __future__ import annotations

from collections.abc import Collection

from django.contrib.auth.models import User
from django.db import transaction

from leaderboard.models import EvaluationSnapshot, record
from submissions.comparability import REFUSABLE


def refuse_differences(
    snapshot: EvaluationSnapshot, fields: Collection[str], *, by: User, reason: str
) -> None:
    """Refuse uploads whose manifest differs from ``snapshot`` in one of ``fields``.

    Any other difference is accepted, named, and not comparable. Submissions of before
    stay as they are. Raises ``ValueError`` for a field that cannot be refused.
    """
    unknown = set(fields) - set(REFUSABLE)
    if unknown:
        raise ValueError(f"Not refusable: {', '.join(sorted(unknown))}.")
    chosen = [name for name in REFUSABLE if name in fields]
    with transaction.atomic():
        locked = EvaluationSnapshot.objects.select_for_update(of=("self",)).get(
            pk=snapshot.pk
        )
        before = locked.refused_differences
        if before == chosen:
            return
        locked.refused_differences = chosen
        locked.save(update_fields=["refused_differences"])
        record(
            "refuse differences",
            locked,
            by=by,
            reason=reason,
            before={"fields": before},
            after={"fields": chosen},
        )
    snapshot.refused_differences = chosen
