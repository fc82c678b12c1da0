"""A worker's loop: claim a job, run its stage under a heartbeat, report, go on."""

from __future__ import annotations

import errno
import logging
import os
import socket
import threading
import time
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from tempfile import mkdtemp

from django.conf import settings
from django.utils import timezone

from evaluator import closing, evidence, queue, serving
from evaluator.capability import sandbox_isolates, toolchain_for
from evaluator.heartbeat import (
    DATABASE_AWAY,
    heartbeat,
    until_the_database_answers,
)
from evaluator.models import Job, Stage
from evaluator.offers import own_offers
from evaluator.patches import GateError
from evaluator.pipeline import agent, build, checks, diff
from evaluator.pipeline.work import StageReport, StageTroubleError, StageWork
from evaluator.queue import Lease, LeaseLostError
from evaluator.sandbox import SandboxError, SandboxUnavailableError
from evaluator.stages import control_time
from evaluator.toolchains.base import DeviceUnavailableError
from evaluator.toolchains.registry import ToolchainMissingError
from evaluator.verdicts import InfraReason, Trouble
from evaluator.workspaces import WorkspaceError, remove_tree
from leaderboard.blobs import BlobMissingError
from leaderboard.models import Evaluation
from leaderboard.snapshots import PackageNotHeldError

logger = logging.getLogger(__name__)

HANDLERS: dict[Stage, Callable[[StageWork], StageReport]] = {
    Stage.AGENT: agent.run,
    Stage.DIFF: diff.run,
    Stage.BUILD_FIRST: build.run_first,
    Stage.REPAIR: build.run_repair,
    Stage.BUILD_FINAL: build.run_final,
    Stage.CHECKS: checks.run,
}
# Exceptions that say what is wrong on our side; all others are logged in full.
OUR_TROUBLE: dict[type[Exception], InfraReason] = {
    BlobMissingError: InfraReason.STORAGE,
    DeviceUnavailableError: InfraReason.DEVICE_LOST,
    GateError: InfraReason.WORKSPACE,
    PackageNotHeldError: InfraReason.WORKSPACE,
    SandboxError: InfraReason.SANDBOX,
    SandboxUnavailableError: InfraReason.SANDBOX,
    WorkspaceError: InfraReason.WORKSPACE,
}

# Set when this process was told to stop: stages end early and leases are given back.
draining = threading.Event()
# How many more jobs this process may take up; None where somebody else sees to it.
_slots: threading.BoundedSemaphore | None = None


def worker_name() -> str:
    """A name that no other living worker process has."""
    return f"{socket.gethostname()}:{os.getpid()}"


def open_slots(count: int) -> None:
    """Let this process work on ``count`` jobs at the same time, whoever wakes it."""
    global _slots
    _slots = threading.BoundedSemaphore(count)


@contextmanager
def free_slot() -> Iterator[bool]:
    """Take a slot if one is free; False, and nothing taken, if none is."""
    slots = _slots
    taken = slots is None or slots.acquire(blocking=False)
    try:
        yield taken
    finally:
        if taken and slots is not None:
            slots.release()


def work_on(job_id: int, *, ring: bool = True) -> None:
    """Take one job through its stages, as far as this worker's pools reach.

    Then take further jobs while there are any: a worker that is busy needs no hints.
    """
    with free_slot() as free:
        if free:
            _work_through(_claim(job_id), ring=ring)


def work_unasked() -> None:
    """Work on whatever this worker may claim, without any hint."""
    with free_slot() as free:
        if free:
            _work_through(_claim_next(), ring=True)


def _work_through(lease: Lease | None, *, ring: bool) -> None:
    while lease is not None:
        if draining.is_set():
            queue.give_back(lease)
            return
        job = work(lease, ring=ring)
        if draining.is_set():
            return
        lease = _claim(job.pk) if job is not None else None
        lease = lease or _claim_next()


def work_on_evaluation(evaluation: Evaluation) -> bool:
    """Run one stage of ``evaluation``; False when there was nothing to claim."""
    lease = _claim_next(evaluation)
    if lease is None:
        return False
    work(lease, ring=False)
    return True


def _claim(job_id: int) -> Lease | None:
    return queue.claim(
        job_id,
        owner=_owner(),
        pools=_pools(),
        isolated=sandbox_isolates(),
        leave=serving.builds_to_leave(_owner()),
        offers=_offers(),
    )


def _claim_next(evaluation: Evaluation | None = None) -> Lease | None:
    return queue.claim_next(
        owner=_owner(),
        pools=_pools(),
        isolated=sandbox_isolates(),
        leave=serving.builds_to_leave(_owner()),
        offers=_offers(),
        evaluation=evaluation,
    )


def _owner() -> str:
    return worker_name()


def _pools() -> Collection[str]:
    pools: list[str] = settings.OHB_WORKER_POOLS
    return pools


def _offers() -> Collection[str]:
    return [str(offer) for offer in own_offers()]


def work(lease: Lease, *, ring: bool = True) -> Job | None:
    """Run the stage of one lease and report its end; None when the lease was lost."""
    stop = threading.Event()
    with heartbeat(lease, stop=stop, draining=draining):
        try:
            report = _run_stage(lease, stop)
        except DATABASE_AWAY as error:
            logger.warning("job %s: the stage could not begin: %s", lease.job_id, error)
            _give_back(lease)
            return None
        if draining.is_set() and isinstance(report.outcome, Trouble):
            _give_back(lease)
            return None
        return _report(lease, report, ring=ring)


def _give_back(lease: Lease) -> None:
    until_the_database_answers(lease, lambda: queue.give_back(lease))


def _run_stage(lease: Lease, stop: threading.Event) -> StageReport:
    """Run the handler; what goes wrong on our side is an infrastructure outcome."""
    job = Job.objects.select_related("task__snapshot__benchmark").get(pk=lease.job_id)
    return evidence.bound(_run_handler(lease, job, stop), job, lease)


def _run_handler(lease: Lease, job: Job, stop: threading.Event) -> StageReport:
    control = control_time(lease.stage, f_point_count=job.task.f_points.count())
    end = time.monotonic() + (lease.deadline - timezone.now()).total_seconds()
    try:
        with _scratch_folder(lease) as folder:
            work = StageWork(
                job=job,
                folder=folder,
                toolchain=toolchain_for(job.task.snapshot, stop=stop),
                deadline=end - control.total_seconds(),
                control_deadline=end,
                stop=stop,
            )
            return HANDLERS[lease.stage](work)
    except (StageTroubleError, ToolchainMissingError) as error:
        return StageReport(error.trouble)
    except tuple(OUR_TROUBLE) as error:
        reason = next(
            reason for kind, reason in OUR_TROUBLE.items() if isinstance(error, kind)
        )
        return StageReport(Trouble(reason, str(error)))
    except Exception as error:  # noqa: BLE001 - a fault of ours must never score a task run
        return _unexpected(lease, error)


def _unexpected(lease: Lease, error: Exception) -> StageReport:
    logger.exception("job %s: stage %s broke", lease.job_id, lease.stage)
    full = isinstance(error, OSError) and error.errno in {errno.ENOSPC, errno.EDQUOT}
    reason = InfraReason.DISK_FULL if full else InfraReason.INTERNAL
    return StageReport(Trouble(reason, f"{type(error).__name__}: {error}"))


def _report(lease: Lease, report: StageReport, *, ring: bool) -> Job | None:
    """Report until the database takes it; with the same fence nothing counts twice."""
    try:
        return _close_stage(lease, report, ring=ring)
    except LeaseLostError as error:
        logger.warning("%s", error)
        return None
    except Exception as error:  # noqa: BLE001 - the same report would break again
        plain = replace(_unexpected(lease, error), binding=report.binding)
        plain = evidence.signed(plain, lease)
    try:
        return _close_stage(lease, plain, ring=ring)
    except Exception:
        logger.exception("job %s: nothing can be reported", lease.job_id)
        return None


def _close_stage(lease: Lease, report: StageReport, *, ring: bool) -> Job | None:
    return until_the_database_answers(
        lease, lambda: closing.close_stage(lease, report, ring=ring)
    )


@contextmanager
def _scratch_folder(lease: Lease) -> Iterator[Path]:
    """An empty folder with a short ASCII path, gone afterwards."""
    settings.WORK_DIR.mkdir(parents=True, exist_ok=True)
    folder = Path(mkdtemp(prefix=f"j{lease.job_id}-", dir=settings.WORK_DIR))
    try:
        yield folder
    finally:
        try:
            remove_tree(folder)
        except OSError as error:
            logger.warning("%s was not removed: %s", folder, error)
