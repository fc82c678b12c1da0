"""The worker's own loop over real queue rows, with a toolchain that a test plugs in."""

from __future__ import annotations

import difflib
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management import call_command

from evaluator import queue, services, worker
from evaluator.models import AgentKind, Job, JobState
from evaluator.queue import Lease
from evaluator.services import UnitInput
from evaluator.toolchains.base import Toolchain
from leaderboard.blobs import read_blob, store_blob
from leaderboard.models import Artifact, EvaluationSnapshot, Provenance, Task
from leaderboard.snapshots import snapshot_by_version, task_folder
from tests.demo import demo_package
from tests.factories import ConfigurationFactory

TASK = "chat-input-bar"
PLUGGED: list[Toolchain] = []


def plugged(device_profile_simulated: bool, **_: Any) -> Toolchain:
    """What OHB_TOOLCHAIN names in these tests."""
    return PLUGGED[-1]


def import_demo() -> EvaluationSnapshot:
    """Three tasks of the demo snapshot; what is imported once is found again."""
    with tempfile.TemporaryDirectory() as folder:
        call_command("import_snapshot", demo_package(Path(folder)), verbosity=0)
    return snapshot_by_version("demo")


def patch_of(base: Path, files: Mapping[str, str]) -> bytes:
    """A patch that gives the files of the project at ``base`` their new texts."""
    parts = []
    for name, text in files.items():
        old = (base / name).read_text("utf-8") if (base / name).exists() else None
        parts.append(f"diff --git a/{name} b/{name}\n")
        parts += ["new file mode 100644\n"] if old is None else []
        parts += difflib.unified_diff(
            (old or "").splitlines(keepends=True),
            text.splitlines(keepends=True),
            "/dev/null" if old is None else f"a/{name}",
            f"b/{name}",
        )
    return "".join(parts).encode()


def artifact(job: Job, name: str) -> bytes:
    """The stored bytes of one artifact of a job's task run."""
    row = Artifact.objects.get(run=job.run_id, task=job.task_id, name=name)
    return read_blob(row.sha256)


class Bench:
    """One imported snapshot; jobs of it are started and taken stage by stage."""

    def __init__(self, snapshot: EvaluationSnapshot) -> None:
        self.snapshot = snapshot

    def task(self, slug: str = TASK) -> Task:
        return self.snapshot.tasks.get(slug=slug)

    def package(self, slug: str = TASK) -> Path:
        return task_folder(self.task(slug))

    def start(
        self,
        patch: bytes = b"",
        *,
        slug: str = TASK,
        first: bytes | None = None,
        trusted: bool = False,
    ) -> Job:
        """A queued job of one task that replays ``patch``."""
        final = store_blob(patch).sha256
        evaluation = services.start_evaluation(
            snapshot=self.snapshot,
            configuration=ConfigurationFactory(),
            provenance=Provenance.OFFICIAL,
            run_count=1,
            trusted=trusted,
            comparability_key=self.snapshot.comparability_key,
            agent=AgentKind.REPLAY,
            units=[
                UnitInput(
                    run=1,
                    task_slug=task.slug,
                    first_patch=None if first is None else store_blob(first).sha256,
                    final_patch=final,
                )
                for task in self.snapshot.tasks.all()
            ],
        )
        return evaluation.jobs.get(task__slug=slug)

    def start_changed(self, **options: Any) -> Job:
        """A job whose patch adds a harmless file, so that every stage is reached."""
        path = "entry/src/main/ets/common/Added.ets"
        patch = patch_of(
            self.package() / "base", {path: "export const added = true;\n"}
        )
        return self.start(patch, first=patch, **options)

    def claim(self, job: Job, *, isolated: bool = True) -> Lease | None:
        return queue.claim(
            job.pk,
            owner=worker.worker_name(),
            pools=settings.OHB_WORKER_POOLS,
            isolated=isolated,
        )

    def step(self, job: Job) -> Job:
        """Take the present stage of ``job`` once; its row afterwards."""
        lease = self.claim(job)
        assert lease is not None, f"{job} is not to be had"
        worker.work(lease, ring=False)
        job.refresh_from_db()
        return job

    def step_to(self, job: Job, stage: str) -> Job:
        """Take stages until ``stage`` is the next one."""
        while job.stage != stage:
            before = job.stage
            self.step(job)
            assert job.state == JobState.QUEUED, f"{job}: {job.reason} {job.detail}"
            assert job.stage != before, f"{job}: {job.reason} {job.detail}"
        return job

    def finish(self, job: Job) -> Job:
        """Take stages until ``job`` is not queued any more, whatever the trouble."""
        while job.state == JobState.QUEUED:
            Job.objects.filter(pk=job.pk).update(available_at=job.created_at)
            self.step(job)
        return job
