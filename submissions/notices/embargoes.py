"""News of embargoes that ended: the day comes without an act of anybody."""

from __future__ import annotations

from datetime import timedelta

from django.db import transaction
from django.utils import timezone

from leaderboard.models import Visibility
from submissions.models import Submission
from submissions.notices import Kind, tell

# News that is older than this comes too late for anybody, and asks for a query each.
LOOKED_BACK = timedelta(days=7)


def tell_ended() -> None:
    """Tell of every embargo that ended lately; the outbox keeps each event once."""
    now = timezone.now()
    ended = Submission.objects.filter(
        evaluation__visibility=Visibility.EMBARGOED,
        evaluation__public_from__gt=now - LOOKED_BACK,
        evaluation__public_from__lte=now,
    )
    with transaction.atomic():
        for submission in ended:
            tell(Kind.PUBLISHED, submission, key="embargo")
