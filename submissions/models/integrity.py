"""What deterministic checks noticed about a submission, and what curators made of it.

A signal is a hint with its evidence. It never changes a score by itself.
"""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models import OuterRef, Q, Subquery
from django.utils.translation import gettext_lazy as _

from leaderboard.models import Artifact, Task
from submissions.models.submissions import Submission


class Severity(models.TextChoices):
    """What the rule behind a signal does to a patch; the last one does nothing."""

    REFUSE = "refuse", _("Refused")
    RESTORE = "restore", _("Put back")
    FLAG = "flag", _("Flagged")


class Decision(models.TextChoices):
    CONFIRMED = "confirmed", _("Confirmed")
    DISMISSED = "dismissed", _("Dismissed")


class IntegrityScan(models.Model):
    """When a submission was last looked through, by which rules, and how it ended.

    ``trouble`` is our own: what kept a scan from its end. ``scored`` says whether the
    evaluation was decided by then; what needs its results is looked for only after.
    ``tries`` counts those that did not come to their end, with the present one.
    ``looked_at`` counts what there was to look at, by the names that
    ``integrity/coverage.py`` gives.
    """

    submission = models.OneToOneField(
        Submission, on_delete=models.CASCADE, related_name="integrity_scan"
    )
    rules = models.PositiveSmallIntegerField(help_text="Version of the rules.")
    scored = models.BooleanField(default=False)
    tries = models.PositiveSmallIntegerField(default=1)
    started_at = models.DateTimeField()
    finished_at = models.DateTimeField(null=True, blank=True)
    trouble = models.TextField(blank=True)
    looked_at = models.JSONField(default=dict, blank=True)

    def __str__(self) -> str:
        return f"scan of {self.submission_id}"


class IntegritySignalQuerySet(models.QuerySet["IntegritySignal"]):
    def with_decision(self) -> IntegritySignalQuerySet:
        """Attach the latest verdict: ``decision``, ``judged_because``, ``judged_at``
        and ``public_note``, all None where nobody has judged yet.
        """
        latest = SignalVerdict.objects.filter(signal=OuterRef("pk")).order_by("-pk")
        return self.annotate(
            decision=Subquery(latest.values("decision")[:1]),
            judged_because=Subquery(latest.values("reason")[:1]),
            judged_at=Subquery(latest.values("at")[:1]),
            public_note=Subquery(latest.values("public_note")[:1]),
        )

    def with_places(self) -> IntegritySignalQuerySet:
        """With everything that their addresses are made of."""
        return self.select_related("task", "twin__run__evaluation", "twin__task")

    def confirmed(self) -> IntegritySignalQuerySet:
        """Those whose latest verdict says so."""
        latest = SignalVerdict.objects.filter(signal=OuterRef("pk")).order_by("-pk")
        return self.alias(
            latest_decision=Subquery(latest.values("decision")[:1])
        ).filter(latest_decision=Decision.CONFIRMED)

    def open(self) -> IntegritySignalQuerySet:
        """Found by the latest scan and judged by nobody."""
        return self.filter(current=True, verdicts=None)


class IntegritySignal(models.Model):
    """One thing that a rule saw at one place.

    ``position`` is a line of a ``.jsonl`` file and a step of a ``.json`` file, counted
    from 1. ``occurrences`` tells how often the rule saw it in that task run: the first
    few have rows. ``seen`` is safe to show. Rows with a verdict stay when a later scan
    does not find them again; they are then no longer ``current``. ``twin`` is the file
    of another evaluation that the rule compared with.
    """

    submission = models.ForeignKey(
        Submission, on_delete=models.CASCADE, related_name="integrity_signals"
    )
    code = models.CharField(max_length=32)
    severity = models.CharField(max_length=8, choices=Severity)
    score = models.FloatField(help_text="0 to 1: how telling it is.")
    run_number = models.PositiveSmallIntegerField(null=True, blank=True)
    task = models.ForeignKey(
        Task, on_delete=models.PROTECT, related_name="+", null=True, blank=True
    )
    file = models.CharField(max_length=200, blank=True)
    position = models.PositiveIntegerField(null=True, blank=True)
    occurrences = models.PositiveIntegerField(default=1)
    seen = models.TextField()
    twin = models.ForeignKey(
        Artifact, on_delete=models.SET_NULL, related_name="+", null=True, blank=True
    )
    fingerprint = models.CharField(max_length=64)
    current = models.BooleanField(default=True)
    found_at = models.DateTimeField(auto_now_add=True)

    objects = IntegritySignalQuerySet.as_manager()

    class Meta:
        ordering = ["-score", "code", "run_number", "task__slug", "pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["submission", "fingerprint"], name="one_row_per_signal"
            ),
            models.CheckConstraint(
                condition=Q(score__gte=0) & Q(score__lte=1),
                name="a_signal_scores_0_to_1",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.code}: {self.seen}"


class SignalVerdict(models.Model):
    """What a curator decided about a signal, and why. The latest one counts.

    The submitter reads ``reason`` of a confirmed one, everybody ``public_note``.
    """

    signal = models.ForeignKey(
        IntegritySignal, on_delete=models.PROTECT, related_name="verdicts"
    )
    decision = models.CharField(max_length=9, choices=Decision)
    reason = models.TextField()
    public_note = models.TextField(blank=True)
    actor = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+"
    )
    at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["pk"]
        constraints = [
            models.CheckConstraint(
                condition=~Q(reason=""), name="a_signal_verdict_has_a_reason"
            )
        ]

    def __str__(self) -> str:
        return f"{self.decision}: {self.reason}"


class PatchSketch(models.Model):
    """What a final patch adds to its task, small enough to compare with many others.

    ``signature`` holds the smallest digests of its runs of words, ``shingle_count``
    how many there are in all; ``integrity/sketches.py`` makes and compares them.
    """

    task = models.ForeignKey(Task, on_delete=models.CASCADE, related_name="+")
    sha256 = models.CharField(max_length=64)
    rules = models.PositiveSmallIntegerField(help_text="Version of the rules.")
    shingle_count = models.PositiveIntegerField()
    signature = models.BinaryField()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["task", "sha256"], name="one_sketch_per_patch_of_a_task"
            )
        ]
        indexes = [
            models.Index(fields=["task", "shingle_count"], name="sketches_by_size")
        ]

    def __str__(self) -> str:
        return f"sketch of {self.sha256[:12]}"
