"""What is measured: benchmarks, evaluation snapshots, tasks, F-points, Kits."""

from __future__ import annotations

from django.db import models
from django.db.models import Q
from django.urls import reverse
from django.utils.translation import gettext_lazy as _

from leaderboard.metrics import Scope


class TaskSource(models.TextChoices):
    NEW_FEATURE = Scope.NEW_FEATURE.value, _("new-feature")
    SPEC_DRIVEN = Scope.SPEC_DRIVEN.value, _("spec-driven")
    BUG_FIX = Scope.BUG_FIX.value, _("bug-fix")


class ScopeName(models.TextChoices):
    OVERALL = Scope.OVERALL.value, _("Overall")
    NEW_FEATURE = Scope.NEW_FEATURE.value, _("new-feature")
    SPEC_DRIVEN = Scope.SPEC_DRIVEN.value, _("spec-driven")
    BUG_FIX = Scope.BUG_FIX.value, _("bug-fix")


class Difficulty(models.TextChoices):
    EASY = "easy", _("easy")
    MEDIUM = "medium", _("medium")
    HARD = "hard", _("hard")


class Benchmark(models.Model):
    """A benchmark; its snapshots are its versions."""

    slug = models.SlugField(unique=True)
    name = models.CharField(max_length=100)

    def __str__(self) -> str:
        return self.name


class SnapshotStatus(models.TextChoices):
    """Life of a snapshot: only an open one takes submissions."""

    DRAFT = "draft", _("draft")
    OPEN = "open", _("open")
    FROZEN = "frozen", _("frozen")


class SnapshotQuerySet(models.QuerySet["EvaluationSnapshot"]):
    def listed(self) -> SnapshotQuerySet:
        """What the public sees: no drafts, real devices and new snapshots first."""
        return (
            self.exclude(status=SnapshotStatus.DRAFT)
            .select_related("benchmark")
            .order_by("device_profile_simulated", "-task_snapshot_date", "-pk")
        )


class EvaluationSnapshot(models.Model):
    """Everything that must be equal for two numbers to be compared.

    A snapshot never changes once it is open; errata make a new version.
    """

    benchmark = models.ForeignKey(
        Benchmark, on_delete=models.PROTECT, related_name="snapshots"
    )
    version = models.CharField(max_length=40)
    title = models.CharField(max_length=100)
    status = models.CharField(
        max_length=10, choices=SnapshotStatus, default=SnapshotStatus.DRAFT
    )
    task_snapshot_date = models.DateField()
    evaluation_scripts = models.CharField(
        max_length=80, help_text="Name of the evaluation-script snapshot."
    )
    agent_name = models.CharField(max_length=80)
    agent_version = models.CharField(max_length=40)
    sdk = models.CharField(max_length=40)
    toolchain = models.CharField(max_length=80)
    device_profile = models.CharField(max_length=120)
    device_profile_simulated = models.BooleanField(default=False)
    device_facts = models.JSONField(default=dict, blank=True)
    prompt_template = models.JSONField(default=list, blank=True)
    run_parameters = models.JSONField(default=dict, blank=True)
    run_count = models.PositiveSmallIntegerField()
    repair_limit = models.PositiveSmallIntegerField()
    asks_for_trajectories = models.BooleanField(
        default=False,
        help_text="A completed task run without one makes an evaluation unverified.",
    )
    refused_differences = models.JSONField(
        default=list,
        blank=True,
        help_text="Fields of a manifest that have to be as here; any other one that "
        "differs makes a result not comparable.",
    )
    task_set_digest = models.CharField(max_length=64, blank=True)
    script_digest = models.CharField(max_length=64, blank=True)
    comparability_key = models.CharField(max_length=64)
    composition = models.JSONField(
        default=dict, blank=True, help_text="Published composition figures, as data."
    )
    package_path = models.CharField(
        max_length=255,
        blank=True,
        help_text="Where the evaluator finds the task package; empty if not held.",
    )
    references_public = models.BooleanField(
        default=False, help_text="Whether task pages may show the reference patches."
    )
    floor_completed = models.PositiveIntegerField(
        null=True, blank=True, help_text="Tasks that the no-op baseline completed."
    )
    ceiling_completed = models.PositiveIntegerField(
        null=True,
        blank=True,
        help_text="Tasks that the reference completed every time.",
    )
    created_at = models.DateTimeField(auto_now_add=True)

    objects = SnapshotQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["benchmark", "version"], name="one_snapshot_per_version"
            ),
            models.CheckConstraint(
                condition=Q(run_count__gte=1), name="snapshot_has_a_run"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.benchmark.name} {self.version}"

    def get_absolute_url(self) -> str:
        return reverse("snapshot", args=[self.benchmark.slug, self.version])


class SnapshotScope(models.Model):
    """N and the number of F-points of one scope: the denominator of every rate."""

    snapshot = models.ForeignKey(
        EvaluationSnapshot, on_delete=models.CASCADE, related_name="scopes"
    )
    scope = models.CharField(max_length=12, choices=ScopeName)
    task_count = models.PositiveIntegerField()
    f_point_count = models.PositiveIntegerField()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["snapshot", "scope"], name="one_denominator_per_scope"
            )
        ]

    def __str__(self) -> str:
        return f"{self.scope}: {self.task_count}"


class Kit(models.Model):
    """A Kit of the OpenHarmony API."""

    slug = models.SlugField(unique=True)
    name = models.CharField(max_length=80, unique=True)

    class Meta:
        ordering = ["name"]

    def __str__(self) -> str:
        return self.name


class Task(models.Model):
    """One top-level benchmark input, the scoring unit."""

    snapshot = models.ForeignKey(
        EvaluationSnapshot, on_delete=models.CASCADE, related_name="tasks"
    )
    slug = models.SlugField(max_length=80)
    source = models.CharField(max_length=12, choices=TaskSource)
    title = models.CharField(max_length=160)
    statement = models.TextField()
    difficulty = models.CharField(max_length=8, choices=Difficulty)
    repository = models.CharField(max_length=200)
    base_commit = models.CharField(max_length=80, blank=True)
    base_digest = models.CharField(max_length=64)
    bundle_name = models.CharField(max_length=120)
    build_paths = models.JSONField(
        default=list, blank=True, help_text="Build files that a patch may change."
    )
    reference_files = models.PositiveIntegerField(default=0)
    reference_lines = models.PositiveIntegerField(
        default=0, help_text="Lines added plus deleted by the reference patch."
    )
    position = models.PositiveIntegerField(default=0)
    kits = models.ManyToManyField(Kit, related_name="tasks", blank=True)

    class Meta:
        ordering = ["position", "slug"]
        constraints = [
            models.UniqueConstraint(
                fields=["snapshot", "slug"], name="one_task_per_slug"
            )
        ]

    def __str__(self) -> str:
        return self.slug

    def get_absolute_url(self) -> str:
        return reverse("task", args=[self.snapshot.version, self.slug])


class FPoint(models.Model):
    """One executable behavior check of a task."""

    task = models.ForeignKey(Task, on_delete=models.CASCADE, related_name="f_points")
    f_point = models.CharField(max_length=40)
    scenario = models.CharField(max_length=200)
    description = models.TextField()
    case = models.CharField(max_length=80)
    method = models.CharField(max_length=80)
    dimension = models.CharField(max_length=20, default="functional")
    weight = models.PositiveSmallIntegerField(default=1)
    position = models.PositiveIntegerField(default=0)

    class Meta:
        ordering = ["position"]
        constraints = [
            models.UniqueConstraint(
                fields=["task", "f_point"], name="one_f_point_per_name"
            )
        ]

    def __str__(self) -> str:
        return self.f_point
