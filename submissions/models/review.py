"""What maintainers and submitters write to each other, propose, and appeal."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models import F, Q
from django.utils.translation import gettext_lazy as _

from leaderboard.models import TaskResult
from submissions.models.submissions import Submission, SubmissionEvent


class MessageKind(models.TextChoices):
    """A note is for maintainers alone; everything else is read by both sides."""

    NOTE = "note", _("Note for maintainers")
    MESSAGE = "message", _("Message to the submitter")
    QUESTION = "question", _("Question")
    ANSWER = "answer", _("Answer")


class MessageQuerySet(models.QuerySet["Message"]):
    def for_submitter(self) -> MessageQuerySet:
        """Without the notes of maintainers."""
        return self.exclude(kind=MessageKind.NOTE)


class Message(models.Model):
    """One text about a submission. None is edited or deleted."""

    submission = models.ForeignKey(
        Submission, on_delete=models.CASCADE, related_name="messages"
    )
    kind = models.CharField(max_length=8, choices=MessageKind)
    author = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+"
    )
    text = models.TextField()
    at = models.DateTimeField(auto_now_add=True)

    objects = MessageQuerySet.as_manager()

    class Meta:
        ordering = ["pk"]

    def __str__(self) -> str:
        return f"{self.kind} on {self.submission}"


class Proposal(models.Model):
    """An act of one maintainer that waits until a second one confirms it.

    ``act`` is one of ``transitions.Act``, "overrule", "lift" or "false fail" for the
    one task run of ``result``, or "comparable" and "incomparable" for the conditions.
    ``confirmed`` is None while it is open.
    """

    submission = models.ForeignKey(
        Submission, on_delete=models.CASCADE, related_name="proposals"
    )
    act = models.CharField(max_length=12)
    result = models.ForeignKey(
        TaskResult, on_delete=models.CASCADE, null=True, blank=True, related_name="+"
    )
    reason = models.TextField(blank=True)
    public_from = models.DateTimeField(null=True, blank=True)
    proposed_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+"
    )
    proposed_at = models.DateTimeField(auto_now_add=True)
    confirmed = models.BooleanField(null=True, blank=True)
    settled_by = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        on_delete=models.PROTECT,
        null=True,
        blank=True,
        related_name="+",
    )
    settled_at = models.DateTimeField(null=True, blank=True)
    settled_reason = models.TextField(blank=True)
    event = models.OneToOneField(
        SubmissionEvent,
        on_delete=models.CASCADE,
        null=True,
        blank=True,
        related_name="proposal",
        help_text="What the confirmed act became.",
    )

    class Meta:
        ordering = ["pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["submission"],
                condition=Q(confirmed=None, result=None),
                name="one_open_proposal_per_submission",
            ),
            models.UniqueConstraint(
                fields=["result"],
                condition=Q(confirmed=None),
                name="one_open_proposal_per_result",
            ),
            models.CheckConstraint(
                condition=~Q(confirmed=True) | ~Q(settled_by=F("proposed_by")),
                name="nobody_confirms_an_own_proposal",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.act} of {self.submission}, proposed"


class AppealOutcome(models.TextChoices):
    UPHELD = "upheld", _("Upheld")
    DISMISSED = "dismissed", _("Dismissed")


class Appeal(models.Model):
    """The one appeal against a decision, with its answer; ``outcome`` empty: open.

    Against a step of the submission (``decision``), or against what became of a
    ``proposal`` to overrule one task run.
    """

    submission = models.ForeignKey(
        Submission, on_delete=models.CASCADE, related_name="appeals"
    )
    decision = models.OneToOneField(
        SubmissionEvent,
        on_delete=models.CASCADE,
        null=True,
        blank=True,
        related_name="appeal",
    )
    proposal = models.OneToOneField(
        Proposal, on_delete=models.CASCADE, null=True, blank=True, related_name="appeal"
    )
    by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+"
    )
    text = models.TextField()
    at = models.DateTimeField(auto_now_add=True)
    outcome = models.CharField(max_length=9, choices=AppealOutcome, blank=True)
    answer = models.TextField(blank=True)
    answered_by = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        on_delete=models.PROTECT,
        null=True,
        blank=True,
        related_name="+",
    )
    answered_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["pk"]
        constraints = [
            models.CheckConstraint(
                condition=Q(decision=None, proposal__isnull=False)
                | Q(decision__isnull=False, proposal=None),
                name="an_appeal_is_against_one_decision",
            )
        ]

    def __str__(self) -> str:
        return f"appeal against {self.decision or self.proposal}"
