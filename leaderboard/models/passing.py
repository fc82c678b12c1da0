"""What benchmarks that rank by pass rate have besides: streams, and their figures."""

from __future__ import annotations

from django.db import models
from django.db.models import F, Q

from leaderboard.models.catalogue import EvaluationSnapshot
from leaderboard.models.results import Evaluation
from leaderboard.models.texts import in_language


class Stream(models.Model):
    """A set of tasks of one snapshot, as its benchmark divides them.

    ``names`` holds a name by language. ``facts`` holds what was published of the tasks:
    ``focus`` in words by language, and ``lines`` and ``files`` from low to high.
    """

    snapshot = models.ForeignKey(
        EvaluationSnapshot, on_delete=models.CASCADE, related_name="streams"
    )
    slug = models.SlugField(max_length=40)
    names = models.JSONField()
    task_count = models.PositiveIntegerField()
    position = models.PositiveSmallIntegerField()
    facts = models.JSONField(default=dict, blank=True)

    class Meta:
        ordering = ["position"]
        constraints = [
            models.UniqueConstraint(
                fields=["snapshot", "slug"], name="one_stream_per_slug"
            )
        ]

    def __str__(self) -> str:
        return self.name

    @property
    def name(self) -> str:
        return in_language(self.names)

    @property
    def focus(self) -> str:
        return in_language(self.facts.get("focus", {}))


class PassTotals(models.Model):
    """Counts of one evaluation by pass rate, in one stream or (None) over all tasks.

    A task run is incomplete where it came to no result through no fault of the
    configuration; rates are over the others. ``completion_total`` is the exact sum of
    their completion rates, a fraction in digits. Counts are None where only rates were
    published: those stand in ``printed``, digit by digit, in percent.
    """

    evaluation = models.ForeignKey(
        Evaluation, on_delete=models.CASCADE, related_name="pass_totals"
    )
    stream = models.ForeignKey(
        Stream, on_delete=models.CASCADE, related_name="totals", null=True, blank=True
    )
    run_count = models.PositiveSmallIntegerField()
    task_count = models.PositiveIntegerField(null=True, blank=True)
    perfect_count = models.PositiveIntegerField(null=True, blank=True)
    finished_count = models.PositiveIntegerField(null=True, blank=True)
    incomplete_count = models.PositiveIntegerField(null=True, blank=True)
    completion_total = models.TextField(blank=True)
    printed = models.JSONField(default=dict, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["evaluation"],
                condition=Q(stream=None),
                name="one_pass_total_over_all_tasks",
            ),
            models.UniqueConstraint(
                fields=["evaluation", "stream"], name="one_pass_total_per_stream"
            ),
            models.CheckConstraint(
                condition=Q(perfect_count__lte=F("finished_count")),
                name="a_passed_task_run_has_finished",
            ),
            models.CheckConstraint(
                condition=Q(
                    task_count__isnull=False,
                    perfect_count__isnull=False,
                    finished_count__isnull=False,
                    incomplete_count__isnull=False,
                    incomplete_count=F("task_count") * F("run_count")
                    - F("finished_count"),
                )
                | Q(
                    perfect_count=None,
                    finished_count=None,
                    incomplete_count=None,
                    completion_total="",
                ),
                name="every_task_run_is_counted_or_none_is",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.evaluation_id} {self.stream_id or 'overall'}"
