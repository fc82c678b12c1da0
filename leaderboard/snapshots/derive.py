"""A new version of a snapshot from an earlier one: tasks less, mended, or more."""

from __future__ import annotations

import json
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

from leaderboard.models import EvaluationSnapshot
from leaderboard.snapshots.approvals import CURATION
from leaderboard.snapshots.faults import PackageError, shown
from leaderboard.snapshots.lookup import package_folder
from leaderboard.snapshots.reader import Package, read_package
from leaderboard.trees import TreeError, copy_project


class DerivationError(Exception):
    """A version cannot be made so; the message has every reason."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Changes:
    """``add`` and ``replace`` are folders of tasks, named as their slugs are."""

    version: str
    reason: str
    day: date
    retire: Sequence[str] = ()
    add: Sequence[Path] = ()
    replace: Sequence[Path] = ()


def derive_package(
    snapshot: EvaluationSnapshot, changes: Changes, target: Path
) -> Package:
    """Write the package of a new version to ``target``, and read it once to check it.

    Nothing is imported, and the earlier version stays as it is; nothing is left behind
    when it fails. Raises DerivationError, PackageError, PackageNotHeldError.
    """
    source = package_folder(snapshot)
    _require_sound(snapshot, changes)
    try:
        copy_project(source, target)
    except (TreeError, OSError) as error:
        raise DerivationError(str(error)) from None
    try:
        return _changed(target, snapshot, changes)
    except (TreeError, OSError) as error:
        shutil.rmtree(target)
        raise DerivationError(str(error)) from None
    except PackageError:
        shutil.rmtree(target)
        raise


def _changed(target: Path, snapshot: EvaluationSnapshot, changes: Changes) -> Package:
    """The copy of the earlier package at ``target``, made into the new one."""
    for slug in [*changes.retire, *(each.name for each in changes.replace)]:
        shutil.rmtree(target / "tasks" / slug)
    for folder in [*changes.replace, *changes.add]:
        copy_project(folder, target / "tasks" / folder.name)
    _write_snapshot(target, snapshot, changes)
    _drop_approvals(target, changes)
    return read_package(target)


def _require_sound(snapshot: EvaluationSnapshot, changes: Changes) -> None:
    known = set(snapshot.tasks.values_list("slug", flat=True))
    replaced = [each.name for each in changes.replace]
    added = [each.name for each in changes.add]
    faults = [
        f"{shown(slug)} is not a task of {snapshot}."
        for slug in [*changes.retire, *replaced]
        if slug not in known
    ]
    faults += [
        f"{slug} is a task of {snapshot} already: replace it."
        for slug in added
        if slug in known
    ]
    named = [*changes.retire, *replaced, *added]
    faults += [
        f"{slug} is named twice."
        for slug in sorted(set(named))
        if named.count(slug) > 1
    ]
    if not named:
        faults.append("Nothing changes. Retire, replace or add a task.")
    if changes.version == snapshot.version:
        faults.append(f"{changes.version} is the earlier version. Choose another.")
    if not changes.reason.strip():
        faults.append("Give a reason; it is public.")
    if faults:
        raise DerivationError("\n".join(faults))


def _write_snapshot(
    target: Path, snapshot: EvaluationSnapshot, changes: Changes
) -> None:
    path = target / "snapshot.json"
    facts: dict[str, Any] = json.loads(path.read_text("utf-8"))
    facts["version"] = changes.version
    facts["task_snapshot_date"] = changes.day.isoformat()
    facts["evaluation_scripts"] = changes.version
    facts["derived_from"] = {
        "version": snapshot.version,
        "reason": changes.reason.strip(),
        "added": sorted(each.name for each in changes.add),
        "changed": sorted(each.name for each in changes.replace),
        "retired": sorted(changes.retire),
    }
    path.write_text(json.dumps(facts, indent=2, ensure_ascii=False) + "\n", "utf-8")


def _drop_approvals(target: Path, changes: Changes) -> None:
    """Leave out approvals of tasks that are gone or not what was approved."""
    path = target / CURATION
    if not path.exists():
        return
    curation: dict[str, Any] = json.loads(path.read_text("utf-8"))
    gone = {*changes.retire, *(each.name for each in changes.replace)}
    kept = [each for each in curation["approvals"] if each["task"] not in gone]
    if not kept:
        path.unlink()
        return
    curation["approvals"] = kept
    path.write_text(json.dumps(curation, indent=2, ensure_ascii=False) + "\n", "utf-8")
