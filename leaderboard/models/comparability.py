"""Conditions that differ and do not matter: revocable decisions of maintainers."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from django.conf import settings
from django.db import models
from django.db.models import F, Q


class ComparabilityDecisionQuerySet(models.QuerySet["ComparabilityDecision"]):
    def in_force(self, until: datetime | None = None) -> ComparabilityDecisionQuerySet:
        """Those that hold now, or held just before ``until``."""
        if until is None:
            return self.filter(revoked_at=None)
        return self.filter(Q(revoked_at=None) | Q(revoked_at__gte=until), at__lt=until)

    def with_key(self, *keys: str) -> ComparabilityDecisionQuerySet:
        """Those that are about at least one of ``keys``."""
        return self.filter(Q(first_key__in=keys) | Q(second_key__in=keys))


class ComparabilityDecision(models.Model):
    """Two comparability keys whose numbers may be ranked together, by two maintainers.

    What has one of the keys is ranked on a snapshot that has the other one, with all
    that stand there. The keys stand in their order as texts, so that a pair can be
    named in one way only.
    """

    first_key = models.CharField(max_length=64)
    second_key = models.CharField(max_length=64)
    differing_fields = models.JSONField(
        default=list, help_text="The conditions that differ, by name."
    )
    reason = models.TextField(help_text="Why that does not matter; public.")
    proposed_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+"
    )
    confirmed_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+"
    )
    at = models.DateTimeField()
    revoked_reason = models.TextField(blank=True, help_text="Public.")
    revoke_proposed_by = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        on_delete=models.PROTECT,
        related_name="+",
        null=True,
        blank=True,
    )
    revoked_by = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        on_delete=models.PROTECT,
        related_name="+",
        null=True,
        blank=True,
    )
    revoked_at = models.DateTimeField(null=True, blank=True)

    objects = ComparabilityDecisionQuerySet.as_manager()

    class Meta:
        ordering = ["at", "pk"]
        constraints = [
            models.CheckConstraint(
                condition=Q(first_key__lt=F("second_key")),
                name="a_pair_of_keys_stands_in_order",
            ),
            models.UniqueConstraint(
                fields=["first_key", "second_key"],
                condition=Q(revoked_at=None),
                name="one_decision_in_force_per_pair_of_keys",
            ),
            models.CheckConstraint(
                condition=~Q(proposed_by=F("confirmed_by")),
                name="a_comparability_decision_takes_two",
            ),
            models.CheckConstraint(
                condition=~Q(reason=""), name="a_comparability_decision_has_a_reason"
            ),
            models.CheckConstraint(
                condition=Q(
                    revoked_at=None,
                    revoked_by=None,
                    revoke_proposed_by=None,
                    revoked_reason="",
                )
                | (
                    Q(
                        revoked_at__isnull=False,
                        revoked_by__isnull=False,
                        revoke_proposed_by__isnull=False,
                    )
                    & ~Q(revoked_reason="")
                    & ~Q(revoked_by=F("revoke_proposed_by"))
                ),
                name="a_revocation_takes_two_and_a_reason",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.first_key[:8]} and {self.second_key[:8]}"

    @property
    def keys(self) -> tuple[str, str]:
        return self.first_key, self.second_key

    def other_than(self, key: str) -> str:
        """The other key of the pair that ``key`` belongs to."""
        return self.second_key if key == self.first_key else self.first_key


def ordered_pair(one: str, other: str) -> tuple[str, str]:
    """The two keys as a decision stores them."""
    first, second = sorted((one, other))
    return first, second


def by_pair(
    decisions: Iterable[ComparabilityDecision],
) -> dict[tuple[str, str], ComparabilityDecision]:
    return {each.keys: each for each in decisions}
