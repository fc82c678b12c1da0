"""Grading: the facts of the stages become a result. Pure but for the rows it makes."""

from __future__ import annotations

from evaluator.models import Job
from leaderboard.models import CheckResult, TaskResult


class UngradableError(Exception):
    """The facts of a scored job contradict each other; nothing is recorded."""


def grade(job: Job) -> tuple[TaskResult, list[CheckResult]]:
    """The result of a scored job, not saved yet.

    Every F-point of the task has exactly one verdict; what was never reached is failed.
    Completed means built and every required F-point passed, whatever the last stage
    claimed. The counts of a result are over these; other verdicts stand beside them.
    """
    points = list(job.task.f_points.all())
    verdicts = job.facts.get("f_points", {})
    unknown = set(verdicts) - {point.f_point for point in points}
    if unknown:
        raise UngradableError(f"Verdicts on unknown F-points: {sorted(unknown)}.")
    passed = [verdicts.get(point.f_point, {}).get("passed", False) for point in points]
    required = [ok for point, ok in zip(points, passed, strict=True) if point.required]
    built = bool(job.facts.get("final_build_ok"))
    completed = built and bool(required) and all(required)
    if completed == bool(job.reason):
        raise UngradableError(
            f"Job {job.pk} says {job.reason or 'completed'!r}, but {sum(required)} of "
            f"{len(required)} F-points passed and the final build is {built}."
        )
    result = TaskResult(
        run_id=job.run_id,
        task_id=job.task_id,
        completed=completed,
        reason=job.reason,
        detail=job.detail,
        first_build_ok=job.facts.get("first_build_ok"),
        final_build_ok=built,
        repair_rounds=job.facts.get("repair_rounds"),
        total_tokens=job.facts.get("total_tokens"),
        agent_milliseconds=job.facts.get("agent_milliseconds"),
        f_points_passed=sum(required),
        f_point_count=len(required),
        flags=job.facts.get("flags", []),
        worker=job.last_worker,
        device=job.facts.get("device", ""),
    )
    checks = [
        CheckResult(
            f_point=point,
            passed=ok,
            message=verdicts.get(point.f_point, {}).get("message", ""),
            milliseconds=verdicts.get(point.f_point, {}).get("milliseconds"),
        )
        for point, ok in zip(points, passed, strict=True)
    ]
    return result, checks
