"""Small task packages on disk, for tests that break them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

CANARY = "0e0c7f5c-94ad-4e8e-8d7a-2f4e1d0b9a31"
SNAPSHOT: dict[str, Any] = {
    "format": 1,
    "benchmark": {
        "slug": "openharmony-bench",
        "name": "OpenHarmony Bench",
        "canary": CANARY,
    },
    "version": "tiny-1.0",
    "title": "Tiny snapshot",
    "task_snapshot_date": "2026-11-01",
    "evaluation_scripts": "tiny-1.0",
    "agent": {"name": "DevEco Code", "version": "0.1.0-1.3"},
    "prompt_template": ["task definition"],
    "run_parameters": {"temperature": 0},
    "sdk": "API 23",
    "toolchain": "Simulated DevEco 6.1",
    "device_profile": {"name": "Simulated phone", "simulated": True},
    "runs": 3,
    "repair_limit": 5,
}
PATCH = f"""canary GUID {CANARY}

diff --git a/entry/a.ets b/entry/a.ets
--- a/entry/a.ets
+++ b/entry/a.ets
@@ -1 +1,2 @@
-one
+two
+three
"""
CASE = f"""# canary GUID {CANARY}
from devicetest.core.test_case import TestCase


class {{case}}(TestCase):
    def test_it(self):
        pass
"""


def task_facts(slug: str, **changes: Any) -> dict[str, Any]:
    return {
        "slug": slug,
        "source": "bug-fix",
        "title": f"Title of {slug}",
        "difficulty": "easy",
        "repository": "example/app",
        "base_commit": "0" * 40,
        "bundle_name": "com.example.app",
        "kits": ["ArkUI"],
        "build_paths": [],
        "f_points": [
            {
                "id": "FP-1",
                "scenario": "It works",
                "description": "Pressing the button opens the page.",
                "case": "it_works",
                "method": "test_it",
            }
        ],
        **changes,
    }


def write_task(folder: Path, slug: str, **changes: Any) -> Path:
    task = folder / "tasks" / slug
    (task / "base" / "entry").mkdir(parents=True)
    (task / "checks").mkdir()
    (task / "task.json").write_text(json.dumps(task_facts(slug, **changes)))
    (task / "statement.md").write_text("The button does nothing.\n")
    (task / "base" / "entry" / "a.ets").write_text("one\n")
    (task / "reference.patch").write_text(PATCH)
    (task / "checks" / "it_works.py").write_text(CASE.format(case="it_works"))
    (task / "checks" / "it_works.json").write_text(json.dumps({"canary": CANARY}))
    return task


def write_package(folder: Path, *slugs: str, **changes: Any) -> Path:
    """A package with tasks ``slugs``; ``changes`` go to snapshot.json."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "snapshot.json").write_text(json.dumps({**SNAPSHOT, **changes}))
    for slug in slugs or ("alpha",):
        write_task(folder, slug)
    return folder


def edit_json(path: Path, **changes: Any) -> None:
    path.write_text(json.dumps({**json.loads(path.read_text()), **changes}))
