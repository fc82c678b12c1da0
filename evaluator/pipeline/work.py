"""What a stage is given and what it answers."""

from __future__ import annotations

import secrets
import threading
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from evaluator.artifacts import NewArtifact
from evaluator.models import Job
from evaluator.queue import StageOutcome
from evaluator.toolchains.base import CheckSuite, ExpectedCheck, Toolchain
from evaluator.verdicts import InfraReason, Trouble
from leaderboard.blobs import read_blob
from leaderboard.models import Task
from leaderboard.snapshots import task_folder


class StageTroubleError(Exception):
    """Our own trouble in a stage, which ends as an infrastructure outcome."""

    def __init__(self, reason: InfraReason, detail: str) -> None:
        self.trouble = Trouble(reason, detail)
        super().__init__(detail)


@dataclass(frozen=True, slots=True)
class StageWork:
    """One lease: the job, an empty scratch folder, the tools and the time left.

    ``deadline`` of the work and ``control_deadline`` of a control run after it are in
    seconds of monotonic time; ``stop`` is set when the lease is lost or the worker has
    to end. ``seed`` is new for every lease, and the same in its control run.
    """

    job: Job
    folder: Path
    toolchain: Toolchain
    deadline: float
    control_deadline: float
    stop: threading.Event
    seed: str = field(default_factory=lambda: secrets.token_hex(16))

    @property
    def task(self) -> Task:
        return self.job.task

    @property
    def package(self) -> Path:
        """The folder of the task in the snapshot's package."""
        return task_folder(self.task)

    def patch(self, which: str) -> bytes | None:
        """The submitted patch ``first_patch`` or ``final_patch``; None if not given."""
        digest = self.job.facts.get(which)
        return None if digest is None else read_blob(digest)

    def suite(self) -> CheckSuite:
        return CheckSuite(
            folder=self.package / "checks",
            bundle_name=self.task.bundle_name,
            expected=tuple(
                ExpectedCheck(
                    point.f_point, point.case, point.method, required=point.required
                )
                for point in self.task.f_points.all()
            ),
            seed=self.seed,
        )


@dataclass(frozen=True, slots=True)
class Binding:
    """Which lease a report belongs to; ``given`` digests what the stage was given."""

    evaluation_id: int
    run_id: int
    task_id: int
    job_id: int
    stage: str
    fence: int
    given: str


@dataclass(frozen=True, slots=True)
class StageReport:
    """How a stage ended.

    The worker adds the ``binding`` and the ``signature`` (evaluator/evidence.py).
    """

    outcome: StageOutcome
    artifacts: Sequence[NewArtifact] = field(default_factory=tuple)
    binding: Binding | None = None
    signature: str = ""
