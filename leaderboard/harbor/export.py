"""Writes a snapshot as a folder of Harbor tasks."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from leaderboard.harbor.digests import base_commit, task_digest
from leaderboard.harbor.task_toml import dataset_toml, task_toml
from leaderboard.models import EvaluationSnapshot, Task
from leaderboard.snapshots import base_folder, package_folder
from leaderboard.trees import TreeError, copy_project

_FILES = Path(__file__).with_name("files")
_NOT_A_TAG = re.compile(r"[^A-Za-z0-9_.-]")


class HarborExportError(Exception):
    """A snapshot cannot be written for Harbor; the message says what to do."""


@dataclass(frozen=True, slots=True)
class Images:
    """Container images that the tasks begin with; this project ships none.

    ``agent`` has git and whatever the agent builds with; ``verifier`` has this project
    with its tools, and reaches the device.
    """

    agent: str
    verifier: str


def default_images(snapshot: EvaluationSnapshot) -> Images:
    """Names for images that whoever runs the tasks has to build."""
    tag = _NOT_A_TAG.sub("-", snapshot.version)
    slug = snapshot.benchmark.slug
    return Images(f"{slug}/agent:{tag}", f"{slug}/verifier:{tag}")


def export_harbor(
    snapshot: EvaluationSnapshot, folder: Path, *, images: Images
) -> Mapping[str, str]:
    """Write every task of ``snapshot`` below ``folder``; return digests by slug.

    The folder then holds the hidden checks and the reference solutions: who may have
    them is up to the caller. It must not exist or be empty, and nothing of it stays
    when the export fails. Raises ``HarborExportError`` or ``PackageNotHeldError``.
    """
    package = package_folder(snapshot)
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise HarborExportError(
            f"{folder} exists and is not empty. Name a folder that does not exist yet."
        )
    tasks = list(snapshot.tasks.prefetch_related("f_points", "kits"))
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for task in tasks:
            _write_task(task, snapshot, package / "tasks" / task.slug, folder, images)
    except (OSError, TreeError) as error:
        shutil.rmtree(folder, ignore_errors=True)
        raise HarborExportError(
            f"The tasks cannot be written: {error}. Name a folder that does not exist "
            "yet, in one you may write to."
        ) from None
    digests = {task.slug: task_digest(folder / task.slug) for task in tasks}
    named = {_name(snapshot, slug): digest for slug, digest in digests.items()}
    manifest = dataset_toml(
        _name(snapshot, snapshot.version), snapshot.title, dict(sorted(named.items()))
    )
    _write(folder / "dataset.toml", manifest)
    return digests


def _name(snapshot: EvaluationSnapshot, short: str) -> str:
    return f"{snapshot.benchmark.slug}/{short}"


def _write_task(
    task: Task,
    snapshot: EvaluationSnapshot,
    source: Path,
    folder: Path,
    images: Images,
) -> None:
    target = folder / task.slug
    project = base_folder(task)
    base = base_commit(project)
    copy_project(project, target / "environment" / "project")
    copy_project(project, target / "tests" / "task" / "base")
    copy_project(source / "checks", target / "tests" / "task" / "checks")
    _write(target / "instruction.md", (source / "statement.md").read_text("utf-8"))
    toml = task_toml(task, snapshot, name=_name(snapshot, task.slug), base=base)
    _write(target / "task.toml", toml)
    _write(target / "environment" / "Dockerfile", _agent_image(images.agent, base))
    _copy("commit_base.sh", target / "environment")
    _write(target / "tests" / "Dockerfile", _verifier_image(images.verifier))
    _copy("test.sh", target / "tests")
    facts = json.dumps(_verifier_facts(task, snapshot), indent=2, ensure_ascii=False)
    _write(target / "tests" / "task" / "verifier.json", f"{facts}\n")
    (target / "solution").mkdir()
    _copy("solve.sh", target / "solution")
    patch = (source / "reference.patch").read_bytes()
    (target / "solution" / "golden.patch").write_bytes(patch)


def _verifier_facts(task: Task, snapshot: EvaluationSnapshot) -> dict[str, Any]:
    """What the verifier has to know; see evaluator/harbor_verifier.py."""
    return {
        "slug": task.slug,
        "base_digest": task.base_digest,
        "bundle_name": task.bundle_name,
        "build_paths": task.build_paths,
        "simulated": snapshot.device_profile_simulated,
        "f_points": [
            {"id": each.f_point, "case": each.case, "method": each.method}
            | ({} if each.required else {"required": False})
            for each in task.f_points.all()
        ],
    }


def _agent_image(image: str, base: str) -> str:
    return (
        f"FROM {image}\n"
        "WORKDIR /app\n"
        "COPY project /app\n"
        "COPY commit_base.sh /tmp/commit_base.sh\n"
        f"RUN sh /tmp/commit_base.sh /app {base} && rm /tmp/commit_base.sh\n"
    )


def _verifier_image(image: str) -> str:
    return f"FROM {image}\nCOPY . /tests\nWORKDIR /app\n"


def _copy(name: str, folder: Path) -> None:
    copied = folder / name
    shutil.copyfile(_FILES / name, copied)
    copied.chmod(0o755)


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8", newline="\n")
