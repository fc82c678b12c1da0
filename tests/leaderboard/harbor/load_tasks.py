"""Run with the real Harbor's Python: what Harbor makes of a folder of exported tasks.

``python load_tasks.py FOLDER`` prints a JSON object. It uses what ``harbor run`` loads
tasks with, ``harbor lint`` (which has taken the place of ``harbor task check``) and the
digests of ``harbor publish``.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from harbor.lint import lint_task
from harbor.lint.models import DEFAULT_RULES
from harbor.models.dataset.manifest import DatasetManifest
from harbor.models.task.task import Task
from harbor.publisher.packager import Packager


def loaded(folder: Path) -> dict[str, Any]:
    task = Task(folder)
    findings = lint_task(folder, selected_rules=set(DEFAULT_RULES))
    return {
        "name": task.name,
        "instruction": task.instruction,
        "separate": task.config.verifier.environment_mode == "separate",
        "collects": [each.command for each in task.config.verifier.collect],
        "digest": f"sha256:{Packager.compute_content_hash(folder)[0]}",
        "findings": [f"{each.rule}: {each.message}" for each in findings],
    }


def main(folder: Path) -> None:
    manifest = DatasetManifest.from_toml_file(folder / "dataset.toml")
    told = {
        "pinned": {each.name: each.digest for each in manifest.tasks},
        "tasks": {
            each.parent.name: loaded(each.parent)
            for each in sorted(folder.glob("*/task.toml"))
        },
    }
    sys.stdout.write(json.dumps(told))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
