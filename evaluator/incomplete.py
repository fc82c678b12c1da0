"""Task runs that stay incomplete, where the benchmark's policy has a place for them.

Only benchmarks that rank by pass rate do: their rates are over finished task runs, and
the others are counted beside them. By Task Completion every task run is needed.
"""

from __future__ import annotations

from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from evaluator import closing, queue
from evaluator.errors import NotPossibleError
from evaluator.models import JobState
from evaluator.reruns import stuck_jobs, why_not_scored
from evaluator.transitions import STUCK
from leaderboard.models import Evaluation, record
from leaderboard.passing.standings import is_by_pass_rate


def leave_incomplete(evaluation: Evaluation, *, by: User, reason: str) -> int:
    """Score an evaluation without its stuck task runs; how many those are.

    A maintainer's act, on record with its reason, once everything else is scored. It is
    refused where all runs of a task are stuck: nothing would be known of that task.
    """
    if not reason.strip():
        raise NotPossibleError(
            _("Give a reason: it stays on record and is shown with the result.")
        )
    with transaction.atomic():
        locked = Evaluation.objects.select_for_update().get(pk=evaluation.pk)
        if not is_by_pass_rate(locked.snapshot):
            raise NotPossibleError(
                _("By Task Completion every task run counts; run the stuck ones again.")
            )
        stuck = list(stuck_jobs(locked))
        counts = queue.counts(locked)
        waiting = sum(
            number
            for state, number in counts.items()
            if state not in {JobState.SCORED, *STUCK}
        )
        if waiting or not stuck:
            raise NotPossibleError(why_not_scored(locked, counts))
        lost = {job.task.slug for job in stuck} - set(
            locked.jobs.filter(state=JobState.SCORED).values_list(
                "task__slug", flat=True
            )
        )
        if lost:
            raise NotPossibleError(
                _("No run of these tasks has a result: %(tasks)s. Run them again.")
                % {"tasks": ", ".join(sorted(lost))}
            )
        names = [f"run {job.run.number}, {job.task.slug}" for job in stuck]
        queue.request_cancel(locked, actor=str(by))
        record(
            "leave incomplete",
            locked,
            by=by,
            reason=reason,
            after={"task_runs": names},
        )
        locked.runs.filter(finished_at=None).update(finished_at=timezone.now())
        closing.close_evaluation(locked.pk)
    evaluation.refresh_from_db()
    return len(stuck)
