"""The labelled cases of ``tests/fixtures/integrity``, all of one made-up task."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from submissions.integrity.labelled import brief_of_folder, trajectory_bytes
from submissions.integrity.leaks import hidden_shingles

__all__ = ["BRIEF", "CASES", "FOLDER", "HIDDEN", "read_case", "trajectory_bytes"]

FOLDER = Path(__file__).parents[2] / "fixtures" / "integrity"
CASES = sorted((FOLDER / "cases").glob("*.json"))
BRIEF = brief_of_folder(
    FOLDER / "task",
    slug="count-open-notes",
    title="Count the open notes above the list",
    repository="synthetic-owner/notes",
    methods=frozenset({"test_headline_counts_the_open_notes"}),
    scripts=frozenset({"synthetic_open_count.py"}),
    hosts=("bench.example.org",),
)
HIDDEN = hidden_shingles(BRIEF)


def read_case(path: Path) -> dict[str, Any]:
    case: dict[str, Any] = json.loads(path.read_text("utf-8"))
    return case
