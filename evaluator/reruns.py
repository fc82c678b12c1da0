"""Task runs that trouble of ours has stopped: which they are, and running them again.

None of them is ever scored or dropped; the evaluation waits until a person decides.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import QuerySet
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from evaluator import hints, queue
from evaluator.errors import NotPossibleError
from evaluator.models import Job, JobState
from evaluator.transitions import STUCK
from leaderboard.models import Evaluation, record
from leaderboard.sentences import gap

# So many task runs are named in a message; the rest is counted.
NAMED = 10
COMMAND_LINE = "command line"


def stuck_jobs(evaluation: Evaluation) -> QuerySet[Job]:
    """Jobs that ended in trouble of ours and wait for a person, in catalogue order."""
    stuck = Job.objects.filter(evaluation=evaluation, state__in=STUCK)
    return stuck.select_related("task", "run").order_by(
        "run__number", "task__position", "task__slug"
    )


def requeue(
    evaluation: Evaluation,
    *,
    by: User | None,
    reason: str,
    task: str | None = None,
    run: int | None = None,
) -> list[Job]:
    """Run stuck task runs again: all of them, or those of ``task`` and ``run``.

    An operator's act, on record with its reason; ``by`` is None on the command line.
    The old attempts stay, and the evaluation waits until the new ones are decided.
    """
    if not reason.strip():
        raise NotPossibleError(
            _("Give a reason: it stays on record and is shown with the result.")
        )
    jobs = stuck_jobs(evaluation)
    if task is not None:
        jobs = jobs.filter(task__slug=task)
    if run is not None:
        jobs = jobs.filter(run__number=run)
    with transaction.atomic():
        found = list(jobs)
        if not found:
            raise NotPossibleError(_nothing_stuck(evaluation))
        for job in found:
            _requeue_one(job, by=by, reason=reason)
        record(
            "requeue",
            evaluation,
            by=by,
            reason=reason,
            before={"task_runs": [_with_reason(job) for job in found]},
        )
        hints.ring_after_commit([(job.pk, job.pool) for job in found])
    return found


def why_not_scored(evaluation: Evaluation, counts: Mapping[str, int]) -> str:
    """Why nothing is published yet, naming what a person has to run again."""
    open_counts = {
        JobState(state): number
        for state, number in counts.items()
        if number and state != JobState.SCORED
    }
    texts = [_not_scored(open_counts)] if open_counts else []
    texts.append(_("Nothing is published before every task run is scored."))
    stuck = list(stuck_jobs(evaluation))
    if stuck:
        texts.append(
            _("To be run again by an operator: %(task_runs)s.")
            % {"task_runs": _named(stuck)}
        )
    return gap().join(texts)


def _not_scored(open_counts: Mapping[JobState, int]) -> str:
    total = sum(open_counts.values())
    text = ngettext(
        "%(count)s task run is not scored yet (%(states)s).",
        "%(count)s task runs are not scored yet (%(states)s).",
        total,
    )
    states = ", ".join(f"{n} {state.label}" for state, n in open_counts.items())
    return text % {"count": total, "states": states}


def _requeue_one(job: Job, *, by: User | None, reason: str) -> None:
    actor = str(by) if by is not None else COMMAND_LINE
    try:
        queue.requeue(job.pk, actor=actor, reason=reason)
    except ValueError as error:
        raise NotPossibleError(str(error)) from None


def _nothing_stuck(evaluation: Evaluation) -> str:
    stuck = list(stuck_jobs(evaluation))
    if not stuck:
        return _("No task run waits for a re-run: none ended in trouble of ours.")
    return _("That task run does not wait for a re-run. These do: %(task_runs)s.") % {
        "task_runs": _named(stuck)
    }


def _named(jobs: Sequence[Job]) -> str:
    named = "; ".join(_with_reason(job) for job in jobs[:NAMED])
    more = len(jobs) - NAMED
    return f"{named}; +{more}" if more > 0 else named


def _with_reason(job: Job) -> str:
    return f"run {job.run.number}, {job.task.slug} ({job.state}: {job.reason})"
