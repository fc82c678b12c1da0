"""What turned out to be wrong with a task after its snapshot was opened."""

from __future__ import annotations

from django.db import models

from leaderboard.models.catalogue import Task


class Erratum(models.Model):
    """A dated note on a task. The task itself never changes; a new version mends it."""

    task = models.ForeignKey(Task, on_delete=models.CASCADE, related_name="errata")
    text = models.TextField(help_text="Shown to the public.")
    noted_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["-noted_at", "-pk"]
        verbose_name_plural = "errata"
        constraints = [
            models.CheckConstraint(
                condition=~models.Q(text=""), name="an_erratum_says_something"
            )
        ]

    def __str__(self) -> str:
        return f"{self.task}: {self.text[:60]}"
