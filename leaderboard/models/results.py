"""What was measured: configurations, evaluations, runs, and their results."""

from __future__ import annotations

from datetime import datetime
from functools import cached_property
from typing import NamedTuple

from django.db import models
from django.db.models import Case, F, OuterRef, Q, When
from django.db.models.functions import Now
from django.urls import reverse
from django.utils import timezone
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from leaderboard.models.catalogue import (
    EvaluationSnapshot,
    FPoint,
    ScopeName,
    Task,
)
from leaderboard.models.comparability import ComparabilityDecision, ordered_pair
from leaderboard.models.nested import RowsField, nested


class Configuration(models.Model):
    """An agent with a model and its parameters."""

    model = models.CharField(max_length=100)
    provider = models.CharField(max_length=100)
    family = models.CharField(max_length=60, blank=True)
    agent_name = models.CharField(max_length=80)
    agent_version = models.CharField(max_length=40)
    run_parameters = models.JSONField(default=dict, blank=True)

    def __str__(self) -> str:
        return f"{self.agent_name} with {self.model}"

    def get_absolute_url(self) -> str:
        return reverse("configuration", args=[self.pk])


class Provenance(models.TextChoices):
    """Where a number comes from; never guessed, always shown."""

    OFFICIAL = "official", _("Official")
    REPRODUCED = "reproduced", _("Reproduced")
    PUBLISHED = "published", _("Published")
    SELF_REPORTED = "self-reported", _("Self-reported")
    BASELINE = "baseline", _("Baseline")


class Visibility(models.TextChoices):
    """The one field that says who may read an evaluation.

    Code that knows nothing of embargoes hides too much, never too little.
    """

    PRIVATE = "private", _("Private")
    EMBARGOED = "embargoed", _("Embargoed")
    PUBLIC = "public", _("Public")
    WITHDRAWN = "withdrawn", _("Withdrawn")
    DISQUALIFIED = "disqualified", _("Disqualified")


# Once public, no longer ranked: the row stays, struck out, with its reason.
STRUCK_OUT = (Visibility.WITHDRAWN, Visibility.DISQUALIFIED)


def public_now(prefix: str = "") -> Q:
    """The condition that an evaluation is public now; ``prefix`` leads to it.

    The database compares with its own clock, so an embargo ends without anybody's act.
    """
    ended = {
        f"{prefix}visibility": Visibility.EMBARGOED,
        f"{prefix}public_from__lte": Now(),
    }
    return Q(**{f"{prefix}visibility": Visibility.PUBLIC}) | Q(**ended)


BY_START_ORDER = "assigned by start order"
RUN_HERE = "run here"
SCRIPTED = "scripted, no real model"
# Under which name ``toolchain_facts`` has the version of the software that evaluated.
EVALUATOR = "evaluator"


class Strike(NamedTuple):
    """An evaluation was struck out, from ``start`` (None = unknown) to ``end``.

    Only a disqualification is ever taken back, so only that has an end.
    """

    start: datetime | None
    end: datetime | None
    reason: str
    kind: str = Visibility.DISQUALIFIED.value

    @property
    def kind_label(self) -> str | Promise:
        return Visibility(self.kind).label

    def held(self, until: datetime | None) -> bool:
        """Whether it was in force just before ``until`` (None = now)."""
        if until is None:
            return self.end is None
        begun = self.start is None or self.start < until
        return begun and (self.end is None or self.end >= until)


class EvaluationQuerySet(models.QuerySet["Evaluation"]):
    def public(self) -> EvaluationQuerySet:
        """Evaluations that anybody may read; withdrawn ones are not among them."""
        return self.filter(public_now())

    def published_on(self, snapshot: EvaluationSnapshot) -> EvaluationQuerySet:
        """Public evaluations of ``snapshot``, with their configuration."""
        return self.public().filter(snapshot=snapshot).select_related("configuration")

    def on_record(self) -> EvaluationQuerySet:
        """What the public knows of: public evaluations and struck out ones."""
        return self.filter(public_now() | Q(visibility__in=STRUCK_OUT))

    def with_totals(self) -> EvaluationQuerySet:
        """Attach the stored totals over all runs as ``summary`` (one row a scope)."""
        totals = ScopeTotals.objects.filter(run=None, evaluation=OuterRef("pk"))
        return self.annotate(summary=nested(totals))

    def with_decisions(
        self, key: str, until: datetime | None = None
    ) -> EvaluationQuerySet:
        """Attach the decisions that let rank those with other keys beside ``key`` as
        ``decided`` (none or one), as they held just before ``until`` or hold now."""
        other = OuterRef("comparability_key")
        pair = Q(first_key=key, second_key=other) | Q(first_key=other, second_key=key)
        found = nested(ComparabilityDecision.objects.in_force(until).filter(pair))
        differs = When(~Q(comparability_key=key), then=found)
        return self.annotate(
            decided=Case(differs, output_field=RowsField(ComparabilityDecision))
        )


class Evaluation(models.Model):
    """One configuration measured on one evaluation snapshot: k runs, one row.

    ``comparability_key`` is the snapshot's unless the configuration was run under other
    conditions; only rows with the snapshot's key are ranked together, and those whose
    key maintainers declared comparable with it. The database keeps both keys as they
    are, and lets no evaluation say that nothing differs while its key does.
    """

    snapshot = models.ForeignKey(
        EvaluationSnapshot, on_delete=models.PROTECT, related_name="evaluations"
    )
    configuration = models.ForeignKey(
        Configuration, on_delete=models.PROTECT, related_name="evaluations"
    )
    provenance = models.CharField(max_length=14, choices=Provenance)
    visibility = models.CharField(
        max_length=12, choices=Visibility, default=Visibility.PRIVATE
    )
    comparability_key = models.CharField(max_length=64)
    differing_fields = models.JSONField(
        default=list,
        blank=True,
        help_text="Conditions that differ from the snapshot's.",
    )
    run_count = models.PositiveSmallIntegerField()
    simulated = models.BooleanField(
        default=False, help_text="Measured on a simulated device profile."
    )
    unverified = models.BooleanField(
        default=False, help_text="Completed task runs lack a trajectory; not ranked."
    )
    runs_in_order = models.BooleanField(
        default=True, help_text="False where the order of the runs was not published."
    )
    toolchain_facts = models.JSONField(default=dict, blank=True)
    rerun_of = models.ForeignKey(
        "self",
        on_delete=models.PROTECT,
        related_name="reruns",
        null=True,
        blank=True,
        help_text="The evaluation of the same files that this one repeats.",
    )
    submitter_note = models.TextField(
        blank=True, help_text="What the submitter wants readers to know; public."
    )
    created_at = models.DateTimeField(auto_now_add=True)
    scored_at = models.DateTimeField(null=True, blank=True)
    published_at = models.DateTimeField(null=True, blank=True)
    public_from = models.DateTimeField(
        null=True, blank=True, help_text="When the embargo ends."
    )
    withdrawn_reason = models.TextField(
        blank=True, help_text="Why it is struck out; public."
    )
    struck_out_at = models.DateTimeField(
        null=True, blank=True, help_text="Unknown for the oldest withdrawals."
    )
    past_strikes = models.JSONField(
        default=list,
        blank=True,
        help_text="What was taken back: from, to, reason; times in ISO 8601.",
    )

    objects = EvaluationQuerySet.as_manager()

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=~Q(visibility__in=["embargoed", "public"])
                | Q(scored_at__isnull=False),
                name="only_scored_evaluations_are_public",
            ),
            models.CheckConstraint(
                condition=~Q(visibility__in=["withdrawn", "disqualified"])
                | ~Q(withdrawn_reason=""),
                name="a_withdrawal_has_a_reason",
            ),
            models.CheckConstraint(
                condition=~Q(visibility="embargoed") | Q(public_from__isnull=False),
                name="an_embargo_has_an_end",
            ),
        ]
        indexes = [
            models.Index(fields=["snapshot", "visibility"]),
            models.Index(fields=["published_at", "id"]),
            models.Index(
                fields=["public_from"],
                condition=Q(visibility="embargoed"),
                name="embargoes_by_their_end",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.configuration} on {self.snapshot}"

    def get_absolute_url(self) -> str:
        return reverse("evaluation", args=[self.pk])

    @property
    def is_public(self) -> bool:
        """Whether anybody may read the evaluation now."""
        if self.visibility == Visibility.EMBARGOED:
            return self.public_from is not None and self.public_from <= timezone.now()
        return self.visibility == Visibility.PUBLIC

    @property
    def embargo_ended_at(self) -> datetime | None:
        """The day that made it public by itself; None before, or without an embargo."""
        day = self.public_from
        return day if day is not None and day <= timezone.now() else None

    @property
    def is_struck_out(self) -> bool:
        """Whether it was public and is in the record only, with its reason."""
        return self.visibility in STRUCK_OUT

    def strike_out(self, reason: str, *, at: datetime) -> None:
        """Note when and why; the caller sets the visibility and saves."""
        self.struck_out_at, self.withdrawn_reason = at, reason

    def take_strike_back(self, *, at: datetime) -> None:
        """Note that it held until now; the caller sets the visibility and saves."""
        if self.struck_out_at is not None:
            period = [self.struck_out_at.isoformat(), at.isoformat()]
            self.past_strikes.append([*period, self.withdrawn_reason])
        self.struck_out_at, self.withdrawn_reason = None, ""

    def strike(self, until: datetime | None = None) -> Strike | None:
        """What struck it out just before ``until``, or does so now; None where nothing.

        Where the start is not known, it held at any time.
        """
        return next((each for each in self.strikes() if each.held(until)), None)

    def strikes(self) -> list[Strike]:
        """Everything that ever struck it out, the oldest first."""
        strikes = [
            Strike(datetime.fromisoformat(start), datetime.fromisoformat(end), reason)
            for start, end, reason in self.past_strikes
        ]
        if self.is_struck_out:
            reason = self.withdrawn_reason
            strikes.append(Strike(self.struck_out_at, None, reason, self.visibility))
        return strikes

    @property
    def shown_visibility(self) -> Visibility:
        """``visibility`` as it is meant now: an embargo that has ended is none."""
        return Visibility.PUBLIC if self.is_public else Visibility(self.visibility)

    @property
    def run_order(self) -> str | None:
        """How the runs got their numbers; None where that is not known.

        ``BY_START_ORDER`` means that they were one job whose attempts have no numbers.
        """
        found: str | None = self.toolchain_facts.get("runs")
        return found

    @property
    def runs_by_start_order(self) -> bool:
        return self.run_order == BY_START_ORDER

    @property
    def run_here(self) -> bool:
        """Whether a worker ran the agent, and no finished work was handed in."""
        return bool(self.toolchain_facts.get("agent") == RUN_HERE)

    @property
    def scripted(self) -> bool:
        """Whether a script stood in the place of the model; never ranked then."""
        return bool(self.toolchain_facts.get("model") == SCRIPTED)

    @property
    def evaluator_version(self) -> str:
        """Several with commas if it changed on the way; empty where it is not known."""
        return str(self.toolchain_facts.get(EVALUATOR, ""))

    @property
    def eligible(self) -> bool:
        """Whether it may be ranked as far as its conditions allow that."""
        ranked = {
            Provenance.OFFICIAL,
            Provenance.REPRODUCED,
            Provenance.PUBLISHED,
        }
        sound = not self.unverified and not self.scripted
        return sound and self.provenance in ranked

    @cached_property
    def decision(self) -> ComparabilityDecision | None:
        """The decision by which it is ranked though its conditions differ.

        A query where they differ; lists attach decisions to all their rows at once.
        """
        if not self.differing_fields:
            return None
        first, second = ordered_pair(
            self.comparability_key, self.snapshot.comparability_key
        )
        decided = ComparabilityDecision.objects.in_force()
        return decided.filter(first_key=first, second_key=second).first()

    @property
    def comparable(self) -> bool:
        """Whether the evaluation may be ranked on its snapshot."""
        return self.eligible and (
            not self.differing_fields or self.decision is not None
        )


class Run(models.Model):
    """One independent full-suite execution, numbered from 1."""

    evaluation = models.ForeignKey(
        Evaluation, on_delete=models.CASCADE, related_name="runs"
    )
    number = models.PositiveSmallIntegerField()
    finished_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["number"]
        constraints = [
            models.UniqueConstraint(
                fields=["evaluation", "number"], name="one_run_per_number"
            )
        ]

    def __str__(self) -> str:
        return f"run {self.number}"

    def get_absolute_url(self) -> str:
        return reverse("run", args=[self.evaluation_id, self.number])


class ScopeTotals(models.Model):
    """Integer counts and sums of one scope, for one run or (run = None) for all runs.

    Pages and the API read these rows and nothing else. ``None`` is "not reported".
    ``printed`` keeps the figures of a report as they were printed.
    """

    evaluation = models.ForeignKey(
        Evaluation, on_delete=models.CASCADE, related_name="totals"
    )
    run = models.ForeignKey(
        Run, on_delete=models.CASCADE, related_name="totals", null=True, blank=True
    )
    scope = models.CharField(max_length=12, choices=ScopeName)
    task_count = models.PositiveIntegerField()
    run_count = models.PositiveSmallIntegerField()
    completed_count = models.PositiveIntegerField()
    completed_by_run = models.JSONField(default=list)
    first_build_count = models.PositiveIntegerField(null=True, blank=True)
    final_build_count = models.PositiveIntegerField()
    total_tokens = models.PositiveBigIntegerField(null=True, blank=True)
    agent_milliseconds = models.PositiveBigIntegerField(null=True, blank=True)
    printed = models.JSONField(default=dict, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["evaluation", "scope"],
                condition=Q(run=None),
                name="one_summary_per_scope",
            ),
            models.UniqueConstraint(
                fields=["run", "scope"], name="one_total_per_run_and_scope"
            ),
            models.CheckConstraint(
                condition=Q(completed_count__lte=F("final_build_count")),
                name="a_completed_task_run_was_built",
            ),
            models.CheckConstraint(
                condition=Q(final_build_count__lte=F("task_count") * F("run_count")),
                name="counts_stay_within_the_denominator",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.scope}: {self.completed_count}/{self.task_count}"


# A task run counts as completed: so measured, and not overruled by maintainers.
COUNTS = Q(completed=True, overruling=None)


class TaskResult(models.Model):
    """The outcome of one task run. There is none while it is undecided."""

    # Without an index of their own, here and below: the unique constraint begins with
    # it, and one index less is felt where rows come by the hundred thousand.
    run = models.ForeignKey(
        Run, on_delete=models.CASCADE, related_name="results", db_index=False
    )
    task = models.ForeignKey(Task, on_delete=models.PROTECT, related_name="results")
    completed = models.BooleanField()
    reason = models.CharField(max_length=32, blank=True)
    detail = models.TextField(blank=True)
    first_build_ok = models.BooleanField(null=True, blank=True)
    final_build_ok = models.BooleanField()
    repair_rounds = models.PositiveSmallIntegerField(null=True, blank=True)
    total_tokens = models.PositiveBigIntegerField(null=True, blank=True)
    agent_milliseconds = models.PositiveBigIntegerField(null=True, blank=True)
    f_points_passed = models.PositiveSmallIntegerField()
    f_point_count = models.PositiveSmallIntegerField()
    flags = models.JSONField(default=list, blank=True)
    worker = models.CharField(max_length=120, blank=True)
    device = models.CharField(max_length=120, blank=True)
    scored_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["task__position", "task__slug"]
        constraints = [
            models.UniqueConstraint(fields=["run", "task"], name="one_result_per_task"),
            models.CheckConstraint(
                condition=Q(completed=False)
                | Q(final_build_ok=True, f_points_passed=F("f_point_count")),
                name="completed_means_built_and_every_f_point",
            ),
            models.CheckConstraint(
                condition=Q(completed=True) | ~Q(reason=""),
                name="a_failure_has_a_reason",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.task}: {'completed' if self.completed else self.reason}"

    def get_absolute_url(self) -> str:
        run = self.run
        return reverse("task-run", args=[run.evaluation_id, run.number, self.task.slug])

    @property
    def is_overruled(self) -> bool:
        """Whether maintainers let it count 0; select ``overruling`` with many rows."""
        return hasattr(self, "overruling")

    @property
    def counts(self) -> bool:
        """Whether it counts as completed: so measured, and not overruled."""
        return self.completed and not self.is_overruled


class CheckResult(models.Model):
    """The verdict on one F-point in one task run."""

    result = models.ForeignKey(
        TaskResult, on_delete=models.CASCADE, related_name="checks", db_index=False
    )
    f_point = models.ForeignKey(
        FPoint, on_delete=models.PROTECT, related_name="results"
    )
    passed = models.BooleanField()
    message = models.TextField(blank=True)
    milliseconds = models.PositiveIntegerField(null=True, blank=True)

    class Meta:
        ordering = ["f_point__position"]
        constraints = [
            models.UniqueConstraint(
                fields=["result", "f_point"], name="one_verdict_per_f_point"
            )
        ]

    def __str__(self) -> str:
        return f"{self.f_point}: {'passed' if self.passed else 'failed'}"


class Absence(models.TextChoices):
    """Why the bytes of a listed file are not kept."""

    OVER_LIMIT = "over-limit", _("Left out: the submission has used up its storage")
    EXPIRED = "expired", _("Removed after the time that such files are kept")


class ArtifactQuerySet(models.QuerySet["Artifact"]):
    def kept(self) -> ArtifactQuerySet:
        """Those whose bytes are stored, or ought to be."""
        return self.filter(absence="")


class Artifact(models.Model):
    """One file of a task run; the bytes lie under their sha256.

    ``name`` is the path inside the run's archive, below the folder of its task. With an
    ``absence`` the bytes are not kept; what is known of them stays on record.
    """

    run = models.ForeignKey(
        Run, on_delete=models.CASCADE, related_name="artifacts", db_index=False
    )
    task = models.ForeignKey(Task, on_delete=models.PROTECT, related_name="artifacts")
    name = models.CharField(max_length=160)
    kind = models.CharField(max_length=24)
    sha256 = models.CharField(max_length=64)
    size_bytes = models.PositiveBigIntegerField()
    absence = models.CharField(max_length=12, choices=Absence, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)

    objects = ArtifactQuerySet.as_manager()

    class Meta:
        ordering = ["task__position", "name"]
        constraints = [
            models.UniqueConstraint(
                fields=["run", "task", "name"], name="one_artifact_per_name"
            )
        ]
        indexes = [models.Index(fields=["sha256"])]

    def __str__(self) -> str:
        return self.name

    def get_absolute_url(self) -> str:
        return reverse("artifact", args=[self.pk])
