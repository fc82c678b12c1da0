"""The shape of a comparison."""

from __future__ import annotations

from typing import Any, get_args

from rest_framework import serializers

from leaderboard.api.serializers import EvaluationSerializer
from leaderboard.comparison.passing import Missing
from leaderboard.models import TaskSource
from leaderboard.paired import Rule

Document = dict[str, Any]


class TaskTableSerializer(serializers.Serializer[Document]):
    """Tasks by who completed them; the four add up to ``task_count``."""

    task_count = serializers.IntegerField()
    both = serializers.IntegerField()
    only_first = serializers.IntegerField()
    only_second = serializers.IntegerField()
    neither = serializers.IntegerField()


class DifferenceSerializer(serializers.Serializer[Document]):
    """First minus second in one scope."""

    completed = serializers.IntegerField(help_text="Task runs.")
    task_completion = serializers.FloatField(help_text="Fraction of 1.")
    run_ranges = serializers.ChoiceField(
        choices=["overlap", "first_above", "second_above"],
        help_text="How the two run ranges lie; ranges that touch overlap.",
    )


class TaskCountsSerializer(serializers.Serializer[Document]):
    first_completed = serializers.IntegerField(help_text="Task runs.")
    second_completed = serializers.IntegerField(help_text="Task runs.")
    tasks = TaskTableSerializer()


class IntervalSerializer(serializers.Serializer[Document]):
    low = serializers.FloatField()
    high = serializers.FloatField()


class PairedAnalysisSerializer(serializers.Serializer[Document]):
    """An extra that ranks nothing."""

    majority = TaskTableSerializer()
    mcnemar_p = serializers.FloatField(
        help_text="Exact and two-sided, over tasks that only one completed in most "
        "runs."
    )
    bootstrap_95 = IntervalSerializer(
        allow_null=True,
        help_text="Middle 95 % of the difference in Task Completion, first minus "
        "second, when tasks and then runs are drawn again; exact. Null where there are "
        "too many runs to sum up.",
    )


class PairSerializer(serializers.Serializer[Document]):
    first = serializers.CharField(help_text="Letter of an evaluation.")
    second = serializers.CharField()
    differences = serializers.DictField(
        child=DifferenceSerializer(),
        help_text="By scope; empty where no verdict is given.",
    )
    tasks = TaskTableSerializer(
        allow_null=True, help_text="Null where outcomes of single tasks are not held."
    )
    sources = serializers.DictField(child=TaskCountsSerializer())
    kits = serializers.DictField(child=TaskCountsSerializer())
    paired_analysis = PairedAnalysisSerializer(allow_null=True)


class ComparedTaskSerializer(serializers.Serializer[Document]):
    task = serializers.CharField()
    source = serializers.ChoiceField(choices=TaskSource.choices)  # type: ignore[assignment]  # the metaclass takes fields out of the class
    completed_runs = serializers.DictField(
        child=serializers.IntegerField(), help_text="Completed runs by letter."
    )


class PassDifferenceSerializer(serializers.Serializer[Document]):
    """First minus second over all tasks, or in one stream; fractions of 1."""

    pass_rate = serializers.FloatField()
    completion_rate = serializers.FloatField(
        allow_null=True, help_text="Null unless both have one."
    )
    intervals = serializers.ChoiceField(
        choices=["overlap", "first_above", "second_above"],
        allow_null=True,
        help_text="How the published intervals of the two rates lie; null unless both "
        "have one of the same level. They are not intervals of the difference.",
    )


class PassPairSerializer(serializers.Serializer[Document]):
    first = serializers.CharField(help_text="Letter of an evaluation.")
    second = serializers.CharField()
    differences = serializers.DictField(
        child=PassDifferenceSerializer(),
        help_text="By overall and stream; empty where no verdict is given.",
    )


class PassCompareSerializer(serializers.Serializer[Document]):
    """Evaluations by pass rate: totals and what cannot be said of them.

    Figures and counts of each stand in its ``pass_scopes``. Single tasks are not set
    against each other.
    """

    policy = serializers.CharField(help_text="`pass-and-completion`.")
    same_conditions = serializers.BooleanField(
        help_text="Without equal conditions there are no pairs."
    )
    differing_fields = serializers.ListField(child=serializers.CharField())
    no_verdict_because = serializers.ListField(child=serializers.CharField())
    evaluations = serializers.DictField(child=EvaluationSerializer())
    pairs = PassPairSerializer(many=True)
    not_compared = serializers.ListField(
        child=serializers.ChoiceField(choices=list(get_args(Missing))),
        help_text="What was not published for all of them; equal_effort where runs or "
        "tasks per run differ.",
    )


class CompareSerializer(serializers.Serializer[Document]):
    """Evaluations by letter, and every pair of them."""

    by = serializers.ChoiceField(choices=list(Rule))
    same_conditions = serializers.BooleanField(
        help_text="Without equal conditions there are no pairs."
    )
    differing_fields = serializers.ListField(child=serializers.CharField())
    no_verdict_because = serializers.ListField(child=serializers.CharField())
    evaluations = serializers.DictField(child=EvaluationSerializer())
    without_task_results = serializers.ListField(child=serializers.CharField())
    pairs = PairSerializer(many=True)
    tasks = ComparedTaskSerializer(many=True, help_text="The widest gap first.")
