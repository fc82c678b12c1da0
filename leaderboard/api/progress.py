"""How far an evaluation got, field by field; the dictionary is made in progress.py."""

from __future__ import annotations

from typing import Any, TypeAlias

from rest_framework import serializers

Document: TypeAlias = Any


class RunRangeSerializer(serializers.Serializer[Document]):
    """Mean over runs with the lowest and highest run; fractions of 1."""

    mean = serializers.FloatField()
    min = serializers.FloatField()
    max = serializers.FloatField()


class DimensionHowFarSerializer(serializers.Serializer[Document]):
    """One dimension of the tasks that have it."""

    task_runs = serializers.IntegerField(help_text="Of tasks with this dimension.")
    f_points_passed = serializers.IntegerField(
        help_text="Over all runs; also F-points that a task is completed without."
    )
    f_points = serializers.IntegerField(help_text="Of this dimension, times runs.")
    score = RunRangeSerializer(
        help_text="Weighted share, or the visual judge's; mean over these tasks."
    )
    unjudged = serializers.IntegerField(
        help_text="Task runs whose screens have no score; their rate is without them."
    )


class ScopeHowFarSerializer(serializers.Serializer[Document]):
    task_runs = serializers.IntegerField()
    f_points_passed = serializers.IntegerField(help_text="Over all runs.")
    f_points = serializers.IntegerField(help_text="Of all tasks, times runs.")
    passed = RunRangeSerializer(help_text="Share of F-points passed.")
    completion_rate = RunRangeSerializer(
        help_text="Mean over tasks of weighted F-points times multipliers."
    )
    dimensions = serializers.DictField(child=DimensionHowFarSerializer())


class HowFarSerializer(serializers.Serializer[Document]):
    """A diagnostic: no part of it is in Task Completion or in a rank.

    F-points depend on each other, so a low share need not mean little work; regression
    checks pass without any. Compare rates of one snapshot only.
    """

    multipliers = serializers.DictField(child=serializers.FloatField())
    scopes = serializers.DictField(child=ScopeHowFarSerializer())
