"""How alike screens of an app and their references are, as judges say."""

from __future__ import annotations

from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from leaderboard.models.results import TaskResult


class VisualOrigin(models.TextChoices):
    """Only what was measured enters the completion rate."""

    MEASURED = "measured", _("measured")
    MODEL = "model", _("asked of a model")


class VisualScore(models.Model):
    """What one judge in one version says of one screen of a task run.

    ``millionths`` is the score of 1, None where the judge could not say; then, and
    where it is 0 for a reason of its own, ``reason`` says why. ``detail`` holds what
    the judge kept: of a model its prompt and all of its answers.
    """

    result = models.ForeignKey(
        TaskResult,
        on_delete=models.CASCADE,
        related_name="visual_scores",
        db_index=False,
    )
    screen = models.CharField(max_length=40)
    origin = models.CharField(max_length=8, choices=VisualOrigin)
    judge = models.CharField(max_length=100)
    judge_version = models.CharField(max_length=60)
    millionths = models.PositiveIntegerField(null=True, blank=True)
    reason = models.TextField(blank=True)
    reference_sha256 = models.CharField(max_length=64)
    picture_sha256 = models.CharField(max_length=64, blank=True)
    detail = models.JSONField(default=dict, blank=True)
    judged_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["screen", "origin", "judge", "judge_version"]
        constraints = [
            models.UniqueConstraint(
                fields=["result", "screen", "judge", "judge_version"],
                name="one_score_per_screen_and_judge",
            ),
            models.CheckConstraint(
                condition=Q(millionths__isnull=True) | Q(millionths__lte=1_000_000),
                name="a_score_is_at_most_one",
            ),
            models.CheckConstraint(
                condition=Q(millionths__isnull=False) | ~Q(reason=""),
                name="no_score_has_a_reason",
            ),
        ]

    def __str__(self) -> str:
        said = "no score" if self.millionths is None else self.millionths / 1_000_000
        return f"{self.screen}: {said} ({self.judge} {self.judge_version})"
