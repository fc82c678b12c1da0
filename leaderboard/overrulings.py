"""Counting a completed task run as not completed; its raw verdict stays as it is."""

from __future__ import annotations

from django.contrib.auth.models import User
from django.db import transaction

from leaderboard.models import Evaluation, Overruling, TaskResult, record
from leaderboard.recount import rewrite
from leaderboard.verification import lacks_trajectories


def overrule(
    result: TaskResult, *, proposed_by: User, confirmed_by: User, reason: str
) -> Overruling:
    """Add the verdict of two maintainers and write the totals anew from the rows."""
    with transaction.atomic():
        evaluation = Evaluation.objects.select_for_update().get(
            pk=result.run.evaluation_id
        )
        overruling = Overruling.objects.create(
            result=result,
            reason=reason,
            proposed_by_id=proposed_by.pk,
            confirmed_by_id=confirmed_by.pk,
        )
        rewrite(evaluation)
        evaluation.unverified = lacks_trajectories(evaluation)
        evaluation.save(update_fields=["unverified"])
        place = {"run": result.run.number, "task": result.task.slug}
        record(
            "overrule",
            evaluation,
            by=confirmed_by,
            reason=reason,
            before={**place, "completed": True},
            after={**place, "completed": False, "proposed_by": proposed_by.pk},
        )
    return overruling
