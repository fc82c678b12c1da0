"""The evaluator's work: jobs, their attempts and events, and the workers.

Only ``evaluator/queue.py`` changes the state of a job.
"""

from __future__ import annotations

from datetime import datetime, timedelta

from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from evaluator.agents.offer import Offer
from leaderboard.models import Evaluation, Run, Task


class Stage(models.TextChoices):
    """The leased stages of a job, in order. Grading closes the last one."""

    AGENT = "agent", _("Agent")
    DIFF = "diff", _("Diff")
    BUILD_FIRST = "build_first", _("First build")
    REPAIR = "repair", _("Compile repair")
    BUILD_FINAL = "build_final", _("Final build")
    CHECKS = "checks", _("Checks")


class JobState(models.TextChoices):
    QUEUED = "queued", _("Queued")
    LEASED = "leased", _("Running")
    SCORED = "scored", pgettext_lazy("state of a job", "Scored")
    INFRA_EXHAUSTED = "infra_exhausted", _("Infrastructure trouble")
    QUARANTINED = "quarantined", _("Quarantined")
    CANCELLED = "cancelled", _("Cancelled")


class AgentKind(models.TextChoices):
    """Who changes the workspace."""

    REPLAY = "replay", _("submitted patches")
    CONFIGURED = "configured", _("the configuration's agent")
    NOOP = "noop", _("no-op baseline")
    REFERENCE = "reference", _("reference solution")
    WRONG = "wrong", _("wrong patches")


INFRA_BUDGET = 3
SILENT_AFTER = timedelta(minutes=2)


class Job(models.Model):
    """One task of one run, on its way through the stages.

    ``fence`` grows with every lease; a report that carries an older one is refused.
    ``facts`` collects what the accepted stages found out.
    """

    evaluation = models.ForeignKey(
        Evaluation, on_delete=models.CASCADE, related_name="jobs"
    )
    run = models.ForeignKey(Run, on_delete=models.CASCADE, related_name="jobs")
    task = models.ForeignKey(Task, on_delete=models.PROTECT, related_name="jobs")
    agent = models.CharField(max_length=12, choices=AgentKind)
    inputs = models.JSONField(default=dict, help_text="Digests of submitted files.")
    trusted = models.BooleanField(
        default=False, help_text="May run without a sandbox: our own or staff's bundle."
    )
    state = models.CharField(max_length=16, choices=JobState, default=JobState.QUEUED)
    stage = models.CharField(max_length=12, choices=Stage, default=Stage.AGENT)
    pool = models.CharField(max_length=80)
    fence = models.PositiveIntegerField(default=0)
    owner = models.CharField(max_length=120, blank=True)
    lease_until = models.DateTimeField(null=True, blank=True)
    deadline = models.DateTimeField(null=True, blank=True)
    available_at = models.DateTimeField()
    infra_left = models.PositiveSmallIntegerField(default=INFRA_BUDGET)
    last_worker = models.CharField(max_length=120, blank=True)
    reason = models.CharField(max_length=32, blank=True)
    detail = models.TextField(blank=True)
    cancel_requested = models.BooleanField(default=False)
    facts = models.JSONField(default=dict)
    created_at = models.DateTimeField(auto_now_add=True)
    updated_at = models.DateTimeField(auto_now=True)

    class Meta:
        ordering = ["pk"]
        constraints = [
            models.UniqueConstraint(fields=["run", "task"], name="one_job_per_task"),
            models.CheckConstraint(
                condition=(
                    Q(state="leased", lease_until__isnull=False, deadline__isnull=False)
                    & ~Q(owner="")
                )
                | (
                    ~Q(state="leased")
                    & Q(owner="", lease_until__isnull=True, deadline__isnull=True)
                ),
                name="owner_iff_leased",
            ),
            models.CheckConstraint(
                condition=Q(infra_left__lte=INFRA_BUDGET),
                name="infra_budget_is_bounded",
            ),
        ]
        indexes = [
            models.Index(fields=["state", "pool", "available_at"]),
            models.Index(fields=["evaluation", "state"]),
        ]

    def __str__(self) -> str:
        return f"job {self.pk}: {self.state} ({self.stage})"


class AttemptOutcome(models.TextChoices):
    RUNNING = "running", _("running")
    PASSED = "passed", _("passed on")
    MODEL = "model", _("model outcome")
    INFRASTRUCTURE = "infrastructure", _("infrastructure outcome")
    LOST = "lost", _("worker lost")
    DRAINED = "drained", _("given back")
    CANCELLED = "cancelled", _("cancelled")


class Attempt(models.Model):
    """One lease of one stage of a job. Old attempts stay visible."""

    job = models.ForeignKey(Job, on_delete=models.CASCADE, related_name="attempts")
    stage = models.CharField(max_length=12, choices=Stage)
    fence = models.PositiveIntegerField()
    pool = models.CharField(max_length=80, blank=True)
    worker = models.CharField(max_length=120)
    device = models.CharField(max_length=120, blank=True)
    started_at = models.DateTimeField()
    ended_at = models.DateTimeField(null=True, blank=True)
    outcome = models.CharField(
        max_length=16, choices=AttemptOutcome, default=AttemptOutcome.RUNNING
    )
    reason = models.CharField(max_length=32, blank=True)
    detail = models.TextField(blank=True)
    accepted = models.BooleanField(default=False)
    report = models.JSONField(
        default=dict, help_text="What was reported: outcome, facts and digests."
    )
    evidence = models.CharField(
        max_length=64,
        blank=True,
        help_text="sha256 that binds the report to its lease.",
    )
    key_salt = models.CharField(
        max_length=64,
        blank=True,
        help_text="Half of the key that signs the report; gone when the attempt ends.",
    )

    class Meta:
        ordering = ["fence"]
        constraints = [
            models.UniqueConstraint(
                fields=["job", "fence"], name="one_attempt_per_fence"
            ),
            models.UniqueConstraint(
                fields=["job", "stage"],
                condition=Q(accepted=True),
                name="one_accepted_attempt_per_stage",
            ),
            models.UniqueConstraint(
                fields=["device"],
                condition=Q(outcome="running") & ~Q(device=""),
                name="one_running_attempt_per_device",
            ),
            models.CheckConstraint(
                condition=Q(outcome="running") | Q(key_salt=""),
                name="key_ends_with_its_attempt",
            ),
        ]
        indexes = [
            models.Index(fields=["ended_at"]),
            models.Index(fields=["pool", "ended_at"]),
        ]

    def __str__(self) -> str:
        return f"{self.stage} #{self.fence}: {self.outcome}"


class JobEvent(models.Model):
    """One transition of a job; together they are a path of the state table."""

    job = models.ForeignKey(Job, on_delete=models.CASCADE, related_name="events")
    at = models.DateTimeField()
    from_state = models.CharField(max_length=16, blank=True)
    to_state = models.CharField(max_length=16)
    stage = models.CharField(max_length=12)
    fence = models.PositiveIntegerField()
    actor = models.CharField(max_length=120)
    note = models.CharField(max_length=200, blank=True)

    class Meta:
        ordering = ["pk"]

    def __str__(self) -> str:
        return f"{self.from_state or '-'} -> {self.to_state}"


class WorkerQuerySet(models.QuerySet["Worker"]):
    def living(self, now: datetime) -> WorkerQuerySet:
        """Workers that were heard of lately."""
        return self.filter(seen_at__gte=now - SILENT_AFTER)

    def isolating(self) -> WorkerQuerySet:
        """Workers with a sandbox that keeps code from outside in."""
        return self.filter(capabilities__isolates=True)


class Worker(models.Model):
    """A worker process that registered itself and when it was last heard of."""

    name = models.CharField(max_length=120, unique=True)
    pools = models.JSONField(default=list)
    versions = models.JSONField(default=dict)
    capabilities = models.JSONField(
        default=dict, help_text="What it can do, and which tools it lacks."
    )
    slots = models.PositiveSmallIntegerField(default=1)
    sandbox = models.CharField(max_length=20, blank=True)
    started_at = models.DateTimeField()
    seen_at = models.DateTimeField()

    objects = WorkerQuerySet.as_manager()

    def __str__(self) -> str:
        return self.name

    @property
    def offers(self) -> set[str]:
        """The agents with their models that it can run, as jobs name them."""
        return {str(Offer(*each)) for each in self.capabilities.get("offers", [])}


class PoolPause(models.Model):
    """A stop for one pool: nobody claims its jobs until a person or a canary lifts it.

    No canary lifts a pause that was made by hand. ``canary_at`` is when the last one
    was sent out.
    """

    pool = models.CharField(max_length=80)
    since = models.DateTimeField()
    reason = models.TextField()
    by_hand = models.BooleanField(default=False)
    canary_at = models.DateTimeField(null=True, blank=True)
    lifted_at = models.DateTimeField(null=True, blank=True)
    lifted_reason = models.TextField(blank=True)

    class Meta:
        ordering = ["-since"]
        constraints = [
            models.UniqueConstraint(
                fields=["pool"],
                condition=Q(lifted_at=None),
                name="one_open_pause_per_pool",
            )
        ]

    def __str__(self) -> str:
        return f"{self.pool}: {self.reason}"


class SuspectDevice(models.Model):
    """A device that failed a control run or went silent: not held until cleared."""

    serial = models.CharField(max_length=120)
    since = models.DateTimeField()
    reason = models.TextField()
    cleared_at = models.DateTimeField(null=True, blank=True)
    cleared_reason = models.TextField(blank=True)

    class Meta:
        ordering = ["-since"]
        constraints = [
            models.UniqueConstraint(
                fields=["serial"],
                condition=Q(cleared_at=None),
                name="one_open_suspicion_per_device",
            )
        ]

    def __str__(self) -> str:
        return f"{self.serial}: {self.reason}"
