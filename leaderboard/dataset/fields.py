"""What the dataset tells of a task, and what that means."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Literal, NamedTuple

from leaderboard.models import Task

Kind = Literal["text", "integer", "texts"]


class TaskField(NamedTuple):
    """One column; ``value`` is that of a task."""

    name: str
    kind: Kind
    meaning: str
    value: Callable[[Task], Any]


PUBLIC: Sequence[TaskField] = (
    TaskField("slug", "text", "name of the task", lambda task: task.slug),
    TaskField(
        "source",
        "text",
        "where it is from: new-feature, spec-driven or bug-fix",
        lambda task: task.source,
    ),
    TaskField("title", "text", "title of the task", lambda task: task.title),
    TaskField(
        "statement",
        "text",
        "what the agent is given, in Markdown",
        lambda task: task.statement,
    ),
    TaskField(
        "difficulty", "text", "easy, medium or hard", lambda task: task.difficulty
    ),
    TaskField(
        "repository",
        "text",
        "repository that the base project is from",
        lambda task: task.repository,
    ),
    TaskField(
        "base_commit",
        "text",
        "commit of the base project",
        lambda task: task.base_commit,
    ),
    TaskField(
        "base_digest",
        "text",
        "SHA-256 of the tree of the base project",
        lambda task: task.base_digest,
    ),
    TaskField(
        "bundle_name", "text", "bundle name of the app", lambda task: task.bundle_name
    ),
    TaskField(
        "kits",
        "texts",
        "Kits that the task touches",
        lambda task: sorted(kit.name for kit in task.kits.all()),
    ),
    TaskField(
        "build_paths",
        "texts",
        "build files that a patch may change",
        lambda task: list(task.build_paths),
    ),
    TaskField(
        "f_point_ids",
        "texts",
        "names of the F-points, the executable checks",
        lambda task: [each.f_point for each in task.f_points.all()],
    ),
    TaskField(
        "f_point_scenarios",
        "texts",
        "user path of each F-point, in the order of their names",
        lambda task: [each.scenario for each in task.f_points.all()],
    ),
    TaskField(
        "f_point_descriptions",
        "texts",
        "behavior that each F-point checks, in the same order",
        lambda task: [each.description for each in task.f_points.all()],
    ),
    TaskField(
        "reference_files",
        "integer",
        "files that the reference changes",
        lambda task: task.reference_files,
    ),
    TaskField(
        "reference_lines",
        "integer",
        "lines that the reference adds and deletes",
        lambda task: task.reference_lines,
    ),
)
