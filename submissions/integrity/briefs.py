"""Briefs of tasks and task runs out of the database, the packages and the storage."""

from __future__ import annotations

from urllib.parse import urlsplit

from django.conf import settings

from leaderboard.blobs import read_blob
from leaderboard.models import Artifact, Task
from leaderboard.snapshots import PackageNotHeldError, base_folder, task_folder
from submissions.formats.usage import UsageError, parse_usage
from submissions.integrity.brief import RunBrief, TaskBrief
from submissions.integrity.packages import check_texts, text_files

Files = dict[str, Artifact]

SUBMITTED = "submitted/"
# What stands for the files of a bundle where the agent was run here.
_RUN_HERE = {
    "agent/trajectory.jsonl": "trajectory.jsonl",
    "first.patch": "first.patch",
    "final.patch": "final.patch",
}


def name_in_bundle(name: str, *, run_here: bool) -> str:
    """What an artifact is called in a bundle; empty for one that none holds."""
    if run_here:
        return _RUN_HERE.get(name, "")
    return name.removeprefix(SUBMITTED) if name.startswith(SUBMITTED) else ""


def brief_of(task: Task) -> TaskBrief:
    """What is known of a task; without its package what the catalogue tells."""
    points = list(task.f_points.all())
    base: dict[str, str] = {}
    base_paths: frozenset[str] = frozenset()
    checks: tuple[str, ...] = ()
    reference = ""
    try:
        folder = task_folder(task)
    except PackageNotHeldError:
        pass
    else:
        base, base_paths = text_files(base_folder(task))
        checks = check_texts(folder / "checks")
        reference = (folder / "reference.patch").read_text("utf-8", "replace")
    return TaskBrief(
        slug=task.slug,
        title=task.title,
        statement=task.statement,
        repository=task.repository,
        build_paths=frozenset(task.build_paths),
        base=base,
        base_paths=base_paths,
        reference=reference,
        checks=checks,
        methods=frozenset(point.method for point in points),
        scripts=frozenset(f"{point.case}.py" for point in points),
        repair_limit=task.snapshot.repair_limit,
        hosts=(urlsplit(settings.PUBLIC_URL).hostname or "",),
    )


def run_brief(files: Files, *, first_build_ok: bool | None) -> RunBrief:
    """What was submitted for one task run; ``files`` by their name in the bundle."""
    usage = files.get("usage.json")
    return RunBrief(
        final_patch=_text(files.get("final.patch")) or "",
        first_patch=_text(files.get("first.patch")),
        total_tokens=_total_tokens(usage) if usage else None,
        first_build_ok=first_build_ok,
    )


def _text(artifact: Artifact | None) -> str | None:
    if artifact is None:
        return None
    return read_blob(artifact.sha256).decode("utf-8", "replace")


def _total_tokens(artifact: Artifact) -> int | None:
    """Checked on the way in; a rule that became stricter since is no trouble here."""
    try:
        data = read_blob(artifact.sha256)
        return parse_usage(data, where=artifact.name, repair_limit=None).total_tokens
    except UsageError:
        return None
