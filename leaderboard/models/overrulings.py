"""Verdicts of maintainers on single task runs. The raw verdict is never edited."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models import F, Q

from leaderboard.models.results import TaskResult


class Overruling(models.Model):
    """A completed task run that counts as not completed, by two maintainers.

    It stays in the denominator, and what was measured stays beside it. A row is in
    force as long as it is there; one that is taken back becomes a
    :class:`LiftedOverruling`.
    """

    result = models.OneToOneField(
        TaskResult, on_delete=models.CASCADE, related_name="overruling"
    )
    reason = models.TextField(help_text="Shown to the public.")
    proposed_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+"
    )
    confirmed_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+"
    )
    at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["result__run__number", "result__task__position"]
        constraints = [
            models.CheckConstraint(
                condition=~Q(proposed_by=F("confirmed_by")),
                name="an_overruling_takes_two",
            ),
            models.CheckConstraint(
                condition=~Q(reason=""), name="an_overruling_has_a_reason"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.result}: overruled"


class LiftedOverruling(models.Model):
    """An overruling that two maintainers took back; its task run counts again.

    ``overruled_at`` and ``reason`` are those of the overruling. The audit trail holds
    both acts.
    """

    result = models.ForeignKey(
        TaskResult, on_delete=models.CASCADE, related_name="lifted_overrulings"
    )
    reason = models.TextField()
    overruled_at = models.DateTimeField()
    lifted_because = models.TextField(help_text="Shown to the public.")
    proposed_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+"
    )
    confirmed_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+"
    )
    at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["result__run__number", "result__task__position", "pk"]
        constraints = [
            models.CheckConstraint(
                condition=~Q(proposed_by=F("confirmed_by")), name="lifting_takes_two"
            ),
            models.CheckConstraint(
                condition=~Q(lifted_because=""), name="lifting_has_a_reason"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.result}: overruled, and taken back"
