"""What users upload to ask for an evaluation, and what became of it."""

from __future__ import annotations

import uuid

from django.conf import settings
from django.contrib.auth.models import AnonymousUser, User
from django.db import models
from django.db.models import Count, Q
from django.urls import reverse
from django.utils.translation import gettext_lazy as _

from evaluator import queue
from evaluator.models import JobState
from leaderboard.models import Evaluation, EvaluationSnapshot, Visibility


class SubmissionState(models.TextChoices):
    EVALUATING = "evaluating", _("Evaluating")
    EVALUATED = "evaluated", _("Evaluated, under review")
    PUBLISHED = "published", _("Published")
    WITHHELD = "withheld", _("Withheld")
    CANCELLED = "cancelled", _("Cancelled")
    WITHDRAWN = "withdrawn", _("Withdrawn")


class SubmissionQuerySet(models.QuerySet["Submission"]):
    def visible_to(self, user: User | AnonymousUser) -> SubmissionQuerySet:
        """Own submissions; maintainers see all, a visitor sees none."""
        if not user.is_authenticated:
            return self.none()
        found = self if getattr(user, "is_staff", False) else self.filter(user=user.pk)
        return found.select_related(
            "user", "snapshot__benchmark", "evaluation__configuration"
        )

    def with_counts(self) -> SubmissionQuerySet:
        """The newest first, with the number of jobs in each state: ``jobs_<state>``."""
        return self.order_by("-created_at", "-pk").annotate(
            **{
                f"jobs_{state.value}": Count(
                    "evaluation__jobs", filter=Q(evaluation__jobs__state=state)
                )
                for state in JobState
            }
        )


class Submission(models.Model):
    """An accepted upload. What was refused is not kept.

    ``state`` is the last act of a person; ``shown_state`` adds what the evaluation
    itself says, and cannot lag behind it.
    """

    uuid = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="submissions"
    )
    snapshot = models.ForeignKey(
        EvaluationSnapshot, on_delete=models.PROTECT, related_name="submissions"
    )
    evaluation = models.OneToOneField(
        Evaluation, on_delete=models.PROTECT, related_name="submission"
    )
    state = models.CharField(
        max_length=12, choices=SubmissionState, default=SubmissionState.EVALUATING
    )
    manifest = models.JSONField()
    archive_sha256 = models.CharField(max_length=64)
    archive_size_bytes = models.PositiveBigIntegerField()
    report = models.JSONField(
        default=dict, help_text="The report of the check; its warnings stay visible."
    )
    trusted = models.BooleanField(
        default=False, help_text="A sample of this project, or from a maintainer."
    )
    created_at = models.DateTimeField(auto_now_add=True)

    objects = SubmissionQuerySet.as_manager()

    class Meta:
        ordering = ["-created_at", "-pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["user", "snapshot", "archive_sha256"],
                condition=~Q(state="cancelled"),
                name="one_submission_per_archive",
            )
        ]

    def __str__(self) -> str:
        return f"submission {self.uuid}"

    def get_absolute_url(self) -> str:
        return reverse("submission", args=[self.pk])

    @property
    def shown_state(self) -> SubmissionState:
        evaluation = self.evaluation
        if evaluation.visibility == Visibility.PUBLIC:
            return SubmissionState.PUBLISHED
        if evaluation.visibility == Visibility.WITHDRAWN:
            return SubmissionState.WITHDRAWN
        if self.state in {SubmissionState.CANCELLED, SubmissionState.WITHHELD}:
            return SubmissionState(self.state)
        if evaluation.scored_at is not None:
            return SubmissionState.EVALUATED
        return SubmissionState.EVALUATING

    @property
    def job_counts(self) -> dict[str, int]:
        """Jobs by state; without a query where ``with_counts`` was used."""
        attached = {
            state.value: getattr(self, f"jobs_{state.value}", None)
            for state in JobState
        }
        if None in attached.values():
            return queue.counts(self.evaluation)
        return {state: count or 0 for state, count in attached.items()}

    @property
    def job_total(self) -> int:
        return sum(self.job_counts.values())

    @property
    def undecided(self) -> bool:
        """Whether jobs may still be at work."""
        return self.shown_state == SubmissionState.EVALUATING


class SubmissionEvent(models.Model):
    """One act on a submission; ``actor`` is empty where the software acted."""

    submission = models.ForeignKey(
        Submission, on_delete=models.CASCADE, related_name="events"
    )
    at = models.DateTimeField(auto_now_add=True)
    actor = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, blank=True
    )
    from_state = models.CharField(max_length=12, choices=SubmissionState, blank=True)
    to_state = models.CharField(max_length=12, choices=SubmissionState)
    reason = models.TextField(blank=True)

    class Meta:
        ordering = ["pk"]

    def __str__(self) -> str:
        return f"{self.from_state or '-'} -> {self.to_state}"
