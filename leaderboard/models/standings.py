"""Standings as they were worked out last, so that no reader works them out again.

Everything here follows from the evaluations and their totals. ``leaderboard/ranking``
writes it and says when it still holds.
"""

from __future__ import annotations

from django.db import models

from leaderboard.models.catalogue import EvaluationSnapshot, ScopeName
from leaderboard.models.comparability import ComparabilityDecision
from leaderboard.models.results import Evaluation, Provenance


class StoredTable(models.Model):
    """One table, worked out under one version of the public data by one software.

    ``summary`` is what a page says of all rows together; ``latest`` are
    the newest results of snapshots of its kind. ``until`` is the end of the next
    embargo, which changes the table without anybody's act.
    """

    snapshot = models.ForeignKey(
        EvaluationSnapshot, on_delete=models.CASCADE, related_name="stored_tables"
    )
    scope = models.CharField(max_length=12, choices=ScopeName)
    version = models.BigIntegerField()
    build = models.CharField(max_length=16, default="")
    until = models.DateTimeField(null=True)
    summary = models.JSONField()
    latest = models.JSONField(default=list)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["snapshot", "scope", "version"],
                name="one_stored_table_per_version",
            )
        ]

    def __str__(self) -> str:
        return f"{self.snapshot_id} {self.scope} at {self.version}"


class Part(models.TextChoices):
    """Where on a leaderboard an evaluation stands."""

    RANKED = "ranked"
    APART = "apart"
    STRUCK_OUT = "struck-out"


class StoredPlace(models.Model):
    """The place of one evaluation in a stored table.

    ``position`` counts from 0 within the part, in display order. The ``by_`` columns
    order the ranked rows as the column of that name does; equal values have equal
    numbers, and what was not reported has none. ``totals`` holds the counts of every
    scope, ``search`` the text that a search looks into, casefolded.
    """

    table = models.ForeignKey(
        StoredTable, on_delete=models.CASCADE, related_name="places"
    )
    evaluation = models.ForeignKey(
        Evaluation, on_delete=models.CASCADE, related_name="+"
    )
    decision = models.ForeignKey(
        ComparabilityDecision, on_delete=models.CASCADE, related_name="+", null=True
    )
    part = models.CharField(max_length=10, choices=Part)
    position = models.PositiveIntegerField()
    rank = models.PositiveIntegerField(null=True)
    tied_count = models.PositiveIntegerField(default=1)
    best_rank = models.PositiveIntegerField(null=True)
    worst_rank = models.PositiveIntegerField(null=True)
    leading_group = models.BooleanField(default=False)
    in_figures = models.BooleanField(default=False)
    search = models.TextField()
    family = models.CharField(max_length=60, blank=True)
    provider = models.CharField(max_length=100)
    provenance = models.CharField(max_length=14, choices=Provenance)
    by_name = models.PositiveIntegerField(null=True)
    by_task_completion = models.PositiveIntegerField(null=True)
    by_new_feature = models.PositiveIntegerField(null=True)
    by_spec_driven = models.PositiveIntegerField(null=True)
    by_bug_fix = models.PositiveIntegerField(null=True)
    by_first_build = models.PositiveIntegerField(null=True)
    by_final_build = models.PositiveIntegerField(null=True)
    by_tokens = models.PositiveIntegerField(null=True)
    by_seconds = models.PositiveIntegerField(null=True)
    totals = models.JSONField()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["table", "part", "position"], name="one_stored_row_per_place"
            )
        ]

    def __str__(self) -> str:
        return f"{self.part} {self.position} of table {self.table_id}"


class StoredLine(models.Model):
    """What readers are shown of one place, made ready when it was stored.

    ``document`` is its row in the API and ``text`` the cells of its row on the page, as
    JSON; only ranked ones have the latter. Apart from the place itself, so that
    ordering and filtering many places does not read it.
    """

    place = models.OneToOneField(
        StoredPlace, on_delete=models.CASCADE, related_name="line", primary_key=True
    )
    document = models.TextField()
    text = models.TextField(default="")

    def __str__(self) -> str:
        return f"line of {self.place}"
