"""The figures of one scope by pass rate, field by field."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers


class StreamSerializer(serializers.Serializer[Any]):
    """A set of tasks, with its name by language."""

    names = serializers.DictField(child=serializers.CharField())
    tasks = serializers.IntegerField()


class PublishedIntervalSerializer(serializers.Serializer[Any]):
    """A published confidence interval; fractions of 1."""

    level = serializers.FloatField()
    low = serializers.FloatField()
    high = serializers.FloatField()


class PassFiguresSerializer(serializers.Serializer[Any]):
    """Counts and rates of one scope by pass rate; null is "not reported"."""

    task_count = serializers.IntegerField(allow_null=True)
    run_count = serializers.IntegerField()
    pass_rate = serializers.FloatField(
        allow_null=True, help_text="Passed of finished task runs; what ranks."
    )
    pass_rate_interval = PublishedIntervalSerializer(allow_null=True)
    completion_rate = serializers.FloatField(
        allow_null=True,
        help_text="Mean over finished task runs; parts equal pass rates only.",
    )
    passed = serializers.IntegerField(
        allow_null=True, help_text="Task runs with a perfect result."
    )
    finished = serializers.IntegerField(
        allow_null=True, help_text="Task runs with a result."
    )
    incomplete = serializers.IntegerField(
        allow_null=True, help_text="Task runs without one; in neither rate."
    )
    completion_total = serializers.CharField(
        allow_null=True, help_text="Exact sum of completion rates, such as 7/2."
    )
    tasks_per_run = serializers.FloatField(
        allow_null=True, help_text="Mean number of tasks per run, as published."
    )
    printed = serializers.DictField(
        child=serializers.CharField(),
        help_text="Figures digit by digit as their source has them, rates in percent.",
    )
