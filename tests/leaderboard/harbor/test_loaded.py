"""Exported tasks in the real Harbor, as far as it needs no container.

Not collected where `make test` found no Python 3.12 for it; what runs in Harbor is in
tests/submissions/test_real_harbor_export.py.
"""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import pytest
from django.conf import settings
from django.core.management import call_command

from leaderboard.harbor import kept_digests
from leaderboard.snapshots import import_package
from tests.requirements import harbor_python

pytestmark = pytest.mark.django_db
DEMO = settings.BASE_DIR / "fixtures" / "snapshots" / "demo"
LOADER = Path(__file__).with_name("load_tasks.py")
SLUGS = {"penkit-crash", "notes-search", "gallery-text-entry"}


def test_harbor_loads_tasks_of_every_source_and_finds_no_fault(tmp_path):
    package = tmp_path / "package"
    shutil.copytree(DEMO / "tasks", package / "tasks", ignore=_others)
    shutil.copy(DEMO / "snapshot.json", package)
    snapshot = import_package(package).snapshot
    folder = tmp_path / "harbor"
    call_command("export_harbor", "demo", str(folder), "--with-hidden-checks")

    done = subprocess.run(
        [str(harbor_python()), LOADER, folder],
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    assert set(told["tasks"]) == SLUGS
    digests = kept_digests(snapshot)
    benchmark = snapshot.benchmark.slug
    assert told["pinned"] == {f"{benchmark}/{slug}": digests[slug] for slug in SLUGS}
    for slug, task in told["tasks"].items():
        assert task["name"] == f"{benchmark}/{slug}"
        assert task["digest"] == digests[slug]
        assert task["instruction"] == snapshot.tasks.get(slug=slug).statement
        assert task["separate"]
        assert len(task["collects"]) == 1
        assert task["findings"] == []


def _others(folder: str, names: list[str]) -> set[str]:
    """What of the demo is left out."""
    return set(names) - SLUGS if Path(folder) == DEMO / "tasks" else set()
