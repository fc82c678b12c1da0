"""The demo snapshot and its sample bundles, whole or cut down to a few of the tasks.

Tests that run every task run with the real Hypium, or count each job, take three of
the twelve tasks: one of each source, with every kind of outcome in the samples.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Collection
from pathlib import Path
from typing import Any

FIXTURES = Path(__file__).resolve().parents[1] / "fixtures"
DEMO = FIXTURES / "snapshots" / "demo"
BUNDLES = FIXTURES / "bundles"
FEW = ("chat-input-bar", "gallery-text-entry", "penkit-crash")


def demo_package(folder: Path, tasks: Collection[str] = FEW, **facts: Any) -> Path:
    """A package of some of the demo's tasks in ``folder``, with their approvals.

    It has the demo's version, so that sample bundles fit, and digests of its own.
    ``facts`` take the place of those in snapshot.json.
    """
    for slug in tasks:
        shutil.copytree(DEMO / "tasks" / slug, folder / "tasks" / slug)
    described = json.loads((DEMO / "snapshot.json").read_text("utf-8"))
    (folder / "snapshot.json").write_text(json.dumps({**described, **facts}), "utf-8")
    curation = json.loads((DEMO / "curation.json").read_text("utf-8"))
    curation["approvals"] = [
        each for each in curation["approvals"] if each["task"] in tasks
    ]
    (folder / "curation.json").write_text(json.dumps(curation), "utf-8")
    return folder


def sample_bundle(name: str, folder: Path, tasks: Collection[str] = FEW) -> Path:
    """The sample bundle ``name`` in ``folder``, with the runs of ``tasks`` only."""
    folder.mkdir(parents=True)
    shutil.copy(BUNDLES / name / "manifest.json", folder)
    for run in (1, 2, 3):
        for slug in tasks:
            inside = Path("runs", str(run), slug)
            shutil.copytree(BUNDLES / name / inside, folder / inside)
    return folder


def expected_units(
    name: str, tasks: Collection[str] = FEW
) -> dict[tuple[int, str], dict[str, Any]]:
    """What an evaluation has to find for the task runs of a sample, by run and task."""
    document = json.loads((BUNDLES / f"{name}.expected.json").read_text("utf-8"))
    return {
        (each["run"], each["task"]): each
        for each in document["units"]
        if each["task"] in tasks
    }
