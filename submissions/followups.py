"""What its people do with a submission afterwards: run it again, write notes."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import Any

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Q
from django.utils.translation import gettext as _

from evaluator import hints
from evaluator.errors import NotPossibleError
from evaluator.models import AgentKind, Job
from evaluator.services import InputFile, UnitInput, start_evaluation
from leaderboard.blobs import blob_exists
from leaderboard.models import (
    Artifact,
    Evaluation,
    EvaluationSnapshot,
    Provenance,
    SnapshotStatus,
    record,
)
from submissions.accounts import quota
from submissions.findings import Finding
from submissions.intake import takes_untrusted
from submissions.models import Submission, SubmissionEvent, SubmissionState
from submissions.notices import Kind, tell
from submissions.sentences.records import RERUN_OF, RUN_AGAIN

__all__ = [
    "KeyReusedError",
    "NotPossibleError",
    "OverQuotaError",
    "family_of",
    "original_of",
    "rerun",
    "write_notes",
]

SUBMITTED = "submitted/"
# Ends that were decided about the result itself: only maintainers look at it again.
_NOT_BY_OWNERS = {SubmissionState.WITHDRAWN, SubmissionState.DISQUALIFIED}


class OverQuotaError(NotPossibleError):
    """A re-run that the quota has no room for; ``findings`` says until when."""

    def __init__(self, findings: Sequence[Finding]) -> None:
        self.findings = tuple(findings)
        super().__init__(" ".join(f"{each.saw}. {each.fix}" for each in findings))


class KeyReusedError(NotPossibleError):
    """The idempotency key belongs to another submission already."""


def original_of(submission: Submission) -> Submission:
    """The first submission of these files: every re-run is linked to it."""
    return submission.rerun_of or submission


def family_of(submission: Submission) -> list[Submission]:
    """The original and its re-runs in their order, with counts; empty if it is alone.

    ``jobs_completed`` is partial while an evaluation goes on.
    """
    original = original_of(submission)
    found = (
        Submission.objects.filter(Q(pk=original.pk) | Q(rerun_of=original.pk))
        .select_related("user", "snapshot", "evaluation")
        .with_counts()
        .order_by("created_at", "pk")
    )
    rows = list(found)
    return rows if len(rows) > 1 else []


def rerun(
    submission: Submission, *, by: User, reason: str, idempotency_key: str = ""
) -> Submission:
    """Evaluate the same files once more, as a submission linked to the original.

    Nothing of the original changes. A maintainer's re-run stays with the submitter and
    counts for no quota; anybody else's is theirs, for the same team, counts as any
    submission does, and needs an open snapshot. The same ``idempotency_key`` again
    gives the submission that it made before. Raises ``NotPossibleError``, or
    ``OverQuotaError`` or ``KeyReusedError``, with a sentence for people.
    """
    with transaction.atomic():
        owner_id = submission.user_id if by.is_staff else by.pk
        owner = User.objects.select_for_update(no_key=True).get(pk=owner_id)
        original = Submission.objects.select_for_update().get(
            pk=original_of(submission).pk
        )
        earlier = _earlier(original, owner, idempotency_key)
        if earlier is not None:
            return earlier
        _require_possible(submission, original, by=by, reason=reason)
        if not by.is_staff and not original.trusted:
            quota.lock(owner, original.team)
            findings = quota.refusals(owner, original.team)
            if findings:
                raise OverQuotaError(findings)
        return _start_again(
            original,
            like=_first_on(original, submission.snapshot_id),
            owner=owner,
            by=by,
            reason=reason,
            idempotency_key=idempotency_key,
        )


def _first_on(original: Submission, snapshot_id: int) -> Submission:
    """The first of the family on that snapshot: a re-run repeats its conditions."""
    if original.snapshot_id == snapshot_id:
        return original
    found = original.reruns.select_related("snapshot", "evaluation")
    return found.filter(snapshot=snapshot_id).earliest("created_at", "pk")


def write_notes(submission: Submission, *, by: User, public: str, private: str) -> None:
    """Keep what its people say: ``public`` stands on the page of the evaluation.

    The audit trail keeps the public texts, and of the private one that it changed: a
    person must be able to take back what only they should read.
    """
    with transaction.atomic():
        locked = Submission.objects.select_for_update().get(pk=submission.pk)
        evaluation = Evaluation.objects.select_for_update().get(pk=locked.evaluation_id)
        before = evaluation.submitter_note
        private_changed = private != locked.private_note
        if public == before and not private_changed:
            return
        evaluation.submitter_note = public
        evaluation.save(update_fields=["submitter_note"])
        locked.private_note = private
        locked.save(update_fields=["private_note"])
        record(
            "note",
            evaluation,
            by=by,
            before={"public_note": before},
            after={"public_note": public, "private_note_changed": private_changed},
        )
    submission.refresh_from_db()


def _earlier(original: Submission, owner: User, key: str) -> Submission | None:
    """The re-run of ``original`` that ``key`` made before."""
    if not key:
        return None
    found = Submission.objects.filter(user=owner, idempotency_key=key).first()
    if found is not None and found.rerun_of_id != original.pk:
        raise KeyReusedError(_("The Idempotency-Key was sent before for another act."))
    return found


def _require_possible(
    submission: Submission, original: Submission, *, by: User, reason: str
) -> None:
    if not reason.strip():
        raise NotPossibleError(
            _("Give a reason: it stays on record and is shown with the result.")
        )
    require_nothing_runs(original)
    if not by.is_staff:
        if submission.snapshot.status != SnapshotStatus.OPEN:
            raise NotPossibleError(
                _("The snapshot takes no submissions any more, and so no re-runs.")
            )
        if submission.shown_state in _NOT_BY_OWNERS:
            raise NotPossibleError(
                _("What was taken out of the ranking is run again by maintainers only.")
            )
    if not original.trusted and not takes_untrusted():
        raise NotPossibleError(
            _("This installation has no working sandbox, so it runs no such code.")
        )


def linked_submission(
    original: Submission,
    evaluation: Evaluation,
    *,
    owner: User,
    by: User,
    snapshot: EvaluationSnapshot,
    manifest: dict[str, Any],
    idempotency_key: str = "",
) -> Submission:
    """A submission of the same files, linked to the first one, with ``evaluation``."""
    first = original.evaluation
    evaluation.rerun_of = first
    evaluation.toolchain_facts = {
        name: first.toolchain_facts[name]
        for name in ("submitted_as", "runs", "agent", "model")
        if name in first.toolchain_facts
    }
    evaluation.save(update_fields=["rerun_of", "toolchain_facts"])
    again = Submission.objects.create(
        user=owner,
        team=original.team,
        idempotency_key=idempotency_key,
        snapshot=snapshot,
        evaluation=evaluation,
        manifest=manifest,
        archive_sha256=original.archive_sha256,
        archive_size_bytes=original.archive_size_bytes,
        content_sha256=original.content_sha256,
        report=original.report,
        trusted=original.trusted,
        rerun_of=original,
        free=by.is_staff,
    )
    hints.call_after_commit("submissions.tasks.look_through_submissions")
    tell(Kind.ACCEPTED, again, key="")
    return again


def _start_again(
    original: Submission,
    *,
    like: Submission,
    owner: User,
    by: User,
    reason: str,
    idempotency_key: str,
) -> Submission:
    """Evaluate the files of ``original`` under the conditions of ``like``."""
    measured = like.evaluation
    evaluation = start_evaluation(
        snapshot=like.snapshot,
        configuration=measured.configuration,
        provenance=Provenance(measured.provenance),
        run_count=measured.run_count,
        trusted=original.trusted,
        comparability_key=measured.comparability_key,
        **work_of(measured),
        differing_fields=measured.differing_fields,
    )
    again = linked_submission(
        original,
        evaluation,
        owner=owner,
        by=by,
        snapshot=like.snapshot,
        manifest=like.manifest,
        idempotency_key=idempotency_key,
    )
    first = original.evaluation
    of_first = RERUN_OF(submission=original.pk, reason=reason)
    note_event(again, by, of_first, first=True)
    note_event(original, by, RUN_AGAIN(submission=again.pk, reason=reason))
    record("rerun", first, by=by, reason=reason, after={"evaluation": evaluation.pk})
    record("rerun", evaluation, by=by, reason=reason, before={"evaluation": first.pk})
    return again


def require_nothing_runs(original: Submission) -> None:
    """Refuse while the same files are being evaluated."""
    family = [original, *original.reruns.select_related("evaluation")]
    if any(each.undecided for each in family):
        raise NotPossibleError(
            _(
                "These files are being evaluated now. Wait for the end, or cancel that "
                "evaluation first."
            )
        )


def note_event(
    submission: Submission, by: User, reason: str, *, first: bool = False
) -> None:
    """Keep a step that changes no state; ``first`` is that of a new submission."""
    SubmissionEvent.objects.create(
        submission=submission,
        actor_id=by.pk,
        from_state="" if first else submission.state,
        to_state=submission.state,
        reason=reason,
    )


def work_of(evaluation: Evaluation) -> dict[str, Any]:
    """What is done again: submitted patches are evaluated, or the agent runs anew.

    As arguments of ``start_evaluation``.
    """
    job = Job.objects.filter(evaluation=evaluation).first()
    if job is None or job.agent != AgentKind.CONFIGURED:
        return {"units": submitted_units(evaluation)}
    return {"agent": AgentKind.CONFIGURED, "inputs": job.inputs}


def submitted_units(evaluation: Evaluation) -> list[UnitInput]:
    """What was submitted for every task run, from what is kept of it."""
    files: dict[tuple[int, str], list[InputFile]] = defaultdict(list)
    kept = (
        Artifact.objects.kept()
        .filter(run__evaluation=evaluation, name__startswith=SUBMITTED)
        .select_related("run", "task")
    )
    for each in kept:
        files[each.run.number, each.task.slug].append(
            InputFile(each.name, each.kind, each.sha256, each.size_bytes)
        )
    jobs = Job.objects.filter(evaluation=evaluation).select_related("run", "task")
    units = [
        UnitInput(
            run=job.run.number,
            task_slug=job.task.slug,
            files=tuple(files[job.run.number, job.task.slug]),
            **job.inputs,
        )
        for job in jobs
    ]
    patches = {unit.final_patch for unit in units} | {
        unit.first_patch for unit in units if unit.first_patch
    }
    gone = sum(not blob_exists(sha256) for sha256 in patches)
    if gone:
        raise NotPossibleError(
            _("%(count)s of the submitted patches are not kept any more.")
            % {"count": gone}
        )
    return units
