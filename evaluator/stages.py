"""The order of the stages, their pools and their time limits."""

from __future__ import annotations

from datetime import timedelta

from django.utils.text import slugify

from evaluator.models import Stage

ORDER: tuple[Stage, ...] = tuple(Stage)

_POOL = {
    Stage.AGENT: "agent",
    Stage.DIFF: "agent",
    Stage.BUILD_FIRST: "build",
    Stage.REPAIR: "agent",
    Stage.BUILD_FINAL: "build",
}


# Stages in which the configuration's own agent runs, where it runs here.
WITH_AGENT: tuple[Stage, ...] = (Stage.AGENT, Stage.REPAIR)
_AFTER_AGENT = timedelta(minutes=5)


def next_stage(stage: Stage) -> Stage | None:
    """The stage after ``stage``; None after the last."""
    place = ORDER.index(stage) + 1
    return ORDER[place] if place < len(ORDER) else None


def pool_of(stage: Stage, device_profile: str) -> str:
    """The pool of workers that may lease ``stage``."""
    return _POOL.get(stage) or f"device.{slugify(device_profile)}"


def time_limit(stage: Stage, *, f_point_count: int) -> timedelta:
    """How long the work of ``stage`` may take; what takes longer is ended."""
    limits = {
        Stage.AGENT: timedelta(hours=2),
        Stage.DIFF: timedelta(minutes=3),
        Stage.BUILD_FIRST: timedelta(minutes=15),
        Stage.REPAIR: timedelta(hours=1),
        Stage.BUILD_FINAL: timedelta(minutes=15),
        Stage.CHECKS: timedelta(minutes=3 + 5 * f_point_count),
    }
    return limits[stage]


def control_time(stage: Stage, *, f_point_count: int) -> timedelta:
    """How much longer a lease of ``stage`` lasts, for the control run of a doubt.

    After an agent was ended it is the time for reading its session and its work. Time
    limit and control time together are what no heartbeat passes. The control run of the
    checks may have to build the reference first.
    """
    build = time_limit(Stage.BUILD_FINAL, f_point_count=f_point_count)
    limits = {
        Stage.AGENT: _AFTER_AGENT,
        Stage.REPAIR: _AFTER_AGENT,
        Stage.BUILD_FIRST: build,
        Stage.BUILD_FINAL: build,
        Stage.CHECKS: build + time_limit(Stage.CHECKS, f_point_count=f_point_count),
    }
    return limits.get(stage, timedelta(0))
