"""The computed statistics of a snapshot, field by field."""

from __future__ import annotations

from typing import Any, TypeAlias

from rest_framework import serializers

from leaderboard.models import Difficulty
from leaderboard.statistics import BUCKETS, UNCOVERED

# A dictionary, made by leaderboard/statistics.py.
Document: TypeAlias = Any


class PartSerializer(serializers.Serializer[Document]):
    """Some of the inputs; the share is a fraction of 1."""

    inputs = serializers.IntegerField()
    share = serializers.FloatField()


class QuartilesSerializer(serializers.Serializer[Document]):
    """Quartiles by linear interpolation (definition 7 of Hyndman and Fan)."""

    low = serializers.FloatField()
    median = serializers.FloatField()
    high = serializers.FloatField()


class ScopeStatisticsSerializer(serializers.Serializer[Document]):
    scope = serializers.CharField(
        help_text="Overall, a task source, or the slug of a stream."
    )
    inputs = serializers.IntegerField(help_text="Tasks.")
    f_points = serializers.IntegerField()
    mean_f_points = serializers.FloatField(help_text="F-points per input.")
    repositories = serializers.IntegerField(
        help_text="Different ones; overall a union, as sources share some."
    )
    difficulty = serializers.DictField(
        child=serializers.IntegerField(), help_text=", ".join(Difficulty.values)
    )
    input_length = QuartilesSerializer(
        help_text="Characters of the statement that are no white space."
    )
    reference_files_median = serializers.FloatField()
    reference_lines_median = serializers.FloatField(
        help_text="Lines that the reference patch adds plus those it deletes."
    )
    largest_repository = PartSerializer()
    top3_repositories = PartSerializer()


class FPointCountSerializer(serializers.Serializer[Document]):
    f_points = serializers.IntegerField()
    inputs = serializers.IntegerField()


class RepositorySerializer(PartSerializer):
    name = serializers.CharField()


class KitShareSerializer(PartSerializer):
    kit = serializers.CharField()


class KitListSerializer(serializers.Serializer[Document]):
    """The Kits that coverage is counted against."""

    size = serializers.IntegerField()
    wanted = serializers.IntegerField(
        allow_null=True,
        help_text="Size of the benchmark's list, where it is not complete here.",
    )
    complete = serializers.BooleanField(
        help_text="False: counted against all Kits of the SDK instead."
    )
    source = serializers.CharField()  # type: ignore[assignment]  # the metaclass takes fields out of the class


class KitCoverageSerializer(serializers.Serializer[Document]):
    inputs = serializers.IntegerField()
    without_kit = serializers.IntegerField()
    list = KitListSerializer()
    sdk_commit = serializers.CharField(
        help_text="Commit of interface_sdk-js that the Kits of modules are from."
    )
    covered = serializers.IntegerField()
    covered_share = serializers.FloatField()
    buckets = serializers.DictField(
        child=serializers.IntegerField(),
        help_text=f"Kits by share of inputs: {', '.join(name for name, _ in BUCKETS)} "
        f"(from 50, 10, 3 and over 0 percent), {UNCOVERED}.",
    )
    top = KitShareSerializer(many=True, help_text="The ten most frequent.")
    outside = KitShareSerializer(many=True, help_text="Touched, but not on the list.")


class StatisticsSerializer(serializers.Serializer[Document]):
    format = serializers.IntegerField()
    scopes = ScopeStatisticsSerializer(many=True)
    f_points_per_input = FPointCountSerializer(many=True)
    repositories = RepositorySerializer(many=True, help_text="The ten largest.")
    kits = KitCoverageSerializer()
