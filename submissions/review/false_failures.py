"""False failures: what follows when two maintainers blame the benchmark for one.

An erratum on the task and a re-run of the files, or neither. The old outcome stays.
"""

from __future__ import annotations

from django.contrib.auth.models import User
from django.utils.translation import gettext as _

from evaluator.errors import NotPossibleError
from leaderboard.errata import note_erratum
from leaderboard.models import Task, record
from submissions import followups
from submissions.models import Proposal, Submission

FALSE_FAILURE = "false fail"


def is_taken_up(submission: Submission, task: Task) -> bool:
    """Whether it was proposed or done for this task of the submission before.

    Other runs fail by the same fault; one erratum and one re-run are enough.
    """
    return (
        submission.proposals.filter(act=FALSE_FAILURE, result__task=task)
        .exclude(confirmed=False)
        .exists()
    )


def lock_owner(submission: Submission) -> None:
    """Take the locks of a re-run in its order; call before the submission's own."""
    User.objects.select_for_update(no_key=True).get(pk=submission.user_id)


def open_false_failure(
    submission: Submission, proposal: Proposal, *, by: User
) -> Submission:
    """Publish the erratum and queue the re-run; call inside a transaction.

    Raises ``NotPossibleError`` where the files cannot be run again now; then nothing of
    it is done.
    """
    result = proposal.result
    if result is None:
        raise NotPossibleError(_("The proposal names no task run."))
    place = {"run": result.run.number, "task": result.task.slug}
    erratum = note_erratum(result.task, proposal.reason, by=by)
    again = followups.rerun(
        submission,
        by=by,
        reason=f"false failure of {result.task.slug}: {proposal.reason}",
    )
    record(
        "false failure",
        submission.evaluation,
        by=by,
        reason=proposal.reason,
        before={**place, "outcome": result.reason},
        after={
            **place,
            "outcome": result.reason,
            "erratum": erratum.pk,
            "evaluation": again.evaluation_id,
            "proposed_by": proposal.proposed_by_id,
        },
    )
    return again
