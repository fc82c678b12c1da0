"""News of submissions: told once, in the transaction of the change it is about."""

from __future__ import annotations

from collections.abc import Sequence
from uuid import uuid4

from django.contrib.auth.models import User
from django.db import transaction

from evaluator.storable import storable
from leaderboard import outbox
from submissions.findings import Finding
from submissions.models import Submission, Team
from submissions.notices.kinds import Kind

__all__ = ["FINDINGS_TOLD", "Kind", "tell", "tell_refusal"]

FINDINGS_TOLD = 10
TEXT_LIMIT = 4000


def tell(
    kind: Kind,
    submission: Submission,
    *,
    key: object,
    by: User | None = None,
    text: str = "",
) -> None:
    """Tell everybody concerned of ``submission``; call inside the transaction.

    Who gets it follows from ``kind`` (``kinds.py``): submitters, maintainers, webhooks.
    ``key`` names the occasion among those of this kind and submission, such as the
    number of the row that was written: the same one again tells nothing twice. ``by``
    acted and gets no mail of it; nobody is told who it was. ``text`` is what they
    wrote, for the recipients to read.
    """
    outbox.tell(
        kind.value,
        key=f"{kind.value}/{submission.pk}/{key}",
        data={
            "submission": str(submission.pk),
            "by": by.pk if by is not None else None,
            "text": storable(text[:TEXT_LIMIT]),
        },
    )


def tell_refusal(user: User, team: Team | None, errors: Sequence[Finding]) -> None:
    """Tell of an upload that was not accepted; it left no other trace."""
    with transaction.atomic():
        outbox.tell(
            Kind.REFUSED.value,
            key=f"{Kind.REFUSED.value}/{uuid4()}",
            data={
                "user": user.pk,
                "team": team.pk if team is not None else None,
                # They quote names and values of whatever was uploaded.
                "errors": storable([each.as_dict() for each in errors[:FINDINGS_TOLD]]),
                "error_count": len(errors),
            },
        )
