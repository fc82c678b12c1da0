"""Labels of reviewers: why a task run failed, with what shows it."""

from __future__ import annotations

from dataclasses import dataclass

from django.contrib.auth.models import User
from django.db import transaction
from django.utils.translation import gettext as _

from evaluator.errors import NotPossibleError
from leaderboard.failures.labels import add_review
from leaderboard.failures.taxonomy import BENCHMARK_ERRORS, REVIEWABLE, FailureReason
from leaderboard.models import Artifact, FailureLabel, TaskResult, record
from submissions.models import Proposal, Submission
from submissions.review import decisions
from submissions.review.false_failures import FALSE_FAILURE, is_taken_up
from submissions.review.independence import has_a_stake
from submissions.transitions import locked


@dataclass(frozen=True, slots=True)
class Opinion:
    """What a reviewer says; ``line`` counts in the file ``artifact``."""

    reason: str
    note: str
    artifact: str = ""
    line: int | None = None


def label_failure(
    submission: Submission, result: TaskResult, opinion: Opinion, *, by: User
) -> Proposal | None:
    """Keep a reviewer's label; a benchmark error is proposed for an erratum and re-run.

    Returns that proposal, which a second maintainer must confirm; None for a model
    error, or where the same was taken up for this task before. Raises
    ``NotPossibleError`` with a sentence for people.
    """
    decisions.require_maintainer(by)
    _require_possible(submission, result, opinion, by=by)
    reason = FailureReason(opinion.reason)
    evidence = {"artifact": opinion.artifact, "line": opinion.line}
    with transaction.atomic():
        found = locked(submission)
        before = FailureLabel.objects.filter(result=result, by=by).last()
        add_review(
            result,
            reason,
            by=by,
            note=opinion.note,
            evidence=evidence if opinion.artifact else {},
        )
        place = {"run": result.run.number, "task": result.task.slug}
        record(
            "label failure",
            found.evaluation,
            by=by,
            reason=opinion.note,
            before={"reason": before.reason} if before else None,
            after={**place, "reason": reason.value},
        )
        if reason not in BENCHMARK_ERRORS or is_taken_up(found, result.task):
            return None
        return decisions.propose(
            found, FALSE_FAILURE, by=by, reason=opinion.note, result=result
        )


def _require_possible(
    submission: Submission, result: TaskResult, opinion: Opinion, *, by: User
) -> None:
    if has_a_stake(by, submission):
        raise NotPossibleError(
            _("You are or were of the submitting team; another maintainer must judge.")
        )
    if submission.evaluation.scored_at is None:
        raise NotPossibleError(_("Wait until every task run is scored."))
    if result.counts:
        raise NotPossibleError(_("Only a failed task run has a failure reason."))
    if opinion.reason not in {each.value for each in REVIEWABLE}:
        raise NotPossibleError(
            _("Choose a reason of the list; %(given)s is none of them.")
            % {"given": repr(opinion.reason[:40])}
        )
    if not opinion.note.strip():
        raise NotPossibleError(_("Say what shows it: the text is public."))
    if opinion.line is not None and not opinion.artifact:
        raise NotPossibleError(_("A line needs the file that it is in."))
    if opinion.artifact:
        _require_artifact(result, opinion.artifact)


def _require_artifact(result: TaskResult, name: str) -> None:
    held = Artifact.objects.filter(run=result.run_id, task=result.task_id)
    names = list(held.values_list("name", flat=True))
    if name not in names:
        raise NotPossibleError(
            _("The task run has no file %(name)s. It has: %(names)s.")
            % {"name": repr(name[:80]), "names": ", ".join(names[:20]) or "-"}
        )
