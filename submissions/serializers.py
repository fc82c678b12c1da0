"""The JSON of submissions. Counts stand for themselves; none of them is a score."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.conf import settings
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from leaderboard.api.problems import ProblemItemSerializer
from submissions.accounts.quota import Quota
from submissions.models import Submission, SubmissionState, Team, UploadSession
from submissions.progress_document import task_run_counts
from submissions.resumable import sessions
from submissions.uploads import Given


class UploadSerializer(serializers.Serializer[Any]):
    """One bundle: ``given`` says which. Expects the ``user`` in the context."""

    bundle = serializers.FileField(
        required=False,
        allow_empty_file=True,
        help_text="The bundle: a zip or tar.gz file.",
    )
    upload = serializers.UUIDField(
        required=False,
        help_text="The id of a complete upload in parts, instead of the file.",
    )

    def validate_upload(self, value: UUID) -> UploadSession:
        found = sessions.find(self.context["user"], value)
        if found is None:
            raise serializers.ValidationError(
                "You have no such upload, or it has expired.", code="upload-missing"
            )
        return found

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        if ("bundle" in attrs) == ("upload" in attrs):
            message = "Send the file of the bundle, or the id of an upload."
            raise serializers.ValidationError({"bundle": message}, code="required")
        return attrs

    @property
    def given(self) -> Given:
        found: Given = (
            self.validated_data.get("bundle") or self.validated_data["upload"]
        )
        return found


class TeamField(serializers.SlugRelatedField[Team]):
    """A team by its slug; a text that PostgreSQL takes no look at names none."""

    def to_internal_value(self, data: Any) -> Team:
        if "\0" in str(data):
            self.fail("does_not_exist", slug_name=self.slug_field, value=str(data))
        return super().to_internal_value(data)


class SubmitSerializer(UploadSerializer):
    team = TeamField(
        slug_field="slug",
        queryset=Team.objects.none(),
        required=False,
        default=None,
        help_text="A team of yours that owns the submission; without it, you do.",
    )

    accept_warnings = serializers.BooleanField(
        required=False,
        default=False,
        help_text="Whether the warnings of the check were read and are accepted.",
    )
    copy_of = serializers.PrimaryKeyRelatedField(
        queryset=Submission.objects.none(),
        required=False,
        allow_null=True,
        default=None,
        help_text="The submission of yours whose manifest this one was begun from.",
    )

    def get_fields(self) -> dict[str, Any]:
        fields = super().get_fields()
        user = self.context.get("user")
        if user is not None:
            own = Submission.objects.visible_to(user)
            fields["copy_of"].queryset = own  # type: ignore[attr-defined]  # a related field
            fields["team"].queryset = Team.objects.of(user)  # type: ignore[attr-defined]  # a related field
        return fields


class UploadedSerializer(UploadSerializer):
    """As JSON, which carries no files."""

    bundle = None  # type: ignore[assignment]  # takes the field away
    upload = serializers.UUIDField(help_text="The id of a complete upload in parts.")


class SubmitUploadedSerializer(SubmitSerializer):
    """As JSON, which carries no files."""

    bundle = None  # type: ignore[assignment]  # takes the field away
    upload = serializers.UUIDField(help_text="The id of a complete upload in parts.")


class ManifestSerializer(serializers.Serializer[Any]):
    """The fields are those of the JSON Schema of the manifest."""

    schema_version = serializers.IntegerField()


class ReasonSerializer(serializers.Serializer[Any]):
    reason = serializers.CharField(max_length=2000, help_text="It stays on record.")


class NotesSerializer(serializers.Serializer[Any]):
    """Both notes as they are to be; what is not sent stays as it is."""

    public_note = serializers.CharField(
        required=False,
        allow_blank=True,
        max_length=4000,
        help_text="Stands on the page of the evaluation once that is public.",
    )
    private_note = serializers.CharField(
        required=False,
        allow_blank=True,
        max_length=4000,
        help_text="For you, your team and the maintainers.",
    )


class PublishSerializer(serializers.Serializer[Any]):
    reason = serializers.CharField(
        required=False, allow_blank=True, default="", max_length=2000
    )
    public_from = serializers.DateTimeField(
        required=False,
        allow_null=True,
        default=None,
        help_text="The end of an embargo: nothing is public before. Without it, now.",
    )


class QuotaSerializer(serializers.Serializer[Quota]):
    """What one person (``team`` is null) or team has used and has left."""

    team = serializers.CharField(source="team.slug", allow_null=True, default=None)
    limit = serializers.IntegerField(help_text="Submissions in a calendar month.")
    used = serializers.IntegerField()
    left = serializers.IntegerField()
    resets_at = serializers.DateTimeField(help_text="When the month ends, with zone.")
    running_limit = serializers.IntegerField(help_text="Evaluations at a time.")
    running = serializers.IntegerField()


class QuotasSerializer(serializers.Serializer[Any]):
    unlimited = serializers.BooleanField(help_text="Maintainers have no limit.")
    results = QuotaSerializer(many=True)


class CheckedSerializer(serializers.Serializer[Any]):
    """The answer to a check without errors."""

    ok = serializers.BooleanField()
    warnings = ProblemItemSerializer(many=True)


class TaskRunCountsSerializer(serializers.Serializer[Any]):
    """Task runs by state; ``total`` never changes."""

    total = serializers.IntegerField()
    scored = serializers.IntegerField()
    queued = serializers.IntegerField()
    running = serializers.IntegerField()
    waiting_for_a_maintainer = serializers.IntegerField()
    cancelled = serializers.IntegerField()


class SubmissionSerializer(serializers.ModelSerializer[Submission]):
    id = serializers.UUIDField(source="uuid", read_only=True)
    url = serializers.SerializerMethodField(help_text="The page of the submission.")
    state = serializers.ChoiceField(
        source="shown_state", choices=SubmissionState.choices, read_only=True
    )
    team = serializers.CharField(
        source="team.slug",
        read_only=True,
        default=None,
        help_text="The team that owns it; null where it is yours alone.",
    )
    snapshot = serializers.CharField(source="snapshot.version", read_only=True)
    configuration = serializers.CharField(
        source="evaluation.configuration", read_only=True
    )
    evaluation_url = serializers.SerializerMethodField()
    comparable = serializers.BooleanField(
        source="evaluation.comparable",
        read_only=True,
        help_text="Whether the result can be ranked on its snapshot.",
    )
    differing_fields = serializers.ListField(
        source="evaluation.differing_fields",
        child=serializers.CharField(),
        read_only=True,
    )
    rerun_of = serializers.UUIDField(
        source="rerun_of_id",
        read_only=True,
        allow_null=True,
        help_text="The submission whose files this one evaluates again.",
    )
    copy_of = serializers.UUIDField(
        source="copy_of_id",
        read_only=True,
        allow_null=True,
        help_text="The submission from whose manifest this one was begun.",
    )
    public_note = serializers.CharField(
        source="evaluation.submitter_note", read_only=True
    )
    task_runs = serializers.SerializerMethodField(
        help_text="Partial counts while the evaluation goes on; not a score."
    )
    warnings = serializers.SerializerMethodField()

    class Meta:
        model = Submission
        fields = [
            "id",
            "url",
            "state",
            "team",
            "snapshot",
            "configuration",
            "evaluation_url",
            "rerun_of",
            "copy_of",
            "public_note",
            "private_note",
            "comparable",
            "differing_fields",
            "task_runs",
            "warnings",
            "archive_sha256",
            "archive_size_bytes",
            "created_at",
        ]
        read_only_fields = fields

    def get_url(self, submission: Submission) -> str:
        return f"{settings.PUBLIC_URL}{submission.get_absolute_url()}"

    def get_evaluation_url(self, submission: Submission) -> str:
        return f"{settings.PUBLIC_URL}{submission.evaluation.get_absolute_url()}"

    @extend_schema_field(TaskRunCountsSerializer)
    def get_task_runs(self, submission: Submission) -> dict[str, int]:
        return task_run_counts(submission.job_counts)

    @extend_schema_field(ProblemItemSerializer(many=True))
    def get_warnings(self, submission: Submission) -> list[dict[str, str]]:
        warnings: list[dict[str, str]] = submission.report.get("warnings", [])
        return warnings
