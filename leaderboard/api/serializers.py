"""What the API answers with, field by field; the dictionaries are made elsewhere."""

from __future__ import annotations

from typing import Any, TypeAlias

from django.urls import reverse
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from leaderboard.api.failure_serializers import FailureSerializer
from leaderboard.api.pass_figures import PassFiguresSerializer, StreamSerializer
from leaderboard.api.progress import HowFarSerializer
from leaderboard.api.results import PagedSerializer
from leaderboard.api.source_field import SourceField
from leaderboard.api.statistics import StatisticsSerializer
from leaderboard.models import (
    STRUCK_OUT,
    Absence,
    Artifact,
    DateOf,
    Difficulty,
    FPoint,
    Provenance,
    ScopeName,
    ScoringPolicy,
    SnapshotStatus,
    Task,
)
from leaderboard.release import HiddenFile, public_checks, public_reference

# A dictionary, made by the functions of documents.py and exports.py.
Document: TypeAlias = Any

RUN_ORDER = (
    "How the runs got their numbers: as given, by start of the job, or assigned by "
    "start order (attempts of one job); null where it is not known."
)

GROSS_TOKENS = (
    "Gross use, as providers count it: an agent that gives up early looks cheap. "
    "Whoever multiplies it by prices should note the day of the price list."
)
GROSS_SECONDS = "Gross use; compares only within one environment."
DECLARED = (
    "The decision of maintainers by which it is ranked though its conditions differ; "
    "null where there is none."
)


class ComparabilityDecisionSerializer(serializers.Serializer[Document]):
    """Two comparability keys that were declared comparable; nobody is named."""

    comparability_keys = serializers.ListField(
        child=serializers.CharField(), help_text="The two keys that it is about."
    )
    differing_fields = serializers.ListField(child=serializers.CharField())
    reason = serializers.CharField(help_text="Why the difference does not matter.")
    at = serializers.DateTimeField()


class DenominatorSerializer(serializers.Serializer[Document]):
    tasks = serializers.IntegerField()
    f_points = serializers.IntegerField()


class SnapshotSerializer(serializers.Serializer[Document]):
    """An evaluation snapshot: all that is equal for the numbers measured on it."""

    benchmark = serializers.CharField()
    policy = serializers.ChoiceField(
        choices=ScoringPolicy.choices, help_text="How its tables are made."
    )
    guest = serializers.BooleanField(
        help_text="Another benchmark, beside the site's own; most conditions are null."
    )
    version = serializers.CharField()
    title = serializers.CharField()
    status = serializers.ChoiceField(choices=SnapshotStatus.choices)
    task_snapshot_date = serializers.CharField(help_text="A date, YYYY-MM-DD.")
    date_of = serializers.ChoiceField(
        choices=DateOf.choices, help_text="What that is the date of."
    )
    evaluation_scripts = serializers.CharField(allow_null=True)
    agent = serializers.CharField(allow_null=True)
    agent_version = serializers.CharField(allow_null=True)
    sdk = serializers.CharField(allow_null=True)
    toolchain = serializers.CharField(allow_null=True)
    device_profile = serializers.CharField(allow_null=True)
    simulated = serializers.BooleanField(help_text="The device is a simulated one.")
    device_facts = serializers.JSONField()
    prompt_template = serializers.ListField(child=serializers.CharField())
    run_parameters = serializers.JSONField()
    run_count = serializers.IntegerField(
        allow_null=True, help_text="Null where it differs from row to row."
    )
    repair_limit = serializers.IntegerField(allow_null=True)
    refused_differences = serializers.ListField(
        child=serializers.CharField(),
        help_text="Fields of a manifest whose difference is refused, not only shown.",
    )
    asks_for_trajectories = serializers.BooleanField(
        help_text="A completed task run without one makes an evaluation unverified."
    )
    task_set_digest = serializers.CharField(allow_null=True)
    script_digest = serializers.CharField(allow_null=True)
    comparability_key = serializers.CharField()
    package_held = serializers.BooleanField(
        help_text="Whether the tasks themselves are held here."
    )
    scopes = serializers.DictField(
        child=DenominatorSerializer(),
        help_text="Tasks and F-points of overall and of each task source.",
    )
    streams = serializers.DictField(
        child=StreamSerializer(),
        help_text="Sets of tasks of a benchmark by pass rate; empty for others.",
    )
    floor_completed = serializers.IntegerField(
        allow_null=True, help_text="Tasks that the no-op baseline completed."
    )
    ceiling_completed = serializers.IntegerField(
        allow_null=True, help_text="Tasks that the reference solutions completed."
    )
    url = serializers.CharField()


class SnapshotDetailSerializer(SnapshotSerializer):
    composition = serializers.JSONField(help_text="Published composition figures.")
    statistics = StatisticsSerializer(
        allow_null=True,
        help_text="Composition as computed from the tasks; null where none are held.",
    )


class ConfigurationSerializer(serializers.Serializer[Document]):
    model = serializers.CharField()
    provider = serializers.CharField()
    family = serializers.CharField(allow_blank=True)
    agent = serializers.CharField()
    agent_version = serializers.CharField()
    run_parameters = serializers.JSONField()


class TaskCompletionSerializer(serializers.Serializer[Document]):
    """Fractions of 1 over all tasks in scope."""

    mean = serializers.FloatField()
    min = serializers.FloatField()
    max = serializers.FloatField()
    runs = serializers.ListField(child=serializers.FloatField())


class FiguresSerializer(serializers.Serializer[Document]):
    """Counts and rates of one scope; null is "not reported"."""

    task_count = serializers.IntegerField()
    run_count = serializers.IntegerField()
    task_runs = serializers.IntegerField(help_text="Tasks in scope times runs.")
    completed = serializers.IntegerField(help_text="Completed task runs.")
    completed_by_run = serializers.ListField(child=serializers.IntegerField())
    task_completion = TaskCompletionSerializer()
    first_build = serializers.FloatField(allow_null=True)
    first_build_count = serializers.IntegerField(allow_null=True)
    final_build = serializers.FloatField()
    final_build_count = serializers.IntegerField()
    tokens_per_task = serializers.FloatField(
        allow_null=True,
        help_text=GROSS_TOKENS,
    )
    seconds_per_task = serializers.FloatField(
        allow_null=True,
        help_text=GROSS_SECONDS,
    )
    printed = serializers.DictField(
        child=serializers.CharField(),
        help_text="The figures of a report, digit by digit; empty where there is none.",
    )


class RowSerializer(FiguresSerializer):
    """One evaluation in the table. An unranked row has no rank, label and span."""

    rank = serializers.IntegerField(allow_null=True)
    rank_label = serializers.CharField(
        allow_null=True, help_text='The rank, with "=" where it is shared.'
    )
    rank_span = serializers.ListField(
        child=serializers.IntegerField(),
        allow_null=True,
        help_text="Best and worst rank that the run ranges leave open.",
    )
    leading_group = serializers.BooleanField()
    configuration = ConfigurationSerializer()
    provenance = serializers.ChoiceField(choices=Provenance.choices)
    simulated = serializers.BooleanField()
    unverified = serializers.BooleanField(
        help_text="Completed task runs lack a trajectory."
    )
    differing_fields = serializers.ListField(child=serializers.CharField())
    declared_comparable = ComparabilityDecisionSerializer(
        allow_null=True, help_text=DECLARED
    )
    runs_in_order = serializers.BooleanField(
        help_text="False where the order of the runs was not published."
    )
    run_order = serializers.CharField(allow_null=True, help_text=RUN_ORDER)
    published_at = serializers.DateTimeField(allow_null=True)
    struck_out_at = serializers.DateTimeField(
        allow_null=True,
        help_text="When it was struck out, in standings of an earlier day.",
    )
    withdrawn_reason = serializers.CharField(allow_blank=True)
    evaluation_url = serializers.CharField()


class WithdrawnSerializer(serializers.Serializer[Document]):
    model = serializers.CharField()
    provider = serializers.CharField()
    visibility = serializers.ChoiceField(
        choices=[each.value for each in STRUCK_OUT],
        help_text="Withdrawn by its submitter or disqualified by maintainers.",
    )
    reason = serializers.CharField()
    struck_out_at = serializers.DateTimeField(allow_null=True)
    evaluation_url = serializers.CharField()


class LeaderboardSerializer(PagedSerializer):
    snapshot = SnapshotSerializer()
    scope = serializers.ChoiceField(choices=ScopeName.choices)
    as_of = serializers.DateField(
        allow_null=True, help_text="The day at whose end (UTC) the table stood so."
    )
    data_version = serializers.CharField(
        help_text="Equal for tables of a snapshot that rest on equal numbers."
    )
    license = serializers.CharField(help_text="SPDX identifier of the data's license.")
    results = RowSerializer(many=True, help_text="Rows that are ranked together.")
    unranked = RowSerializer(
        many=True,
        help_text="Rows that are not comparable; all of them with the first page.",
    )
    withdrawn = WithdrawnSerializer(many=True, help_text="With the first page.")


class TaskSerializer(serializers.ModelSerializer[Task]):
    version = serializers.CharField(source="snapshot.version")
    kits: serializers.SlugRelatedField[Any] = serializers.SlugRelatedField(
        slug_field="name", many=True, read_only=True
    )
    declared_kits = serializers.ListField(
        child=serializers.CharField(),
        allow_null=True,
        help_text="As task.json has them; null where ``kits`` are not computed.",
    )
    f_point_count = serializers.IntegerField()
    url = serializers.CharField(source="get_absolute_url")

    class Meta:
        model = Task
        fields = [
            "version",
            "slug",
            "source",
            "title",
            "difficulty",
            "repository",
            "kits",
            "declared_kits",
            "f_point_count",
            "reference_files",
            "reference_lines",
            "url",
        ]


class FPointSerializer(serializers.ModelSerializer[FPoint]):
    """An F-point as the public sees it; the check behind it stays hidden."""

    id = serializers.CharField(source="f_point")

    class Meta:
        model = FPoint
        fields = ["id", "scenario", "description", "dimension", "weight", "required"]


class HiddenFileSerializer(serializers.Serializer[Document]):
    name = serializers.CharField()
    text = serializers.CharField()


class TaskDetailSerializer(TaskSerializer):
    f_points = FPointSerializer(many=True)
    reference_patch = serializers.SerializerMethodField(
        help_text="One solution; null while it is hidden, or not held here."
    )
    checks = serializers.SerializerMethodField(
        help_text="Files of the checks; null until they are released, or not held here."
    )

    class Meta(TaskSerializer.Meta):
        fields = [
            *TaskSerializer.Meta.fields,
            "statement",
            "base_commit",
            "base_digest",
            "bundle_name",
            "build_paths",
            "f_points",
            "reference_patch",
            "checks",
        ]

    @extend_schema_field(serializers.CharField(allow_null=True))
    def get_reference_patch(self, task: Task) -> str | None:
        return public_reference(task)

    @extend_schema_field(HiddenFileSerializer(many=True, allow_null=True))
    def get_checks(self, task: Task) -> list[HiddenFile] | None:
        return public_checks(task)


class TaskListSerializer(PagedSerializer):
    snapshot = SnapshotSerializer()
    results = TaskSerializer(many=True)


class EvaluationSerializer(serializers.Serializer[Document]):
    """One configuration measured on one snapshot."""

    id = serializers.IntegerField()
    benchmark = serializers.CharField()
    version = serializers.CharField()
    configuration = ConfigurationSerializer()
    provenance = serializers.ChoiceField(choices=Provenance.choices)
    visibility = serializers.CharField()
    simulated = serializers.BooleanField()
    unverified = serializers.BooleanField()
    comparable = serializers.BooleanField()
    differing_fields = serializers.ListField(child=serializers.CharField())
    declared_comparable = ComparabilityDecisionSerializer(
        allow_null=True, help_text=DECLARED
    )
    run_count = serializers.IntegerField()
    runs_in_order = serializers.BooleanField()
    run_order = serializers.CharField(allow_null=True, help_text=RUN_ORDER)
    toolchain_facts = serializers.JSONField()
    rerun_of = serializers.IntegerField(
        allow_null=True,
        help_text="The public evaluation of the same files that this one repeats.",
    )
    submitter_note = serializers.CharField(
        allow_blank=True, help_text="Written by the submitter, not by this site."
    )
    scored_at = serializers.DateTimeField(allow_null=True)
    published_at = serializers.DateTimeField(allow_null=True)
    scopes = serializers.DictField(
        child=FiguresSerializer(),
        help_text="Figures of overall and each task source, by Task Completion.",
    )
    pass_scopes = serializers.DictField(
        child=PassFiguresSerializer(),
        help_text="Figures of overall and each stream, by pass rate; one of the two "
        "is empty.",
    )
    url = serializers.CharField()
    runs_url = serializers.CharField()


class EvaluationDetailSerializer(EvaluationSerializer):
    progress = HowFarSerializer(
        allow_null=True, help_text="How far it got; null before it is scored."
    )


class HistoryEntrySerializer(serializers.Serializer[Document]):
    """One step of an evaluation that everybody may read; nobody is named."""

    at = serializers.DateTimeField()
    act = serializers.CharField(help_text="A stable name, such as `publish`.")
    reason = serializers.CharField(allow_blank=True)


class RunSerializer(serializers.Serializer[Document]):
    """One run; its figures are there once it is finished."""

    id = serializers.IntegerField()
    number = serializers.IntegerField()
    run_order = serializers.CharField(allow_null=True, help_text=RUN_ORDER)
    finished_at = serializers.DateTimeField(allow_null=True)
    scopes = serializers.DictField(child=FiguresSerializer())
    url = serializers.CharField()
    archive_url = serializers.CharField()
    results_url = serializers.CharField()


class CheckSerializer(serializers.Serializer[Document]):
    f_point = serializers.CharField()
    passed = serializers.BooleanField()
    message = serializers.CharField(allow_blank=True)
    milliseconds = serializers.IntegerField(allow_null=True)


class ArtifactSerializer(serializers.ModelSerializer[Artifact]):
    task = serializers.CharField(source="task.slug")
    download_url = serializers.SerializerMethodField(
        help_text="Where the bytes are; the same token opens it."
    )
    absence = serializers.ChoiceField(
        choices=Absence.choices,
        allow_blank=True,
        read_only=True,
        help_text="Why the bytes are not kept; empty where they are.",
    )

    class Meta:
        model = Artifact
        fields = [
            "id",
            "run",
            "task",
            "name",
            "kind",
            "sha256",
            "size_bytes",
            "absence",
            "created_at",
            "download_url",
        ]
        read_only_fields = fields

    def get_download_url(self, artifact: Artifact) -> str:
        return reverse("api-artifact-file", args=[artifact.pk])


class OverrulingSerializer(serializers.Serializer[Document]):
    """A verdict of two maintainers: the task run counts as not completed."""

    reason = serializers.CharField()
    at = serializers.DateTimeField()


class TaskResultSerializer(serializers.Serializer[Document]):
    """The outcome of one task run; null is "not reported"."""

    task = serializers.CharField()
    source = SourceField()  # type: ignore[assignment]  # the metaclass takes fields out of the class
    difficulty = serializers.ChoiceField(choices=Difficulty.choices)
    completed = serializers.BooleanField()
    reason = serializers.CharField(
        allow_null=True, help_text="Why the task run is not completed."
    )
    detail = serializers.CharField(allow_blank=True)
    first_build_ok = serializers.BooleanField(allow_null=True)
    final_build_ok = serializers.BooleanField()
    repair_rounds = serializers.IntegerField(allow_null=True)
    total_tokens = serializers.IntegerField(allow_null=True, help_text=GROSS_TOKENS)
    agent_seconds = serializers.FloatField(allow_null=True, help_text=GROSS_SECONDS)
    f_points_passed = serializers.IntegerField()
    f_point_count = serializers.IntegerField()
    flags = serializers.ListField(child=serializers.CharField())
    overruled = OverrulingSerializer(
        allow_null=True,
        help_text="Set where a completed task run counts as not completed; the rest is "
        "as it was measured.",
    )
    failure = FailureSerializer(
        allow_null=True,
        help_text="Why it failed, as rules and reviewers say; null without any label. "
        "No figure follows from it.",
    )
    scored_at = serializers.DateTimeField()
    checks = CheckSerializer(many=True)
    artifacts = ArtifactSerializer(many=True)
    url = serializers.CharField()
