"""How a task gets into a snapshot: words of curators, and proofs by the evaluator."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from leaderboard.models.catalogue import Task
from leaderboard.models.results import TaskResult


class Opinion(models.TextChoices):
    APPROVED = "approved", pgettext_lazy("a task by a curator", "approved")
    REFUSED = "refused", pgettext_lazy("a task by a curator", "refused")


class CuratorVerdict(models.Model):
    """One curator's word for one state of a task. The last one of a curator counts.

    It belongs to ``digest``, not to a row: the same task in another version keeps it,
    and a task that changes by one byte has none. ``curator`` is a user name, or a name
    that a package brought along; then there is no ``user``.
    """

    slug = models.CharField(max_length=80)
    digest = models.CharField(max_length=64)
    curator = models.CharField(max_length=150)
    curator_name = models.CharField(max_length=100, blank=True)
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        on_delete=models.PROTECT,
        related_name="+",
        null=True,
        blank=True,
    )
    opinion = models.CharField(max_length=8, choices=Opinion)
    reason = models.TextField(blank=True)
    given_on = models.DateField(
        help_text="As the package says, or the day it was given."
    )
    at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["pk"]
        indexes = [models.Index(fields=["digest"])]
        constraints = [
            models.CheckConstraint(
                condition=~Q(opinion="refused") | ~Q(reason=""),
                name="a_refusal_has_a_reason",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.slug} {self.opinion} by {self.curator}"


class ProofKind(models.TextChoices):
    """What a proof run does to the base project."""

    BASE = "base", _("unchanged base")
    REFERENCE = "reference", _("reference solution")
    WRONG = "wrong", _("wrong patch")


class TaskProof(models.Model):
    """What one proof run found.

    The base has to pass regression checks and nothing else, the reference everything.

    Run n of the wrong patches replays the n-th of the task, which has to fail those
    F-points that it is made to fail.
    ``verdicts`` holds, by F-point, whether it passed; ``evidence`` is the digest that
    binds the report of the checks to its lease. Proofs that were ``set_aside`` stay,
    and count no more.
    """

    task = models.ForeignKey(Task, on_delete=models.CASCADE, related_name="proofs")
    digest = models.CharField(max_length=64, help_text="Of the task as it was proved.")
    kind = models.CharField(max_length=9, choices=ProofKind)
    result = models.OneToOneField(
        TaskResult, on_delete=models.CASCADE, related_name="proof"
    )
    run_number = models.PositiveSmallIntegerField()
    holds = models.BooleanField()
    verdicts = models.JSONField(default=dict)
    found = models.TextField(blank=True, help_text="Why it does not hold.")
    evidence = models.CharField(max_length=64, blank=True)
    set_aside = models.TextField(blank=True, help_text="Why it counts no more.")
    at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["task__position", "kind", "pk"]

    def __str__(self) -> str:
        return f"{self.task}: {self.kind} {'holds' if self.holds else 'does not hold'}"

    @property
    def wrong_patch(self) -> dict[str, Any] | None:
        """What is said of the wrong patch that was tried; None for other kinds."""
        if self.kind != ProofKind.WRONG:
            return None
        tried: list[dict[str, Any]] = self.result.task.wrong_patches
        return tried[self.run_number - 1]
