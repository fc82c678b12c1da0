"""The history of a submission: what people did, and when its evaluation ended."""

from __future__ import annotations

from datetime import datetime
from typing import NamedTuple

from django.utils.functional import Promise
from django.utils.translation import gettext as _

from submissions.models import Submission, SubmissionState


class HistoryRow(NamedTuple):
    """One step; ``actor`` is empty where the software acted."""

    at: datetime
    state: str | Promise
    actor: str
    reason: str


def history_of(submission: Submission) -> list[HistoryRow]:
    """Every change of state with its reason and actor, the oldest first."""
    rows = [
        HistoryRow(
            at=event.at,
            state=event.label,
            actor=event.actor.get_username() if event.actor else "",
            reason=event.reason,
        )
        for event in submission.events.select_related("actor")
    ]
    scored_at = submission.evaluation.scored_at
    if scored_at is not None:
        # No act of anybody, and so no event: the last verdict made it so.
        state, reason = SubmissionState.EVALUATED.label, _("Every task run is scored.")
        rows.append(HistoryRow(scored_at, state, "", reason))
    lifted = submission.evaluation.embargo_ended_at
    if lifted is not None:
        state, reason = SubmissionState.PUBLISHED.label, _("The embargo ended.")
        rows.append(HistoryRow(lifted, state, "", reason))
    return sorted(rows, key=lambda row: row.at)
