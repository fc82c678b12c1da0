"""Closing proposals: confirmed, declined, or overtaken by what was done meanwhile."""

from __future__ import annotations

from django.contrib.auth.models import User
from django.db.models import QuerySet
from django.utils import timezone

from submissions.models import Proposal
from submissions.sentences.records import OVERTAKEN


def settle(proposal: Proposal, *, by: User, confirmed: bool, reason: str = "") -> None:
    proposal.confirmed = confirmed
    proposal.settled_by_id = by.pk
    proposal.settled_at = timezone.now()
    proposal.settled_reason = reason
    proposal.save()


def overtake(proposals: QuerySet[Proposal], *, by: User) -> None:
    """Close those of ``proposals`` that are open; a decision went before them."""
    for each in proposals.filter(confirmed=None):
        settle(each, by=by, confirmed=False, reason=OVERTAKEN())
