"""Why a task run failed, as rules and reviewers say. No figure is made of it."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from leaderboard.failures.taxonomy import FailureReason, LabelOrigin, group_of
from leaderboard.models.results import Run, TaskResult


class FailureLabel(models.Model):
    """What one rule or one reviewer said at one time. The database changes no row.

    Of each rule and each reviewer the latest label holds; an empty reason takes back
    what was said before. ``evidence`` has ``artifact``, ``line``, ``quote`` and
    ``figures``.
    """

    result = models.ForeignKey(
        TaskResult, on_delete=models.CASCADE, related_name="failure_labels"
    )
    reason = models.CharField(max_length=28, choices=FailureReason, blank=True)
    origin = models.CharField(max_length=9, choices=LabelOrigin)
    rule = models.CharField(max_length=20, blank=True)
    by = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        on_delete=models.PROTECT,
        null=True,
        blank=True,
        related_name="+",
    )
    note = models.TextField(blank=True, help_text="Of a reviewer; public.")
    evidence = models.JSONField(default=dict, blank=True)
    at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["pk"]
        constraints = [
            models.CheckConstraint(
                condition=Q(origin="reviewer", rule="", by__isnull=False)
                | (~Q(origin="reviewer") & ~Q(rule="") & Q(by=None)),
                name="a_label_is_of_a_rule_or_a_reviewer",
            ),
            models.CheckConstraint(
                condition=~Q(origin="reviewer") | ~Q(note=""),
                name="a_reviewers_label_says_why",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.reason or 'taken back'} ({self.rule or self.by})"


class ShownReason(models.Model):
    """The reason that follows from the labels of a task run, written with them.

    Without a ``reason`` reviewers disagree and no majority decides. ``reviewers`` is
    how many have labelled it.
    """

    result = models.OneToOneField(
        TaskResult, on_delete=models.CASCADE, related_name="shown_reason"
    )
    reason = models.CharField(max_length=28, choices=FailureReason, blank=True)
    origin = models.CharField(max_length=9, choices=LabelOrigin)
    disputed = models.BooleanField(default=False)
    reviewers = models.PositiveSmallIntegerField(default=0)

    class Meta:
        indexes = [models.Index(fields=["reason"])]
        constraints = [
            models.CheckConstraint(
                condition=~Q(reason="") | Q(disputed=True),
                name="no_reason_only_in_a_dispute",
            )
        ]

    def __str__(self) -> str:
        return f"{self.reason or 'disputed'} ({self.origin})"

    @property
    def group(self) -> str:
        return group_of(self.reason).value if self.reason else ""

    @property
    def label(self) -> object:
        """The reason in words, in the reader's language."""
        return FailureReason(self.reason).label if self.reason else _("Disputed")


class LabelPass(models.Model):
    """When the rules last looked at a run, and which version of them."""

    run = models.OneToOneField(Run, on_delete=models.CASCADE, related_name="label_pass")
    rules = models.PositiveSmallIntegerField()
    at = models.DateTimeField(auto_now=True)

    def __str__(self) -> str:
        return f"{self.run}: rules {self.rules}"
