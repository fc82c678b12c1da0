"""Packages that name a scoring policy, and sources of their own with it."""

from __future__ import annotations

from datetime import date

import pytest
from django.utils import translation

from leaderboard.models import (
    Benchmark,
    EvaluationSnapshot,
    ScoringPolicy,
    SnapshotStatus,
    Task,
)
from leaderboard.snapshots import (
    PackageError,
    SnapshotConflictError,
    export_package,
    import_package,
    read_package,
)
from leaderboard.snapshots.derive import Changes, derive_package
from leaderboard.totals import write_run_totals, write_summary
from leaderboard.trees import tree_digest
from tests.factories import (
    CheckResultFactory,
    ConfigurationFactory,
    EvaluationFactory,
    RunFactory,
    TaskResultFactory,
)
from tests.leaderboard.packages import CANARY, edit_json, write_package, write_task

PASSING = "pass-and-completion"
BENCHMARK = {"slug": "mobile-bench", "name": "Mobile Bench", "canary": CANARY}
STREAMS = [
    {
        "slug": "migrations",
        "names": {"en": "Migrations", "zh-hans": "迁移"},
        "focus": {"en": "Moving apps to another library"},
    },
    {"slug": "app-conversions", "names": {"en": "App conversions"}},
]


@pytest.fixture
def package(tmp_path):
    """One task in each of two streams, the first stream's name later in the order."""
    folder = write_package(
        tmp_path / "package",
        "zeta",
        benchmark=BENCHMARK,
        policy=PASSING,
        streams=STREAMS,
        runs=2,
    )
    edit_json(folder / "tasks" / "zeta" / "task.json", source="migrations")
    write_task(folder, "alpha", source="app-conversions")
    return folder


def fault_lines(folder) -> list[str]:
    with pytest.raises(PackageError) as caught:
        read_package(folder)
    return [str(fault) for fault in caught.value.faults]


@pytest.mark.parametrize(
    ("changes", "line"),
    [
        (
            {"policy": "pass-rate"},
            "snapshot.json, policy: saw 'pass-rate'. Input should be 'task-completion' "
            "or 'pass-and-completion'.",
        ),
        (
            {"streams": []},
            "snapshot.json, streams: saw none under the policy pass-and-completion",
        ),
        ({"streams": [*STREAMS, STREAMS[0]]}, "streams: saw 'migrations' 2 times"),
        (
            {"streams": [*STREAMS, {"slug": "widgets", "names": {"en": "Widgets"}}]},
            "streams[2].slug: saw 'widgets', which no task has as its source",
        ),
        (
            {"streams": [*STREAMS, {"slug": "overall", "names": {"en": "All"}}]},
            "streams[2].slug: saw 'overall', which stands for all tasks",
        ),
        (
            {"streams": STREAMS[:1]},
            "tasks/alpha/task.json, source: saw 'app-conversions'. Input should be "
            "'migrations'.",
        ),
        (
            {"contamination": {"bug-fix": "They are public."}},
            "contamination.bug-fix: saw 'bug-fix'. Input should be 'migrations' or "
            "'app-conversions'.",
        ),
    ],
)
def test_a_wrong_policy_or_stream_is_named_with_what_there_is(package, changes, line):
    edit_json(package / "snapshot.json", **changes)

    assert any(line in found for found in fault_lines(package))


def test_a_policy_that_fixes_its_sources_takes_no_others(package):
    edit_json(package / "snapshot.json", policy="task-completion")

    found = fault_lines(package)

    assert [line.partition(":")[0] for line in found] == [
        "tasks/alpha/task.json, source",
        "tasks/zeta/task.json, source",
        "snapshot.json, streams",
    ]
    assert "'new-feature', 'spec-driven' or 'bug-fix'." in found[0]


@pytest.mark.django_db
def test_an_import_keeps_policy_streams_and_names_in_both_languages(package):
    snapshot, changed = import_package(package)

    assert changed
    assert snapshot.benchmark.policy == ScoringPolicy.PASS_AND_COMPLETION
    assert [(each.slug, each.task_count) for each in snapshot.streams.all()] == [
        ("migrations", 1),
        ("app-conversions", 1),
    ]
    assert list(snapshot.scopes.values_list("scope", "task_count")) == [("overall", 2)]
    tasks = list(snapshot.tasks.all())
    assert [task.slug for task in tasks] == ["zeta", "alpha"]
    assert [task.source_label for task in tasks] == ["Migrations", "App conversions"]
    with translation.override("zh-hans"):
        assert [task.source_label for task in tasks] == ["迁移", "App conversions"]
    assert [each["scope"] for each in snapshot.statistics["scopes"]] == [
        "overall",
        "migrations",
        "app-conversions",
    ]


@pytest.mark.django_db
def test_a_package_that_names_a_policy_comes_out_as_it_went_in(package, tmp_path):
    snapshot, _ = import_package(package)

    export_package(snapshot, tmp_path / "out")
    changes = Changes(
        version="tiny-1.1", reason="Less.", day=date(2026, 11, 2), retire=["alpha"]
    )

    assert tree_digest(tmp_path / "out") == tree_digest(package)
    with pytest.raises(PackageError, match="'app-conversions', which no task has"):
        derive_package(snapshot, changes, tmp_path / "next")


@pytest.mark.django_db
def test_a_second_import_changes_no_task_but_may_mend_a_name(package):
    first, _ = import_package(package)
    tasks = list(Task.objects.values_list("pk", flat=True))
    renamed = {"slug": "app-conversions", "names": {"en": "Apps", "zh-hans": "应用"}}
    edit_json(package / "snapshot.json", streams=[STREAMS[0], renamed])

    second, changed = import_package(package)

    assert (second, changed) == (first, False)
    assert list(Task.objects.values_list("pk", flat=True)) == tasks
    assert [each.names["en"] for each in first.streams.all()] == ["Migrations", "Apps"]
    assert Task.objects.get(slug="alpha").source_names == renamed["names"]


@pytest.mark.django_db
def test_one_benchmark_keeps_one_policy(package):
    import_package(package)
    edit_json(package / "snapshot.json", policy="task-completion", streams=[])
    for slug in ("alpha", "zeta"):
        edit_json(package / "tasks" / slug / "task.json", source="bug-fix")

    with pytest.raises(SnapshotConflictError, match="scored by pass-and-completion"):
        import_package(package)

    assert Benchmark.objects.get().policy == ScoringPolicy.PASS_AND_COMPLETION


@pytest.mark.django_db
def test_two_benchmarks_have_no_version_with_tasks_in_common(package):
    import_package(package)
    other = {**BENCHMARK, "slug": "other-bench", "name": "Other Bench"}
    edit_json(package / "snapshot.json", benchmark=other)

    with pytest.raises(SnapshotConflictError, match="Mobile Bench tiny"):
        import_package(package)

    assert not Benchmark.objects.filter(slug="other-bench").exists()


@pytest.fixture
def evaluated(package) -> EvaluationSnapshot:
    """An open snapshot with a public evaluation: migrations 2 of 2, the other 0."""
    snapshot, _ = import_package(package)
    snapshot.status = SnapshotStatus.OPEN
    snapshot.save()
    evaluation = EvaluationFactory(
        snapshot=snapshot, public=True, configuration=ConfigurationFactory()
    )
    for _number in range(2):
        run = RunFactory(evaluation=evaluation)
        for task in snapshot.tasks.all():
            passed = task.source == "migrations"
            result = TaskResultFactory(
                run=run, task=task, completed=passed, f_points_passed=int(passed)
            )
            CheckResultFactory(result=result, passed=passed)
        write_run_totals(run)
    write_summary(evaluation)
    return snapshot


@pytest.mark.django_db
def test_pages_show_a_packaged_benchmark_by_its_streams(client, evaluated):
    evaluation = evaluated.evaluations.get()
    version = f"mobile-bench/{evaluated.version}"
    failures = f"{evaluation.get_absolute_url()}failures/"

    def page(address: str) -> str:
        response = client.get(address, follow=True)
        assert response.status_code == 200, address
        return response.content.decode()

    assert "App conversions" in page(evaluated.get_absolute_url())
    shown = page(evaluation.get_absolute_url())
    assert "50.00" in shown
    assert "2 of 4 task runs failed" in shown
    assert "Task Completion" not in shown.partition("<main")[2]
    assert "Admission" in page(f"/benchmark/?snapshot={version}")
    assert "App conversions" in page(evaluation.runs.first().get_absolute_url())
    assert "App conversions" in page(evaluated.tasks.last().get_absolute_url())
    listed = page(f"/tasks/?snapshot={version}&source=app-conversions")
    assert "Title of alpha" in listed
    assert "Title of zeta" not in listed
    chinese = page(f"/zh-hans/tasks/?snapshot={version}&source=migrations")
    assert "迁移" in chinese
    assert "Title of zeta" in chinese
    assert ">alpha</a>" in page(f"{failures}?source=app-conversions")
    assert ">alpha</a>" not in page(f"{failures}?source=migrations")


@pytest.mark.django_db
def test_the_api_tells_streams_and_takes_them_as_sources(client, evaluated):
    evaluation = evaluated.evaluations.get()
    base = f"/api/v1/evaluations/{evaluation.pk}"

    def got(address: str, status: int = 200):
        response = client.get(address)
        assert response.status_code == status, response.content
        return response.json()

    table = got("/api/v1/leaderboard/?benchmark=mobile-bench&source=app-conversions")
    assert table["snapshot"]["policy"] == PASSING
    assert [row["passed"] for row in table["results"]] == [0]
    tasks = got("/api/v1/tasks/?benchmark=mobile-bench&source=migrations")
    assert [(task["slug"], task["source"]) for task in tasks["results"]] == [
        ("zeta", "migrations")
    ]
    failed = got(f"{base}/failures/?source=app-conversions")
    assert {each["source"] for each in failed["results"]} == {"app-conversions"}
    progress = got(f"{base}/")["progress"]
    assert list(progress["scopes"]) == ["overall", "migrations", "app-conversions"]
    assert len(got(f"/api/v1/snapshots/{BENCHMARK['slug']}/{evaluated.version}/")) > 1
    (error,) = got(f"{base}/failures/?source=bug-fix", 400)["errors"]
    assert "migrations, app-conversions" in error["fix"]
