"""Proofs of tasks as the evaluator would write them."""

from __future__ import annotations

from collections.abc import Sequence

from leaderboard.models import ProofKind, Provenance, Task, TaskProof
from tests.factories import EvaluationFactory, RunFactory, TaskResultFactory


def prove(task: Task, kind: ProofKind, *, passes: Sequence[bool]) -> None:
    """One run of ``kind`` for each of ``passes``: whether it passes every F-point."""
    evaluation = EvaluationFactory(
        snapshot=task.snapshot, provenance=Provenance.BASELINE
    )
    wanted = kind == ProofKind.REFERENCE
    for number, passed in enumerate(passes, start=1):
        run = RunFactory(evaluation=evaluation, number=number)
        verb = "fails" if wanted else "passes already"
        TaskProof.objects.create(
            task=task,
            digest=task.digest,
            kind=kind,
            result=TaskResultFactory(run=run, task=task),
            run_number=number,
            holds=passed is wanted,
            verdicts={"FP-1": passed},
            found="" if passed is wanted else f"FP-1 {verb}",
        )
