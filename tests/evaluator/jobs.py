"""Evaluations with queued jobs, for tests of the queue."""

from __future__ import annotations

from datetime import datetime

from django.utils import timezone

from evaluator import queue
from evaluator.models import AgentKind, Job, Stage
from evaluator.stages import pool_of
from leaderboard.models import Evaluation, Run
from tests.factories import EvaluationFactory, EvaluationSnapshotFactory


def make_jobs(
    *, task_count: int = 1, run_count: int = 1, now: datetime | None = None
) -> Evaluation:
    """An evaluation whose k x N jobs are all queued for their first stage."""
    snapshot = EvaluationSnapshotFactory(task_count=task_count, run_count=run_count)
    evaluation = EvaluationFactory(snapshot=snapshot)
    queue.enqueue(
        [
            Job(
                evaluation=evaluation,
                run=run,
                task=task,
                agent=AgentKind.NOOP,
                trusted=True,
                pool=pool_of(Stage.AGENT, snapshot.device_profile),
                available_at=now or timezone.now(),
            )
            for run in [
                Run.objects.create(evaluation=evaluation, number=number)
                for number in range(1, run_count + 1)
            ]
            for task in snapshot.tasks.all()
        ]
    )
    return evaluation
