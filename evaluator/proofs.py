"""Proofs of tasks, read from the scored evaluations of the baselines."""

from __future__ import annotations

from collections.abc import Iterable

from evaluator.models import AgentKind, Attempt, Job
from leaderboard.curation.words import (
    DOES_NOT_BUILD,
    FAILS,
    PASSES_ALREADY,
    PASSES_WRONGLY,
    REGRESSION_FAILS,
    kept,
)
from leaderboard.models import (
    CheckResult,
    Evaluation,
    ProofKind,
    Provenance,
    TaskProof,
    TaskResult,
)

KINDS = {
    AgentKind.NOOP: ProofKind.BASE,
    AgentKind.REFERENCE: ProofKind.REFERENCE,
    AgentKind.WRONG: ProofKind.WRONG,
}


def record_proofs(evaluation: Evaluation) -> None:
    """Write what each task run of a baseline proves. Safe to repeat."""
    if evaluation.provenance != Provenance.BASELINE:
        return
    jobs = {
        (job.run_id, job.task_id): job
        for job in Job.objects.filter(evaluation=evaluation, agent__in=KINDS)
    }
    evidence = _evidence(jobs.values())
    results = (
        TaskResult.objects.filter(run__evaluation=evaluation, proof=None)
        .select_related("run", "task")
        .prefetch_related("checks__f_point")
    )
    TaskProof.objects.bulk_create(
        [
            _proof(result, KINDS[AgentKind(job.agent)], evidence.get(job.pk, ""))
            for result in results
            if (job := jobs.get((result.run_id, result.task_id))) is not None
            and _was_tried(result, job)
        ],
        ignore_conflicts=True,
    )


def _was_tried(result: TaskResult, job: Job) -> bool:
    """Not where a task has fewer wrong patches than this run asks for."""
    if job.agent != AgentKind.WRONG:
        return True
    return result.run.number <= len(result.task.wrong_patches)


def _evidence(jobs: Iterable[Job]) -> dict[int, str]:
    """The digest of the last accepted report of each job, which binds those before."""
    accepted = Attempt.objects.filter(job__in=list(jobs), accepted=True)
    rows = accepted.order_by("fence").values_list("job", "evidence")
    return dict(rows.iterator())


def _proof(result: TaskResult, kind: ProofKind, evidence: str) -> TaskProof:
    checks = list(result.checks.all())
    faults = {
        ProofKind.BASE: _base_faults,
        ProofKind.REFERENCE: _reference_faults,
        ProofKind.WRONG: _wrong_patch_faults,
    }
    found = faults[kind](result, checks)
    return TaskProof(
        task=result.task,
        digest=result.task.digest,
        kind=kind,
        result=result,
        run_number=result.run.number,
        holds=not found,
        verdicts={check.f_point.f_point: check.passed for check in checks},
        found=kept(found),
        evidence=evidence,
    )


def _base_faults(result: TaskResult, checks: list[CheckResult]) -> list[str]:
    """A base that does not build proves nothing: no check was tried on it."""
    if not result.final_build_ok:
        return [_not_built(result)]
    return [
        PASSES_ALREADY(point=each.f_point.f_point)
        if each.passed
        else REGRESSION_FAILS(point=each.f_point.f_point)
        for each in checks
        if each.passed != each.f_point.is_regression
    ]


def _wrong_patch_faults(result: TaskResult, checks: list[CheckResult]) -> list[str]:
    """A patch that does not build proves nothing: any compiler finds that out."""
    patch = result.task.wrong_patches[result.run.number - 1]
    if not result.final_build_ok:
        return [_not_built(result)]
    return [
        PASSES_WRONGLY(point=each.f_point.f_point, patch=patch["patch"])
        for each in checks
        if each.passed and each.f_point.f_point in patch["f_points"]
    ]


def _reference_faults(result: TaskResult, checks: list[CheckResult]) -> list[str]:
    if not result.final_build_ok:
        return [_not_built(result)]
    return [
        FAILS(point=each.f_point.f_point, message=each.message[:200] or result.reason)
        for each in checks
        if not each.passed
    ]


def _not_built(result: TaskResult) -> str:
    return DOES_NOT_BUILD(reason=result.reason, detail=result.detail[:200])
