"""What binds a report to its attempt, and how anybody can check it afterwards.

A report carries the binding that was made when its stage began: the job, the stage, the
fence, and a digest of everything the stage was given. A report that was kept from an
earlier lease, or that belongs to another job, does not fit and is refused. So is one
that was not signed with the key of its attempt, or was changed after that. What was
accepted stays with the attempt, digested together with the attempt before it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from django.db.models.fields.json import KT

from evaluator import signatures
from evaluator.artifacts import StoredArtifact
from evaluator.models import Attempt, Job, JobState
from evaluator.pipeline.grade import UngradableError, grade
from evaluator.pipeline.work import Binding, StageReport
from evaluator.queue import Lease, LeaseLostError, Passed
from evaluator.storable import storable
from evaluator.transitions import ModelOutcome
from evaluator.verdicts import Trouble
from leaderboard import __version__
from leaderboard.models import Artifact, Evaluation, TaskResult

_GRADED = (
    *("completed", "reason", "first_build_ok", "final_build_ok"),
    *("f_points_passed", "f_point_count"),
    *("total_tokens", "agent_milliseconds", "repair_rounds"),
)


class ReportMismatchError(LeaseLostError):
    """A report is not the one that its lease asked for; it changed nothing."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """What is kept of a report, and the digest that binds it."""

    report: Mapping[str, Any]
    digest: str


def binding_of(job: Job) -> Binding:
    """What a report on the present lease of ``job`` has to carry."""
    before = job.attempts.filter(accepted=True).order_by("fence").last()
    given = _given(job, facts=job.facts, before=before.evidence if before else "")
    return Binding(
        job.evaluation_id,
        job.run_id,
        job.task_id,
        job.pk,
        job.stage,
        job.fence,
        given,
    )


def bound(report: StageReport, job: Job, lease: Lease) -> StageReport:
    """``report``, fit to be stored, bound to ``lease`` and signed with its key.

    ``job`` is the row as it was when the stage began.
    """
    outcome = report.outcome
    match outcome:
        case Passed(facts=facts):
            outcome = Passed(storable(facts))
        case ModelOutcome(reason=reason, detail=detail, facts=facts):
            outcome = ModelOutcome(reason, storable(detail), storable(facts))
        case Trouble(reason=reason, detail=detail):
            outcome = Trouble(reason, storable(detail))
    return signed(replace(report, outcome=outcome, binding=binding_of(job)), lease)


def signed(report: StageReport, lease: Lease) -> StageReport:
    """``report``, which has its binding, with the signature of the key of ``lease``."""
    artifacts = {
        name: hashlib.sha256(content).hexdigest()
        for name, _, content in report.artifacts
    }
    content = _content(report, artifacts, worker=lease.owner)
    return replace(report, signature=signatures.sign(lease.key, content))


def check(
    lease: Lease, report: StageReport, stored: Sequence[StoredArtifact]
) -> Evidence:
    """The evidence of a report that fits ``lease``; call inside its transaction.

    Raises :class:`ReportMismatchError` when it belongs to another lease or job, or is
    not what the holder of the lease signed.
    """
    job = Job.objects.select_for_update().get(pk=lease.job_id)
    wanted = binding_of(job)
    fits = report.binding == wanted and (lease.stage, lease.fence) == (
        job.stage,
        job.fence,
    )
    if not fits:
        raise ReportMismatchError(
            f"The report {report.binding} does not belong to {lease}; job {job.pk} "
            f"waits for {wanted}."
        )
    artifacts = {each.name: each.blob.sha256 for each in stored}
    if not _is_signed(job, report, _content(report, artifacts, worker=lease.owner)):
        raise ReportMismatchError(
            f"The report {report.binding} is not signed with the key of {lease}, or "
            "was changed after that."
        )
    kept = {
        "given": wanted.given,
        "stage": wanted.stage,
        "fence": wanted.fence,
        "worker": lease.owner,
        "evaluator": __version__,
        **_outcome(report),
        "artifacts": artifacts,
    }
    return Evidence(kept, signatures.digest(kept))


def _content(
    report: StageReport, artifacts: Mapping[str, str], *, worker: str
) -> dict[str, Any]:
    """All that a signature vouches for."""
    binding = asdict(report.binding) if report.binding else {}
    outcome = _outcome(report)
    return {"binding": binding, "worker": worker, **outcome, "artifacts": artifacts}


def _is_signed(job: Job, report: StageReport, content: Mapping[str, Any]) -> bool:
    """Whether the key of the running attempt of ``job`` signed ``content``."""
    attempt = job.attempts.filter(fence=job.fence).exclude(key_salt="").first()
    if attempt is None:
        return False
    key = signatures.attempt_key(attempt.key_salt, job_id=job.pk, fence=job.fence)
    return signatures.is_signed(key, content, report.signature)


def record(lease: Lease, evidence: Evidence) -> None:
    """Keep the evidence with the attempt that it belongs to."""
    Attempt.objects.filter(job_id=lease.job_id, fence=lease.fence).update(
        report=evidence.report, evidence=evidence.digest
    )


def evaluator_versions(evaluation: Evaluation) -> list[str]:
    """The versions of the evaluator whose reports decided ``evaluation``, sorted."""
    accepted = Attempt.objects.filter(job__evaluation=evaluation, accepted=True)
    found = accepted.order_by().values_list(KT("report__evaluator"), flat=True)
    return sorted(filter(None, found.distinct()))


def faults(job: Job) -> list[str]:
    """Every contradiction between a job, its attempts' evidence and its result."""
    return [*_faults(job), *_faults_of_result(job)]


def _faults(job: Job) -> Iterator[str]:
    facts: dict[str, Any] = {}
    artifacts: dict[str, str] = {}
    before = ""
    for attempt in job.attempts.exclude(evidence=""):
        name = f"job {job.pk}, attempt {attempt.fence} ({attempt.stage})"
        report = attempt.report
        if signatures.digest(report) != attempt.evidence:
            yield f"{name}: the report does not have the digest on record"
        if report.get("given") != _given(
            job, facts=facts, before=before, stage=attempt.stage, fence=attempt.fence
        ):
            yield f"{name}: the stage was given something else than is on record now"
        artifacts |= report.get("artifacts", {})
        if attempt.accepted:
            facts |= report.get("facts", {})
            before = attempt.evidence
    if before and facts != job.facts:
        yield f"job {job.pk}: its facts are not those that were reported"
    listed = dict(
        Artifact.objects.filter(
            run=job.run_id, task=job.task_id, name__in=list(artifacts)
        ).values_list("name", "sha256")
    )
    for name in sorted(artifacts):
        if listed.get(name) != artifacts[name]:
            yield f"job {job.pk}: artifact {name} is not the one that was reported"


def _faults_of_result(job: Job) -> Iterator[str]:
    """Grade the facts again: the published verdict must follow from them."""
    result = TaskResult.objects.filter(run=job.run_id, task=job.task_id).first()
    if job.state != JobState.SCORED:
        if result is not None:
            yield f"job {job.pk}: has a result, but is {job.state}"
        return
    if result is None:
        yield f"job {job.pk}: is scored, but has no result"
        return
    try:
        graded, checks = grade(job)
    except UngradableError as error:
        yield f"job {job.pk}: {error}"
        return
    for name in _GRADED:
        if getattr(graded, name) != getattr(result, name):
            yield (
                f"job {job.pk}: the result has {name} = {getattr(result, name)!r}, "
                f"the facts say {getattr(graded, name)!r}"
            )
    said = {check.f_point_id: check.passed for check in result.checks.all()}
    if said != {check.f_point_id: check.passed for check in checks}:
        yield f"job {job.pk}: the verdicts on its F-points are not those of its facts"


def _given(
    job: Job,
    *,
    facts: Mapping[str, Any],
    before: str,
    stage: str = "",
    fence: int | None = None,
) -> str:
    return signatures.digest(
        {
            "job": job.pk,
            "run": job.run_id,
            "task": job.task_id,
            "agent": job.agent,
            "inputs": job.inputs,
            "facts": facts,
            "before": before,
            "stage": stage or job.stage,
            "fence": job.fence if fence is None else fence,
        }
    )


def _outcome(report: StageReport) -> dict[str, Any]:
    match report.outcome:
        case Passed(facts=facts):
            return {"outcome": "passed", "reason": "", "detail": "", "facts": facts}
        case ModelOutcome(reason=reason, detail=detail, facts=facts):
            return {
                "outcome": "model",
                "reason": reason or "",
                "detail": detail,
                "facts": facts,
            }
        case Trouble(reason=reason, detail=detail):
            return {
                "outcome": "infrastructure",
                "reason": reason,
                "detail": detail,
                "facts": {},
            }
