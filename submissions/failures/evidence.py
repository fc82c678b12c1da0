"""What is stored of the failed task runs of one run, as the rules take it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path

from django.db.models import Prefetch

from evaluator.models import AttemptOutcome, Job
from leaderboard.blobs import BlobMissingError, open_blob, read_blob
from leaderboard.failures.facts import (
    Build,
    BuildError,
    FailedPoint,
    OwnTrouble,
    Patch,
    Reference,
    TaskRunFacts,
    Trajectory,
)
from leaderboard.models import (
    COUNTS,
    Artifact,
    CheckResult,
    Evaluation,
    Run,
    Task,
    TaskResult,
)
from leaderboard.patch_counts import PatchFormatError, count_patch
from leaderboard.plain_text import visible
from leaderboard.presenters.compiler import stored_messages
from leaderboard.snapshots import PackageNotHeldError, task_folder
from submissions.failures.trajectory import trajectory_facts
from submissions.integrity.briefs import name_in_bundle
from submissions.integrity.looking import TRAJECTORIES

Files = dict[str, Artifact]
_DIAGNOSTICS = "build_final.diagnostics.json"
_LOG = "build_final.log"
_NEW_FILE = "\nnew file mode "


def facts_of(run: Run) -> Iterator[tuple[TaskResult, TaskRunFacts]]:
    """Each failed task run of ``run`` with its facts.

    A fixed number of queries; the files are read one task run after the other.
    """
    failed = CheckResult.objects.filter(passed=False).select_related("f_point")
    results = (
        run.results.exclude(COUNTS)
        .select_related("task__snapshot", "overruling")
        .prefetch_related(Prefetch("checks", queryset=failed, to_attr="failed_checks"))
    )
    files: dict[int, Files] = defaultdict(dict)
    for artifact in Artifact.objects.kept().filter(run=run).order_by("pk"):
        files[artifact.task_id][artifact.name] = artifact
    jobs = {
        job.task_id: job
        for job in Job.objects.filter(run=run).prefetch_related("attempts")
    }
    for result in results:
        held = files[result.task_id]
        yield (
            result,
            _facts(result, held, job=jobs.get(result.task_id), of=run.evaluation),
        )


def _facts(
    result: TaskResult, files: Files, *, job: Job | None, of: Evaluation
) -> TaskRunFacts:
    submitted = {
        name: artifact
        for artifact in files.values()
        if (name := name_in_bundle(artifact.name, run_here=of.run_here))
    }
    failed_checks: list[CheckResult] = result.failed_checks  # type: ignore[attr-defined]  # prefetched
    return TaskRunFacts(
        reason=result.reason,
        built=result.final_build_ok,
        passed=result.f_points_passed,
        checked=result.f_point_count,
        stage=job.stage if job else "",
        failed_points=[
            FailedPoint(
                each.f_point.f_point,
                each.f_point.dimension,
                visible(each.message[:500]),
            )
            for each in failed_checks
        ],
        overruled_because=result.overruling.reason if result.is_overruled else None,
        build=_build(files),
        patch=_patch(submitted.get("final.patch")),
        reference=_reference(result.task),
        trajectory=_trajectory(submitted),
        trouble=_trouble(job),
    )


def _build(files: Files) -> Build | None:
    told = files.get(_DIAGNOSTICS)
    if told is None:
        return None
    log = files.get(_LOG)
    errors = [
        BuildError(
            text=visible(str(each.get("message") or "")[:500]),
            place=_place(each),
            log_line=_line(each.get("log_line")) if log else None,
        )
        for each in stored_messages(told)
        if each.get("severity") != "warning"
    ]
    return Build(errors, log.name if log else "")


def _place(message: dict[str, object]) -> str:
    file = visible(str(message.get("file") or "")[:200])
    line = _line(message.get("line"))
    return f"{file}:{line}" if file and line else file


def _line(value: object) -> int | None:
    return value if type(value) is int and value > 0 else None


def _patch(artifact: Artifact | None) -> Patch | None:
    if artifact is None:
        return None
    try:
        text = read_blob(artifact.sha256).decode("utf-8", "replace")
        paths = count_patch(text).paths if text.strip() else ()
    except (BlobMissingError, PatchFormatError):
        return None
    return Patch(artifact.name, [visible(path) for path in paths])


def _reference(task: Task) -> Reference | None:
    try:
        path = task_folder(task) / "reference.patch"
    except PackageNotHeldError:
        return None
    return _read_reference(path, task.digest)


@lru_cache(maxsize=512)
def _read_reference(path: Path, digest: str) -> Reference | None:
    """The same for all runs; ``digest`` tells one state of the task from another."""
    try:
        text = path.read_bytes().decode("utf-8", "replace")
        return Reference(count_patch(text).paths, adds=_NEW_FILE in text)
    except (OSError, PatchFormatError):
        return None


def _trajectory(submitted: Files) -> Trajectory | None:
    for name in TRAJECTORIES:
        if name in submitted:
            artifact = submitted[name]
            try:
                with open_blob(artifact.sha256) as stream:
                    return trajectory_facts(stream, artifact=artifact.name)
            except BlobMissingError:
                return None
    return None


def _trouble(job: Job | None) -> OwnTrouble | None:
    """Trouble of ours in the stage that decided, before it was decided.

    The pipeline tries again until it is sure, so this proves nothing; it is where a
    person looks first.
    """
    if job is None:
        return None
    lost = {AttemptOutcome.INFRASTRUCTURE, AttemptOutcome.LOST}
    before = [
        each
        for each in job.attempts.all()
        if each.stage == job.stage and each.outcome in lost
    ]
    if not before:
        return None
    last = before[-1]
    return OwnTrouble(len(before), visible(f"{last.reason}: {last.detail}"[:300]))
