"""What the page needs to look into a bundle before a byte of it is sent."""

from __future__ import annotations

import re
from typing import Any

from django.conf import settings

from submissions.archive import MANIFEST, ArchiveLimits
from submissions.archive.shapes import GRAMMARS, UNIT_FILE
from submissions.comparability import SnapshotFacts
from submissions.manifest import LIMIT_BYTES
from submissions.snapshot_facts import facts_of, open_snapshots


def browser_facts() -> dict[str, Any]:
    """The limits, names and task runs that the server will insist on.

    Regular expressions are JavaScript's and match a whole name.
    """
    limits = ArchiveLimits(upload_bytes=settings.UPLOAD_LIMIT_BYTES)
    return {
        "limits": {
            "upload_bytes": limits.upload_bytes,
            "entries": limits.entries,
            "member_bytes": limits.member_bytes,
            "manifest_bytes": LIMIT_BYTES,
        },
        "manifest": MANIFEST,
        "unit": _script(UNIT_FILE),
        "required": "final.patch",
        # In the order in which they are looked for.
        "shapes": [
            {
                "name": shape.value,
                "reads": _script(grammar.reads),
                "passes": _script(grammar.passes) if grammar.passes else None,
                "folders": _script(grammar.folders),
            }
            for shape, grammar in GRAMMARS.items()
        ],
        "snapshots": [_snapshot(facts_of(each)) for each in open_snapshots()],
    }


def _snapshot(facts: SnapshotFacts) -> dict[str, Any]:
    return {
        "benchmark": facts.benchmark,
        "version": facts.benchmark_version,
        "runs": facts.runs,
        "tasks": facts.task_slugs,
    }


def _script(pattern: re.Pattern[str]) -> str:
    return f"^(?:{pattern.pattern.replace('(?P<', '(?<')})$"
