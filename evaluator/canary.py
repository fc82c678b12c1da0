"""Canaries: a task whose answer is known tells whether a paused pool is well again."""

from __future__ import annotations

import logging
import shutil
import threading
import time
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import mkdtemp

from django.conf import settings

from evaluator import breaker
from evaluator.capability import toolchain_for
from evaluator.errors import NotPossibleError
from evaluator.models import AgentKind, Attempt, Job, Stage
from evaluator.pipeline.control import Control, build_reference, prove_device
from evaluator.pipeline.work import StageWork
from evaluator.pipeline.workspace import prepare
from evaluator.stages import control_time, pool_of
from leaderboard.models import Task

logger = logging.getLogger(__name__)


def send_due(pools: Collection[str], *, stop: threading.Event) -> str | None:
    """Send a canary to a paused pool of ``pools`` that is due for one.

    Returns the pool, whatever came of it; a pool whose canary passed is resumed.
    """
    pool = breaker.take_canary(pools)
    if pool is None:
        return None
    found = send(pool, stop=stop)
    if found.well:
        _resume(pool, found)
    return pool


def send(pool: str, *, stop: threading.Event) -> Control:
    """Do the work of ``pool`` with a known answer, on this worker. Changes no state."""
    task = _task_for(pool)
    if task is None:
        return Control(well=False, detail="no task is known that this pool works on")
    try:
        with _work(task, stop) as work:
            found = _prove(work, pool)
    except Exception as error:
        logger.exception("canary in pool %s", pool)
        found = Control(well=False, detail=f"{type(error).__name__}: {error}")
    logger.warning("canary in pool %s, task %s: %s", pool, task.slug, found.detail)
    return found


def _prove(work: StageWork, pool: str) -> Control:
    profile = work.task.snapshot.device_profile
    if pool == pool_of(Stage.CHECKS, profile):
        folder = work.folder / "device"
        folder.mkdir()
        with work.toolchain.devices.lease(scratch=folder) as device:
            return prove_device(work, device)
    if pool == pool_of(Stage.BUILD_FINAL, profile):
        return build_reference(work)
    patch = (work.package / "reference.patch").read_bytes()
    _, gate = prepare(work, patch)
    if gate.fail_reason is not None:
        return Control(well=False, detail=f"gate: {gate.fail_reason}")
    return Control(well=True, detail="the reference passed the gate")


def _resume(pool: str, found: Control) -> None:
    try:
        breaker.resume(pool, reason=f"canary: {found.detail}")
    except NotPossibleError as error:
        # A person was quicker.
        logger.info("%s", error)


def _task_for(pool: str) -> Task | None:
    """The task that last met trouble in ``pool``, else any that was worked on there."""
    attempts = Attempt.objects.filter(pool=pool, ended_at__isnull=False)
    for found in (attempts.exclude(reason=""), attempts):
        last = (
            found.order_by("-ended_at")
            .select_related("job__task__snapshot__benchmark")
            .first()
        )
        if last is not None:
            return last.job.task
    return None


@contextmanager
def _work(task: Task, stop: threading.Event) -> Iterator[StageWork]:
    settings.WORK_DIR.mkdir(parents=True, exist_ok=True)
    folder = Path(mkdtemp(prefix="canary-", dir=settings.WORK_DIR))
    spare = control_time(Stage.CHECKS, f_point_count=task.f_points.count())
    end = time.monotonic() + spare.total_seconds()
    try:
        yield StageWork(
            job=Job(task=task, agent=AgentKind.REFERENCE),
            folder=folder,
            toolchain=toolchain_for(task.snapshot, stop=stop),
            deadline=end,
            control_deadline=end,
            stop=stop,
        )
    finally:
        shutil.rmtree(folder, ignore_errors=True)
