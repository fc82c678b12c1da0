"""Notes on tasks that turned out to be wrong."""

from __future__ import annotations

from django.contrib.auth.models import User
from django.db import transaction

from leaderboard.models import Erratum, Task, record


def note_erratum(task: Task, text: str, *, by: User | None = None) -> Erratum:
    """Add a public note; it is dated, recorded, and never replaces another."""
    with transaction.atomic():
        erratum = Erratum.objects.create(task=task, text=text)
        record("note erratum", task, by=by, reason=text)
    return erratum
