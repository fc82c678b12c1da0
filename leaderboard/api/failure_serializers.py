"""Shapes of failure reasons in the API."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

from leaderboard.api.results import PagedSerializer
from leaderboard.api.source_field import SourceField
from leaderboard.failures.taxonomy import FailureReason, LabelOrigin, ReasonGroup
from leaderboard.models import Difficulty

Document = dict[str, Any]


class FailureLabelSerializer(serializers.Serializer[Document]):
    """What one rule or one reviewer said; the latest of each holds."""

    reason = serializers.ChoiceField(
        choices=FailureReason.choices,
        allow_null=True,
        help_text="null where an earlier one is taken back.",
    )
    origin = serializers.ChoiceField(choices=LabelOrigin.choices)
    rule = serializers.CharField(
        allow_null=True, help_text="Stable name of the rule; null for a reviewer."
    )
    reviewer = serializers.IntegerField(
        allow_null=True,
        help_text="Tells reviewers of the task run apart, from 1; null for a rule.",
    )
    note = serializers.CharField(allow_blank=True, help_text="Of a reviewer.")
    artifact = serializers.CharField(
        allow_null=True, help_text="Name of the stored file that shows it."
    )
    line = serializers.IntegerField(allow_null=True)
    quote = serializers.CharField(allow_blank=True)
    figures = serializers.DictField()
    holds = serializers.BooleanField()
    at = serializers.DateTimeField()


class FailureSerializer(serializers.Serializer[Document]):
    """The reason that follows from the labels; null where reviewers disagree."""

    reason = serializers.ChoiceField(choices=FailureReason.choices, allow_null=True)
    group = serializers.ChoiceField(choices=ReasonGroup.choices, allow_null=True)
    origin = serializers.ChoiceField(choices=LabelOrigin.choices, allow_null=True)
    disputed = serializers.BooleanField()
    reviewers = serializers.IntegerField()
    labels = FailureLabelSerializer(many=True)


class FailedTaskRunSerializer(serializers.Serializer[Document]):
    """A task run that does not count as completed."""

    run = serializers.IntegerField(help_text="Its number in the evaluation.")
    task = serializers.CharField()
    source = SourceField()  # type: ignore[assignment]  # the metaclass takes fields out of the class
    difficulty = serializers.ChoiceField(choices=Difficulty.choices)
    outcome = serializers.CharField(help_text="As measured; overruled where that was.")
    f_points_passed = serializers.IntegerField()
    f_point_count = serializers.IntegerField()
    failure = FailureSerializer(allow_null=True)
    url = serializers.CharField()


class ReasonCountSerializer(serializers.Serializer[Document]):
    reason = serializers.ChoiceField(
        choices=FailureReason.choices,
        allow_null=True,
        help_text="null without a reason, or where reviewers disagree.",
    )
    source = SourceField()  # type: ignore[assignment]  # the metaclass takes fields out of the class
    origin = serializers.ChoiceField(choices=LabelOrigin.choices, allow_null=True)
    task_runs = serializers.IntegerField()


class KitReasonCountSerializer(serializers.Serializer[Document]):
    kit = serializers.CharField()
    reason = serializers.ChoiceField(choices=FailureReason.choices, allow_null=True)
    task_runs = serializers.IntegerField()


class ReviewerPairSerializer(serializers.Serializer[Document]):
    agreed = serializers.IntegerField()
    task_runs = serializers.IntegerField()
    kappa = serializers.FloatField(
        allow_null=True, help_text="Cohen's; null where chance would always agree."
    )


class AgreementSerializer(serializers.Serializer[Document]):
    """How far reviewers agree on task runs that two or more have labelled."""

    task_runs = serializers.IntegerField()
    agreed = serializers.IntegerField(help_text="Pairs of labels with the same reason.")
    compared = serializers.IntegerField(help_text="All pairs of labels.")
    share = serializers.FloatField(allow_null=True, help_text="Fraction of 1.")
    pairs = ReviewerPairSerializer(many=True, help_text="One a pair of reviewers.")


class FailureListSerializer(PagedSerializer):
    """Failed task runs, with the split of all of them beside."""

    failed = serializers.IntegerField(help_text="Failed task runs: the denominator.")
    decided = serializers.IntegerField(help_text="Task runs that have an outcome.")
    split = ReasonCountSerializer(many=True)
    kits = KitReasonCountSerializer(
        many=True, help_text="A task run counts for each Kit of its task."
    )
    agreement = AgreementSerializer()
    results = FailedTaskRunSerializer(many=True)
