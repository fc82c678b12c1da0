"""The labelled cases of ``tests/fixtures/integrity``, all of one made-up task."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

from submissions.integrity.brief import RunBrief, TaskBrief
from submissions.integrity.leaks import hidden_shingles
from submissions.integrity.packages import check_texts, text_files
from submissions.integrity.patches import patch_sightings
from submissions.integrity.trajectory import first_of_each, look_through

FOLDER = Path(__file__).parents[2] / "fixtures" / "integrity"
CASES = sorted((FOLDER / "cases").glob("*.json"))
_BASE, _PATHS = text_files(FOLDER / "task" / "base")
BRIEF = TaskBrief(
    slug="count-open-notes",
    title="Count the open notes above the list",
    statement=(FOLDER / "task" / "statement.md").read_text(),
    repository="synthetic-owner/notes",
    base=_BASE,
    base_paths=_PATHS,
    reference=(FOLDER / "task" / "reference.patch").read_text(),
    checks=check_texts(FOLDER / "task" / "checks"),
    methods=frozenset({"test_headline_counts_the_open_notes"}),
    scripts=frozenset({"synthetic_open_count.py"}),
    hosts=("bench.example.org",),
)
HIDDEN = hidden_shingles(BRIEF)


def read_case(path: Path) -> dict[str, Any]:
    case: dict[str, Any] = json.loads(path.read_text("utf-8"))
    return case


def trajectory_bytes(case: dict[str, Any]) -> bytes:
    """The trajectory as its file would hold it."""
    steps = case["trajectory"]
    if case["file"].endswith(".jsonl"):
        return b"".join(json.dumps(each).encode() + b"\n" for each in steps)
    return json.dumps(steps, indent=1).encode()


def codes_of(case: dict[str, Any], *, brief: TaskBrief = BRIEF) -> set[str]:
    """Every code that the rules of one task run give."""
    final = "\n".join(case["final_patch"])
    first = case.get("first_patch")
    run = RunBrief(
        final_patch=final,
        first_patch=None if first is None else "\n".join(first),
        total_tokens=(case["usage"] or {}).get("total_tokens"),
        first_build_ok=case["first_build_ok"],
    )
    counted = look_through(
        io.BytesIO(trajectory_bytes(case)),
        lines=case["file"].endswith(".jsonl"),
        brief=brief,
        run=run,
        hidden=hidden_shingles(brief),
    )
    counted += first_of_each(patch_sightings(final, brief))
    return {str(each.sighting.code) for each in counted}
