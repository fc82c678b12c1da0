"""The progress of one submission in the API."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from submissions.models import Submission
from submissions.progress import progress_of
from submissions.progress_document import progress_document
from submissions.serializers import SubmissionSerializer


class QueueSerializer(serializers.Serializer[Any]):
    """Where the first queued task run waits; ``jobs_ahead`` is null if none does."""

    pool = serializers.CharField(allow_blank=True)
    jobs_ahead = serializers.IntegerField(
        allow_null=True, help_text="Queued task runs of others in that pool."
    )
    worker_count = serializers.IntegerField(help_text="Living ones that may take them.")
    unserved_pools = serializers.ListField(child=serializers.CharField())
    unoffered = serializers.ListField(
        child=serializers.CharField(),
        help_text="Agents with their models that are waited for and no worker has.",
    )
    paused_pools = serializers.ListField(child=serializers.CharField())


class EstimateSerializer(serializers.Serializer[Any]):
    """The time to the end, from median and 90th percentile; no promise."""

    low_seconds = serializers.IntegerField()
    high_seconds = serializers.IntegerField()


class StuckSerializer(serializers.Serializer[Any]):
    """A task run that an operator has to run again."""

    task = serializers.CharField()
    run = serializers.IntegerField()
    stage = serializers.CharField()
    reason = serializers.CharField()


class RerunSerializer(StuckSerializer):
    """A task run whose stage is repeated after trouble of ours."""

    attempt = serializers.IntegerField()
    budget = serializers.IntegerField()


class ProgressSerializer(serializers.Serializer[Any]):
    queue = QueueSerializer()
    estimate = EstimateSerializer(allow_null=True)
    last_sign_at = serializers.DateTimeField(allow_null=True)
    silent = serializers.BooleanField(help_text="No sign of life for two minutes.")
    reruns = RerunSerializer(many=True)
    stuck = StuckSerializer(many=True)


class SubmissionDetailSerializer(SubmissionSerializer):
    progress = serializers.SerializerMethodField()

    class Meta(SubmissionSerializer.Meta):
        fields = [*SubmissionSerializer.Meta.fields, "progress"]
        read_only_fields = fields

    @extend_schema_field(ProgressSerializer)
    def get_progress(self, submission: Submission) -> dict[str, Any]:
        document = progress_document(progress_of(submission))
        return dict(ProgressSerializer(document).data)
