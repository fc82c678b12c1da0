"""A made-up snapshot of the size of v1.0: imported whole, never taken for real."""

from __future__ import annotations

import gzip
import io
import json
import random
import re
from collections import Counter

import pytest
from django.conf import settings
from django.core.management import CommandError, call_command
from django.core.management.base import OutputWrapper
from django.db import connection
from django.test.utils import CaptureQueriesContext

from leaderboard import bulk
from leaderboard.models import (
    EvaluationSnapshot,
    Run,
    SnapshotStatus,
    Task,
    TaskResult,
    is_synthetic,
)
from leaderboard.snapshots import (
    export_package,
    import_package,
    kit_differences,
    package_folder,
    read_package,
)
from leaderboard.terminal import StepBars
from leaderboard.totals import write_run_totals, write_summary
from leaderboard.trees import tree_digest
from scripts.synthetic_snapshot import SHAPE, write_package
from tests.factories import EvaluationFactory
from tests.leaderboard.packages import write_package as write_small_package

MARK = "Synthetic, not a benchmark"
PAGE_BYTES = 60_000
PUBLISHED = json.loads(SHAPE.read_text("utf-8"))["task_sources"]


@pytest.fixture(scope="module")
def package(tmp_path_factory):
    """The whole package, its projects as small as they may be."""
    folder = tmp_path_factory.mktemp("synthetic") / "package"
    write_package(folder, megabytes=0)
    return folder


def opened(folder) -> EvaluationSnapshot:
    snapshot = import_package(folder, synthetic=True).snapshot
    EvaluationSnapshot.objects.filter(pk=snapshot.pk).update(status=SnapshotStatus.OPEN)
    snapshot.refresh_from_db()
    return snapshot


def measured(snapshot: EvaluationSnapshot, *, count: int) -> None:
    """``count`` public evaluations of all tasks, some of them completed."""
    tasks = list(snapshot.tasks.all())
    chance = random.Random(1)
    for _ in range(count):
        evaluation = EvaluationFactory(snapshot=snapshot, public=True)
        for number in range(1, snapshot.run_count + 1):
            run = Run.objects.create(evaluation=evaluation, number=number)
            bulk.insert(
                TaskResult,
                (
                    *("run_id", "task_id", "completed", "reason", "final_build_ok"),
                    *("f_points_passed", "f_point_count"),
                ),
                [
                    (
                        *(run.pk, task.pk, done, "" if done else "check_failed"),
                        *(True, int(done), 1),
                    )
                    for task in tasks
                    for done in [chance.random() < 0.5]
                ],
            )
            write_run_totals(run)
        write_summary(evaluation)


def test_it_has_the_shape_that_is_published_and_says_what_it_is(package):
    found = read_package(package)

    assert {
        scope: counts for scope, counts in found.counts().items() if scope != "overall"
    } == {
        source: (facts["tasks"], facts["f_points"])
        for source, facts in PUBLISHED.items()
    }
    assert found.counts()["overall"] == (153, 242)
    assert Counter(
        (task.facts.source, task.facts.difficulty) for task in found.tasks
    ) == Counter(
        {
            (source, level): count
            for source, facts in PUBLISHED.items()
            for level, count in facts["difficulty"].items()
        }
    )
    for source, facts in PUBLISHED.items():
        tasks = [task for task in found.tasks if task.facts.source == source]
        assert len({task.facts.repository for task in tasks}) == facts["repositories"]
        assert {len(task.reference.paths) for task in tasks} == {
            facts["reference_files_median"]
        }
    assert found.facts.device_profile.simulated
    for name in (found.facts.benchmark.slug, found.facts.version):
        assert name.startswith("synthetic")
    for task in found.tasks:
        assert "Synthetic" in task.facts.title
        assert task.statement.startswith("Synthetic: made up")


def test_it_is_the_same_bytes_every_time_and_as_large_as_asked(package, tmp_path):
    write_package(tmp_path / "again", megabytes=0)
    write_package(tmp_path / "larger", megabytes=4)

    assert tree_digest(tmp_path / "again") == tree_digest(package)
    files = [path for path in (tmp_path / "larger").rglob("*") if path.is_file()]
    assert 4e6 < sum(path.stat().st_size for path in files) < 12e6


@pytest.mark.django_db
def test_it_is_not_imported_by_accident(package):
    with pytest.raises(CommandError, match="made up to measure the software"):
        call_command("import_snapshot", str(package), verbosity=0)

    assert not EvaluationSnapshot.objects.exists()
    assert not (settings.DATA_DIR / "snapshots").exists()


@pytest.mark.parametrize(
    ("slug", "synthetic"),
    [
        ("synthetic", True),
        ("synthetic-bench", True),
        ("synthetics", False),
        ("openharmony-bench", False),
    ],
)
def test_a_made_up_benchmark_is_known_by_its_name(slug, synthetic):
    assert is_synthetic(slug) is synthetic


@pytest.mark.django_db
def test_it_comes_in_whole_once_and_goes_out_as_it_came(package, tmp_path):
    snapshot, changed = import_package(package, synthetic=True)
    tasks = list(Task.objects.values_list("pk", flat=True))

    again, changed_again = import_package(package, synthetic=True)

    assert (changed, changed_again, again.pk) == (True, False, snapshot.pk)
    assert list(Task.objects.values_list("pk", flat=True)) == tasks
    assert len(tasks) == 153
    assert kit_differences(snapshot) == []
    assert tree_digest(package_folder(snapshot)) == tree_digest(package)

    export_package(snapshot, tmp_path / "out")

    assert tree_digest(tmp_path / "out") == tree_digest(package)
    exported = read_package(tmp_path / "out")
    assert (exported.task_set_digest, exported.script_digest) == (
        snapshot.task_set_digest,
        snapshot.script_digest,
    )


@pytest.mark.django_db
def test_a_trouble_at_the_last_task_leaves_nothing_behind(package, monkeypatch):
    def full_disk(step, done, total):
        if step == "Kits read from references" and done == total:
            raise OSError("No space left on device")

    with pytest.raises(OSError, match="No space left"):
        import_package(package, synthetic=True, progress=full_disk)

    assert not EvaluationSnapshot.objects.exists()
    assert not Task.objects.exists()
    assert list((settings.DATA_DIR / "snapshots").rglob("*.json")) == []


@pytest.mark.django_db
def test_its_pages_are_small_marked_and_cost_what_those_of_two_tasks_cost(
    client, package, tmp_path
):
    small = opened(write_small_package(tmp_path / "small", "alpha", "beta"))
    large = opened(package)
    for snapshot in (small, large):
        measured(snapshot, count=2)

    def costs(snapshot: EvaluationSnapshot) -> dict[str, int]:
        version, task = snapshot.version, snapshot.tasks.first()
        paths = {
            "tasks": f"/tasks/?snapshot={version}",
            "of a source": f"/tasks/?snapshot={version}&source=bug-fix",
            "of a level": f"/tasks/?snapshot={version}&difficulty=easy",
            "of a repository": f"/tasks/?snapshot={version}"
            f"&repository={task.repository}",
            "searched": f"/tasks/?snapshot={version}&q=a",
            "never completed": f"/tasks/?snapshot={version}&completed=never",
            "benchmark": f"/benchmark/?snapshot={version}",
            "task": task.get_absolute_url(),
            "in Chinese": f"/zh-hans/tasks/?snapshot={version}",
        }
        found = {}
        for name, path in paths.items():
            client.get(path)  # What is looked up once for a process.
            with CaptureQueriesContext(
                connection,
            ) as queries:
                response = client.get(path)
            assert response.status_code == 200, path
            html = response.content
            assert len(gzip.compress(html, mtime=0)) <= PAGE_BYTES, path
            marked = b'role="note"' in html and (
                MARK in html.decode() or "合成" in html.decode()
            )
            assert marked is (snapshot == large), path
            found[name] = len(queries)
        return found

    assert costs(large) == costs(small)


@pytest.mark.django_db
def test_the_import_tells_how_far_it_is_in_lines_where_nobody_watches(package, capsys):
    call_command("import_snapshot", str(package), synthetic=True)

    lines = capsys.readouterr().out.splitlines()
    # A slow machine tells in between how far it is, too.
    steps = [line for line in lines if " of " in line]
    ends = [line for line in steps if len(set(re.findall(r"[0-9,]+", line))) == 1]
    assert [line.partition(":")[0] for line in ends] == [
        "Tasks read",
        "Files copied",
        "Kits read from references",
    ]
    assert "synthetic-153 imported: 153 tasks, draft." in lines[-1]


def test_on_a_terminal_steps_are_bars(capsys):
    class Terminal(io.StringIO):
        def isatty(self):
            return True

    out = Terminal()
    with StepBars(OutputWrapper(out)) as progress:
        for done in range(1, 154):
            progress("Tasks read", done, 153)

    assert "Tasks read" in (shown := capsys.readouterr().out)
    assert "153/153" in shown
    assert out.getvalue() == ""


def test_a_quiet_import_says_nothing():
    out = io.StringIO()
    with StepBars(OutputWrapper(out), quiet=True) as progress:
        progress("Tasks read", 1, 1)

    assert out.getvalue() == ""
