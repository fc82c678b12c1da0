"""Writes the tasks of a snapshot as a dataset; hidden parts only once released."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from django.conf import settings

from leaderboard.citation.formats import bibtex
from leaderboard.citation.works import benchmark_work
from leaderboard.dataset.fields import PUBLIC, TaskField
from leaderboard.dataset.files import as_jsonl, as_parquet, croissant
from leaderboard.exports import snapshot_as_dict
from leaderboard.models import UNLISTED, EvaluationSnapshot, Task
from leaderboard.release import hidden_parts_are_public
from leaderboard.snapshots import task_folder

_LICENSES = "https://spdx.org/licenses/{}.html"


class DatasetError(Exception):
    """A dataset cannot be written; the message says what to do."""


class Written(NamedTuple):
    """``left_out`` names hidden parts that are not in it."""

    task_count: int
    left_out: Sequence[str]


def export_dataset(snapshot: EvaluationSnapshot, folder: Path) -> Written:
    """Write tasks.jsonl, tasks.parquet, snapshot.json, croissant.json and README.md.

    ``folder`` must not exist or be empty. References are in it where everybody may
    read them, checks where the hidden files were released.
    """
    if snapshot.status in UNLISTED:
        raise DatasetError(
            f"{snapshot} is {snapshot.get_status_display()}, and nothing of it is "
            "public yet."
        )
    tasks = list(snapshot.tasks.prefetch_related("f_points", "kits"))
    if not tasks:
        raise DatasetError(f"The tasks of {snapshot} are not held here.")
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise DatasetError(
            f"{folder} exists and is not empty. Name a folder that does not exist yet."
        )
    hidden, left_out = _hidden(snapshot)
    fields = [*PUBLIC, *hidden]
    rows = [{field.name: field.value(task) for field in fields} for task in tasks]
    data = {
        "tasks.jsonl": as_jsonl(rows),
        "tasks.parquet": as_parquet(rows, fields),
    }
    described = croissant(
        snapshot,
        fields,
        data,
        url=settings.PUBLIC_URL + snapshot.get_absolute_url(),
        license_url=_LICENSES.format(settings.DATA_LICENSE),
        description=_description(snapshot, left_out),
        cite_as=bibtex(benchmark_work(snapshot, home=f"{settings.PUBLIC_URL}/")),
    )
    written = {
        **data,
        "snapshot.json": _json(snapshot_as_dict(snapshot)),
        "croissant.json": _json(described),
        "README.md": _readme(snapshot, fields, left_out).encode(),
    }
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, content in written.items():
            (folder / name).write_bytes(content)
    except OSError as error:
        raise DatasetError(f"The dataset cannot be written: {error}.") from None
    return Written(len(tasks), left_out)


def _hidden(snapshot: EvaluationSnapshot) -> tuple[list[TaskField], list[str]]:
    """Columns with what was hidden and is public now, and what still is hidden."""
    fields, left_out = [], []
    if snapshot.shows_references:
        fields.append(
            TaskField("reference_patch", "text", "one solution, as a patch", _reference)
        )
    else:
        left_out.append("reference patches")
    if hidden_parts_are_public(snapshot):
        fields.append(TaskField("check_names", "texts", "files of checks", _names))
        fields.append(
            TaskField("check_texts", "texts", "their texts, in that order", _texts)
        )
    else:
        left_out.append("checks")
    return fields, left_out


def _reference(task: Task) -> str:
    return (task_folder(task) / "reference.patch").read_text("utf-8")


def _checks(task: Task) -> list[Path]:
    return sorted((task_folder(task) / "checks").iterdir())


def _names(task: Task) -> list[str]:
    return [path.name for path in _checks(task)]


def _texts(task: Task) -> list[str]:
    return [path.read_text("utf-8") for path in _checks(task)]


def _description(snapshot: EvaluationSnapshot, left_out: Sequence[str]) -> str:
    told = (
        f"The tasks of {snapshot}: whether coding agents deliver working OpenHarmony "
        f"apps, as of {snapshot.task_snapshot_date.isoformat()}."
    )
    if left_out:
        told += f" Not in it, since they are hidden: {' and '.join(left_out)}."
    if snapshot.device_profile_simulated:
        told += " Its device profile is a simulated one."
    return told


def _readme(
    snapshot: EvaluationSnapshot,
    fields: Sequence[TaskField],
    left_out: Sequence[str],
) -> str:
    rows = "".join(
        f"| `{each.name}` | {each.kind} | {each.meaning} |\n" for each in fields
    )
    notes = "".join(
        f"- {source}: {note}\n" for source, note in snapshot.contamination.items()
    )
    return (
        f"# {snapshot}\n\n{_description(snapshot, left_out)}\n\n"
        f"License of the data: {settings.DATA_LICENSE}. The digest of the task set is "
        f"`{snapshot.task_set_digest}`, that of the checks `{snapshot.script_digest}`."
        "\n\n`tasks.jsonl` and `tasks.parquet` hold the same rows; `croissant.json` "
        "describes them, `snapshot.json` the conditions of measurement.\n\n"
        f"| field | kind | meaning |\n| --- | --- | --- |\n{rows}"
        + (
            f"\nHow models may have seen the tasks in training:\n\n{notes}"
            if notes
            else ""
        )
    )


def _json(content: dict[str, Any]) -> bytes:
    return (json.dumps(content, indent=2, ensure_ascii=False) + "\n").encode()
