"""The short history of an evaluation that everybody may read: dates, acts, reasons.

Nobody is named. It outlives the figures: what is struck out keeps its history.
"""

from __future__ import annotations

from datetime import datetime
from typing import NamedTuple

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from leaderboard.models import AuditEvent, Evaluation, Provenance


class HistoryEntry(NamedTuple):
    """One step; ``act`` is a stable name, ``label`` says it in words."""

    at: datetime
    act: str
    label: str | Promise
    reason: str


def public_history(evaluation: Evaluation) -> list[HistoryEntry]:
    """Every step of ``evaluation``, the newest first."""
    entries = [
        HistoryEntry(event.at, event.act, event.act_label, event.reason)
        for event in AuditEvent.objects.about(evaluation).public()
    ]
    lifted = evaluation.embargo_ended_at
    if lifted is not None:
        # No act of anybody, and so no event: the day came.
        entries.append(HistoryEntry(lifted, "embargo ended", _("Embargo ended"), ""))
    # Figures of a report were neither accepted nor measured here.
    if evaluation.provenance != Provenance.PUBLISHED:
        if evaluation.scored_at is not None:
            entries.append(
                HistoryEntry(evaluation.scored_at, "evaluated", _("Evaluated"), "")
            )
        entries.append(
            HistoryEntry(evaluation.created_at, "accepted", _("Accepted"), "")
        )
    return sorted(entries, key=lambda entry: entry.at, reverse=True)
