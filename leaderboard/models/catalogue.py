"""What is measured: benchmarks, evaluation snapshots, tasks, F-points, Kits."""

from __future__ import annotations

from collections.abc import Sequence

from django.db import models
from django.db.models import OuterRef, Q
from django.urls import reverse
from django.utils.functional import cached_property
from django.utils.translation import gettext_lazy as _

from leaderboard.completion_rate import Dimension
from leaderboard.metrics import Scope
from leaderboard.models.nested import nested
from leaderboard.models.texts import in_language


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


class ScoringPolicy(models.TextChoices):
    """How the results of a benchmark become the figures of its tables."""

    TASK_COMPLETION = "task-completion", _("Task Completion")
    PASS_AND_COMPLETION = "pass-and-completion", _("pass rate and completion rate")

    @property
    def fixed_sources(self) -> Sequence[TaskSource] | None:
        """The task sources of all its snapshots; None where each names its own."""
        return list(TaskSource) if self is ScoringPolicy.TASK_COMPLETION else None


class Benchmark(models.Model):
    """A benchmark; its snapshots are its versions.

    The policy belongs to the benchmark, and a table to one snapshot, so figures of two
    policies never meet in one table.
    """

    slug = models.SlugField(unique=True)
    name = models.CharField(max_length=100)
    policy = models.CharField(
        max_length=24, choices=ScoringPolicy, default=ScoringPolicy.TASK_COMPLETION
    )
    guest = models.BooleanField(
        default=False,
        help_text="Shown beside the site's own benchmark, never at its home page.",
    )
    canary = models.CharField(
        max_length=36, blank=True, help_text="GUID that every hidden file carries."
    )

    def __str__(self) -> str:
        return self.name

    @property
    def is_apart(self) -> bool:
        """Whether it has pages of its own and is never what the home page shows."""
        return self.guest or self.policy != ScoringPolicy.TASK_COMPLETION

    @property
    def is_synthetic(self) -> bool:
        """Whether its tasks are made up to measure the software; it is named so."""
        return is_synthetic(self.slug)


def is_synthetic(slug: str) -> bool:
    """Whether the slug of a benchmark is one of those kept for made-up ones.

    >>> is_synthetic("synthetic-bench"), is_synthetic("openharmony-bench")
    (True, False)
    """
    return slug.split("-")[0] == "synthetic"


class SnapshotStatus(models.TextChoices):
    """Life of a snapshot: only an open one takes submissions.

    Which step may follow which is in ``leaderboard/curation/transitions.py``.
    """

    DRAFT = "draft", _("draft")
    ADMISSION = "admission", _("in admission")
    OPEN = "open", _("open")
    FROZEN = "frozen", _("frozen")
    SUPERSEDED = "superseded", _("superseded")


class DateOf(models.TextChoices):
    """What the date of a snapshot is the date of."""

    TASKS = "tasks", _("Task snapshot")
    REPORT = "report", _("Report of")
    READING = "reading", _("As read on")


UNLISTED = (SnapshotStatus.DRAFT, SnapshotStatus.ADMISSION)


class SnapshotQuerySet(models.QuerySet["EvaluationSnapshot"]):
    def listed(self) -> SnapshotQuerySet:
        """What the public sees: what is or was open; real devices, new ones first.

        Other benchmarks come last.
        """
        return (
            self.exclude(status__in=UNLISTED)
            .select_related("benchmark", "superseded_by__benchmark")
            .order_by(
                "benchmark__guest",
                "device_profile_simulated",
                "-task_snapshot_date",
                "-pk",
            )
        )

    def with_scopes(self) -> SnapshotQuerySet:
        """Read ``scope_rows`` in the same query."""
        rows = SnapshotScope.objects.filter(snapshot=OuterRef("pk"))
        # It takes the place of the property, which is not asked then.
        return self.annotate(**{"scope_rows": nested(rows)})

    def by_task_completion(self) -> SnapshotQuerySet:
        """Those whose tables rank by Task Completion."""
        return self.filter(benchmark__policy=ScoringPolicy.TASK_COMPLETION)


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
    date_of = models.CharField(max_length=8, choices=DateOf, default=DateOf.TASKS)
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
    runs_differ = models.BooleanField(
        default=False,
        help_text="Evaluations have run counts of their own; run_count is the lowest.",
    )
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
    legacy_apis = models.JSONField(
        default=list,
        blank=True,
        help_text="Outdated modules: a patch that imports one has its completion rate "
        "multiplied down.",
    )
    task_set_digest = models.CharField(max_length=64, blank=True)
    script_digest = models.CharField(max_length=64, blank=True)
    comparability_key = models.CharField(max_length=64)
    composition = models.JSONField(
        default=dict, blank=True, help_text="Published composition figures, as data."
    )
    statistics = models.JSONField(
        default=dict,
        blank=True,
        help_text="Composition as computed from the package, written at import.",
    )
    package_path = models.CharField(
        max_length=255,
        blank=True,
        help_text="Where the evaluator finds the task package; empty if not held.",
    )
    references_public = models.BooleanField(
        default=False, help_text="Whether task pages may show the reference patches."
    )
    opened_at = models.DateTimeField(
        null=True,
        blank=True,
        help_text="Later words of curators are about other versions.",
    )
    artifacts_released_at = models.DateTimeField(
        null=True,
        blank=True,
        help_text="Since when everybody may read checks and references; never taken "
        "back.",
    )
    contamination = models.JSONField(
        default=dict,
        blank=True,
        help_text="By task source: how models may have seen its tasks in training.",
    )
    derived_from = models.JSONField(
        default=dict,
        blank=True,
        help_text="The earlier version, why there is a new one, and what differs.",
    )
    superseded_by = models.ForeignKey(
        "self",
        on_delete=models.PROTECT,
        related_name="supersedes",
        null=True,
        blank=True,
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

    @cached_property
    def scope_rows(self) -> list[SnapshotScope]:
        """Its scopes with their denominators, read once."""
        return list(self.scopes.all())

    @property
    def short_name(self) -> str:
        """What it is called where the site's own benchmark goes without saying."""
        return str(self) if self.benchmark.is_apart else self.version

    @property
    def in_query(self) -> str:
        """What names it in a query: as short as it can be without doubt."""
        if self.benchmark.is_apart:
            return f"{self.benchmark.slug}/{self.version}"
        return self.version

    @property
    def shows_references(self) -> bool:
        """Whether everybody may read the reference patches."""
        return self.references_public or self.artifacts_released_at is not None


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
    source = models.CharField(
        max_length=40,
        help_text="One of the sources that the policy fixes, or the slug of a stream.",
    )
    source_names = models.JSONField(
        default=dict,
        blank=True,
        help_text="Name of its stream by language; empty for a fixed source.",
    )
    title = models.CharField(max_length=160)
    statement = models.TextField()
    difficulty = models.CharField(max_length=8, choices=Difficulty)
    repository = models.CharField(max_length=200)
    base_commit = models.CharField(max_length=80, blank=True)
    base_digest = models.CharField(max_length=64)
    digest = models.CharField(
        max_length=64,
        blank=True,
        help_text="Of everything in the task's folder: what curators approve.",
    )
    bundle_name = models.CharField(max_length=120)
    build_paths = models.JSONField(
        default=list, blank=True, help_text="Build files that a patch may change."
    )
    wrong_patches = models.JSONField(
        default=list,
        blank=True,
        help_text="Plausible wrong solutions: patch, the F-points that it has to fail, "
        "and why. Hidden.",
    )
    visual = models.JSONField(
        default=dict,
        blank=True,
        help_text="Screens that the visual judge compares, and their weight; empty "
        "without any.",
    )
    reference_files = models.PositiveIntegerField(default=0)
    reference_lines = models.PositiveIntegerField(
        default=0, help_text="Lines added plus deleted by the reference patch."
    )
    position = models.PositiveIntegerField(default=0)
    kits = models.ManyToManyField(
        Kit,
        related_name="tasks",
        blank=True,
        help_text="Kits that the reference patch touches.",
    )
    declared_kits = models.JSONField(
        null=True,
        blank=True,
        help_text="Names of the Kits in task.json; null where the Kits of the task "
        "are not computed.",
    )

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

    @property
    def source_label(self) -> str:
        """What its source is called on a page."""
        if self.source_names:
            return in_language(self.source_names)
        known = self.source in TaskSource.values
        return str(TaskSource(self.source).label) if known else self.source


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
    required = models.BooleanField(
        default=True, help_text="Whether the task is completed only if it passes."
    )
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

    @property
    def is_regression(self) -> bool:
        """Whether it passes on the base already, and has to go on passing."""
        return self.dimension == Dimension.REGRESSION
