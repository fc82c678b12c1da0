"""The state of the evaluator for scripts. Times are seconds, moments are in UTC."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from evaluator.models import JobState
from evaluator.status import PoolRow, ReasonRow, Status, WorkerRow, current_status
from leaderboard.api.lookup import answers


class SdkSerializer(serializers.Serializer[Any]):
    """What the SDK's own description says; null where it does not tell."""

    api_level = serializers.IntegerField(allow_null=True)
    version = serializers.CharField(allow_null=True)


class WorkerSerializer(serializers.Serializer[Any]):
    name = serializers.CharField()
    silent = serializers.BooleanField(help_text="Not heard of for two minutes.")
    pools = serializers.ListField(child=serializers.CharField())
    snapshots = serializers.ListField(
        child=serializers.CharField(),
        help_text="Open snapshots whose checks it runs, as benchmark and version.",
    )
    builds = serializers.ListField(
        child=serializers.CharField(),
        help_text="Open snapshots that it can build for, as benchmark and version.",
    )
    sdk = SdkSerializer(allow_null=True, help_text="Null without a complete SDK.")
    slots = serializers.IntegerField()
    sandbox = serializers.CharField()
    versions = serializers.DictField(child=serializers.CharField())
    capabilities = serializers.DictField()
    started_at = serializers.DateTimeField()
    seen_at = serializers.DateTimeField()


class PoolSerializer(serializers.Serializer[Any]):
    name = serializers.CharField()
    queued = serializers.IntegerField()
    running = serializers.IntegerField()
    oldest_wait_seconds = serializers.FloatField(allow_null=True)
    slots = serializers.IntegerField(help_text="Of living workers.")
    paused_since = serializers.DateTimeField(allow_null=True)
    pause_reason = serializers.CharField(allow_blank=True)


class UnofferedSerializer(serializers.Serializer[Any]):
    """What queued task runs wait for and no living worker has."""

    offer = serializers.CharField()
    queued = serializers.IntegerField()


class StageTimesSerializer(serializers.Serializer[Any]):
    stage = serializers.CharField()
    attempts = serializers.IntegerField()
    median_seconds = serializers.FloatField()
    ninetieth_percentile_seconds = serializers.FloatField()


class FailureReasonSerializer(serializers.Serializer[Any]):
    reason = serializers.CharField()
    count = serializers.IntegerField()


class OursSerializer(serializers.Serializer[Any]):
    """Attempts that ended in trouble of ours; none of them is ever scored."""

    attempts = serializers.IntegerField(help_text="All attempts that ended.")
    count = serializers.IntegerField()
    reasons = FailureReasonSerializer(many=True)


class TheirsSerializer(serializers.Serializer[Any]):
    """Task runs that a configuration did not complete, without baselines."""

    task_runs = serializers.IntegerField(help_text="All that were scored.")
    count = serializers.IntegerField()
    reasons = FailureReasonSerializer(many=True)


class OutboxSerializer(serializers.Serializer[Any]):
    """Mail and webhooks that are on their way, and what was given up."""

    waiting = serializers.IntegerField()
    dead = serializers.IntegerField(help_text="Until an operator sends them again.")


class StatusSerializer(serializers.Serializer[Any]):
    at = serializers.DateTimeField()
    version = serializers.CharField()
    jobs = serializers.DictField(
        child=serializers.IntegerField(), help_text="Undecided jobs by state."
    )
    oldest_wait_seconds = serializers.FloatField(allow_null=True)
    pools = PoolSerializer(many=True)
    unoffered = UnofferedSerializer(many=True)
    workers = WorkerSerializer(many=True)
    window_days = serializers.IntegerField(help_text="What the figures below cover.")
    stages = StageTimesSerializer(many=True)
    failures_ours = OursSerializer()
    failures_theirs = TheirsSerializer()
    suspect_devices = serializers.ListField(child=serializers.CharField())
    open_snapshots = serializers.ListField(child=serializers.CharField())
    outbox = OutboxSerializer()


class StatusView(APIView):
    @extend_schema(
        operation_id="status_retrieve",
        summary="What the evaluator is doing",
        responses=answers(StatusSerializer),
    )
    def get(self, request: Request) -> Response:
        """Workers, queue, times of the stages, and failures of the last seven days."""
        return Response(StatusSerializer(_document(current_status())).data)


def _document(status: Status) -> dict[str, Any]:
    failures = status.failures
    return {
        "at": status.at,
        "version": status.version,
        "jobs": {JobState(state).value: n for state, n in status.states.items()},
        "oldest_wait_seconds": _seconds(status.oldest_wait),
        "pools": [_pool(row) for row in status.pools],
        "unoffered": [row._asdict() for row in status.unoffered],
        "workers": [_worker(row) for row in status.workers],
        "window_days": status.window_days,
        "stages": [
            {
                "stage": row.stage.value,
                "attempts": row.count,
                "median_seconds": _seconds(row.median),
                "ninetieth_percentile_seconds": _seconds(row.ninetieth),
            }
            for row in status.stages
        ],
        "failures_ours": {
            "attempts": failures.ended,
            "count": failures.ours_count,
            "reasons": _reasons(failures.ours),
        },
        "failures_theirs": {
            "task_runs": failures.scored,
            "count": failures.theirs_count,
            "reasons": _reasons(failures.theirs),
        },
        "suspect_devices": [device.serial for device in status.suspects],
        "open_snapshots": [each.version for each in status.snapshots],
        "outbox": status.outbox._asdict(),
    }


def _pool(row: PoolRow) -> dict[str, Any]:
    return {
        "name": row.name,
        "queued": row.queued,
        "running": row.running,
        "oldest_wait_seconds": _seconds(row.oldest_wait),
        "slots": row.slots,
        "paused_since": row.pause.since if row.pause else None,
        "pause_reason": row.pause.reason if row.pause else "",
    }


def _worker(row: WorkerRow) -> dict[str, Any]:
    worker = row.worker
    return {
        "name": worker.name,
        "silent": row.silent,
        "pools": worker.pools,
        "snapshots": [
            f"{each.benchmark.slug} {each.version}" for each in row.snapshots
        ],
        "builds": [f"{each.benchmark.slug} {each.version}" for each in row.builds],
        "sdk": row.sdk,
        "slots": worker.slots,
        "sandbox": worker.sandbox,
        "versions": worker.versions,
        "capabilities": worker.capabilities,
        "started_at": worker.started_at,
        "seen_at": worker.seen_at,
    }


def _reasons(rows: Sequence[ReasonRow]) -> list[dict[str, Any]]:
    return [{"reason": row.reason, "count": row.count} for row in rows]


def _seconds(span: timedelta | None) -> float | None:
    return None if span is None else round(span.total_seconds(), 3)
