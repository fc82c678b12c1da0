"""A snapshot as the place of its policy; the table is that of the snapshots."""

from __future__ import annotations

from django.utils.translation import gettext_lazy as _

from leaderboard.models import EvaluationSnapshot


class SnapshotPolicy(EvaluationSnapshot):
    """What uploads for a snapshot may not differ in; see ``submissions.policy``."""

    class Meta:
        proxy = True
        verbose_name = _("policy of a snapshot")
        verbose_name_plural = _("policies of snapshots")
