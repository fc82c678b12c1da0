"""Who acts on which evaluation, as the arguments of commands name them."""

from __future__ import annotations

from uuid import UUID

from django.contrib.auth import get_user_model
from django.contrib.auth.models import User
from django.core.management.base import CommandError

from leaderboard.models import Evaluation
from submissions.models import Submission


def evaluation_of(what: str) -> Evaluation:
    """That of a submission's uuid, or of its own number."""
    if what.isdecimal():
        found = Evaluation.objects.filter(pk=int(what)).first()
    else:
        submission = Submission.objects.filter(pk=_uuid(what)).first()
        found = submission.evaluation if submission else None
    if found is None:
        raise CommandError(
            f"No submission or evaluation {what}. The page of a submission tells its "
            "uuid, and its address ends in it."
        )
    return found


def _uuid(text: str) -> UUID:
    try:
        return UUID(text)
    except ValueError:
        raise CommandError(
            f"{text!r} is neither the uuid of a submission nor the number of an "
            "evaluation."
        ) from None


def maintainer(name: str) -> User:
    """The member of staff with that name."""
    found = get_user_model().objects.filter(username=name, is_staff=True).first()
    if found is None:
        staff = get_user_model().objects.filter(is_staff=True).order_by("username")
        known = ", ".join(staff.values_list("username", flat=True)[:20])
        raise CommandError(f"No maintainer {name!r}. Known: {known or 'none'}.")
    return found
