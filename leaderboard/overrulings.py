"""Counting a completed task run as not completed, and as completed again.

Its raw verdict stays as it is.
"""

from __future__ import annotations

from django.contrib.auth.models import User
from django.db import transaction

from leaderboard.failures.labels import label_result
from leaderboard.failures.rules import RULES_BY_CODE, Evidence, Finding
from leaderboard.models import (
    Evaluation,
    LiftedOverruling,
    Overruling,
    TaskResult,
    record,
)
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
        label_result(
            result, [Finding(RULES_BY_CODE["overruled"], Evidence(quote=reason))]
        )
        _count_anew(evaluation)
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


def lift(
    result: TaskResult, *, proposed_by: User, confirmed_by: User, reason: str
) -> LiftedOverruling:
    """Take the overruling of ``result`` back, by two maintainers; both stay on record.

    Raises ``Overruling.DoesNotExist`` where there is none.
    """
    with transaction.atomic():
        evaluation = Evaluation.objects.select_for_update().get(
            pk=result.run.evaluation_id
        )
        overruling = Overruling.objects.get(result=result)
        lifted = LiftedOverruling.objects.create(
            result=result,
            reason=overruling.reason,
            overruled_at=overruling.at,
            lifted_because=reason,
            proposed_by_id=proposed_by.pk,
            confirmed_by_id=confirmed_by.pk,
        )
        overruling.delete()
        label_result(result, [Finding(RULES_BY_CODE["overruled"], None)])
        _count_anew(evaluation)
        place = {"run": result.run.number, "task": result.task.slug}
        record(
            "lift overruling",
            evaluation,
            by=confirmed_by,
            reason=reason,
            before={
                **place,
                "completed": False,
                "overruled_by": [
                    overruling.proposed_by_id,
                    overruling.confirmed_by_id,
                ],
            },
            after={**place, "completed": True, "proposed_by": proposed_by.pk},
        )
    return lifted


def _count_anew(evaluation: Evaluation) -> None:
    rewrite(evaluation)
    evaluation.unverified = lacks_trajectories(evaluation)
    evaluation.save(update_fields=["unverified"])
