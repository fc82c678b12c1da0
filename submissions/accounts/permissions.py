"""Who may see what is not public: pages and API ask the same question."""

from __future__ import annotations

from django.contrib.auth.models import User

from leaderboard.models import Evaluation
from submissions.models import Submission


def may_read(user: User, evaluation: Evaluation) -> bool:
    """Whether ``evaluation`` belongs to ``user`` or to a team of theirs."""
    return Submission.objects.visible_to(user).filter(evaluation=evaluation).exists()
